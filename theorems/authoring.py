"""What an author of a lemma imports: the statement's constructor, the engine, and the decorator of derivations."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from fractions import Fraction

from theorems.algebra.ratio import Ratio
from theorems.catalogue import CatalogueError, Paper, ProofLine, Statement, add, read_claims
from theorems.derivation import Fact, SharpBound, consequence, derivation, fact
from theorems.expressions import parse
from theorems.moments.distributions import density, finite
from theorems.observables import IDENTITY, Matrix, W
from theorems.process import KERNELS, Kernel, Moment, Position, Process, Step, process, random_walk

__all__ = [
    "IDENTITY",
    "KERNELS",
    "Fact",
    "Kernel",
    "Matrix",
    "Moment",
    "Paper",
    "Position",
    "Process",
    "ProofLine",
    "SharpBound",
    "Statement",
    "Step",
    "W",
    "claim",
    "claims_from",
    "coefficient",
    "consequence",
    "density",
    "derivation",
    "fact",
    "finite",
    "process",
    "random_walk",
]


def coefficient(value: int | Fraction | str) -> Ratio:
    """A number or a name as a coefficient, for derivations without an expectation."""
    return Ratio.of(value)


def claims_from(package: str) -> tuple[Statement, ...]:
    """Put the claims of a package's ``statements.toml`` into the catalogue: the file format is the suite's own."""
    return tuple(add(made) for made in read_claims(package, plugin=package.split(".")[0]))


def claim(
    id: str,
    *,
    printed: str | Mapping[str, str],
    symbols: str,
    positions: str = "",
    model: str = "walk",
    kind: str = "identity",
    quantity: str = "",
    statement: str = "",
    reading: str = "",
    where: str = "",
    limit: Mapping[str, str] | None = None,
    remainder: str = "",
    parameters: str = "",
    assumptions: Sequence[str] = (),
    conditions: Sequence[str] = (),
    depends_on: Sequence[str] = (),
    lines: Sequence[ProofLine] = (),
    proof: Sequence[str] = (),
    coefficient_of: str = "",
    fidelity: str = "own",
    relation: str = "=",
    ranges: Mapping[str, str] | None = None,
    paper: Paper | None = None,
) -> Statement:
    """State a claim and put it into the catalogue.

    ``printed`` is the right-hand side as arithmetic in ``symbols`` ("i j tr1 tr2"), one for the derivation's value or
    a table by quantity; ``positions`` are the token positions in their order ("i j T" means 1 <= i <= j <= T);
    ``limit`` ({"i": "theta*T"}) and ``remainder`` ("1" for o(1)) make it a claim about T -> infinity. ``parameters``
    names what else a case holds (lam, a, b), for ``model`` = "free" with the values to draw in ``ranges`` ("1/4 1/2");
    ``conditions`` are inequalities a case must meet ("2*i <= j").
    Raises CatalogueError naming the claim, the field and the mend.
    """
    if id.count(".") < 2 or not all(
        part and part.replace("_", "").replace("-", "").isalnum() for part in id.split(".")
    ):
        raise CatalogueError(f"{id!r} is no id; write paper.section.name, e.g. mypaper.sec2.thing")
    if id.endswith(".corrected"):
        raise CatalogueError(f"{id!r}: ids that end in .corrected are those of corrections; choose another name")
    table = {"value": printed} if isinstance(printed, str) else dict(printed)
    names = tuple(symbols.replace(",", " ").split())
    for name, text in table.items():
        try:
            free = {s.name for s in parse(text).free_symbols}
        except ValueError as error:
            raise CatalogueError(f"{id}: printed {name}: {error}") from None
        unknown = sorted(free - set(names))
        if unknown:
            raise CatalogueError(
                f"{id}: printed {name} = {text!r} uses {unknown[0]}; declare it in symbols = {symbols!r}"
            )
    places = tuple(positions.replace(",", " ").replace("<=", " ").split())
    if len(set(places)) < len(places):
        raise CatalogueError(f"{id}: positions = {positions!r}; name each position once, in their order")
    frame = inspect.currentframe()
    caller = frame.f_back.f_globals.get("__name__", "") if frame is not None and frame.f_back is not None else ""
    for parameter, text in (ranges or {}).items():
        try:
            _ = [Fraction(value) for value in text.replace(",", " ").split()]
        except (ValueError, ZeroDivisionError):
            raise CatalogueError(f"{id}: ranges[{parameter!r}] = {text!r}; write rationals such as 1/4 1/2") from None
    made = Statement(
        id=id,
        where=where or id.split(".", 1)[1],
        kind=kind,
        statement=statement,
        reading=reading or quantity or id,
        quantity=quantity,
        symbols=names,
        printed=table,
        paper=paper or Paper(id.split(".")[0], id.split(".")[0], "", ""),
        model=model,
        fidelity=fidelity,
        relation=relation,
        ranges={name: tuple(text.replace(",", " ").split()) for name, text in (ranges or {}).items()},
        positions=places,
        regime=dict(limit or {}),
        remainder=remainder,
        parameters=tuple(parameters.replace(",", " ").split()),
        assumptions=tuple(assumptions),
        conditions=(conditions,) if isinstance(conditions, str) else tuple(conditions),
        depends_on=tuple(depends_on),
        lines=tuple(lines),
        proof=tuple(proof),
        coefficient_of=coefficient_of,
        plugin=caller.split(".")[0] or "__main__",
    )
    return add(made)
