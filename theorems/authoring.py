"""What an author of a lemma imports: the statement's constructor, the engine, and the decorator of derivations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from types import FrameType
from typing import Any, ParamSpec

from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import (
    CatalogueError,
    Paper,
    ProofLine,
    Said,
    Statement,
    add,
    added,
    check_id,
    read_entries,
    read_entry,
)
from theorems.claims.text import one_line
from theorems.gaussian.observables import IDENTITY, Matrix, W
from theorems.gaussian.process import KERNELS, Kernel, Moment, Position, Process, Step, process, random_walk
from theorems.kernel.catalogued import line_said, narrowed_texts, said
from theorems.kernel.derivation import Fact, SharpBound, consequence, derivation, fact
from theorems.kernel.distributions import density, finite
from theorems.statement import StatementError, proposition
from theorems.statement.latex import statement_latex
from theorems.statement.prose import in_words
from theorems.statement.reading.coherent import check_used
from theorems.statement.sympy_text import alias

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
    """Put the claims of a package's ``statements.toml`` into the catalogue: the file format is the suite's own.

    What a claim says (``[claim.says]``) is read at once, and its reading and LaTeX are those of what it says.
    """
    plugin = package.split(".")[0]
    source, entries = read_entries(package)

    def made(entry: Mapping[str, Any]) -> Statement:
        return add(_worded(read_entry(entry, source, plugin)))

    found = []
    for entry in entries:
        try:
            found.append(made(entry))
        except Exception as error:
            found.append(_apart(str(entry.get("id", "?")), str(entry.get("statement", "")), error, plugin))
    return tuple(found)


_P = ParamSpec("_P")


def _spoiling_no_other(make: Callable[_P, Statement]) -> Callable[_P, Statement]:
    """While a package is imported, a claim that cannot be read is put in with what is wrong."""

    @wraps(make)
    def made(*given: _P.args, **named: _P.kwargs) -> Statement:
        try:
            return make(*given, **named)
        except Exception as error:
            table = dict(zip(("id", "says"), given, strict=False)) | named
            frame = inspect.currentframe()
            return _apart(str(table.get("id", "?")), str(table.get("says", "")), error, _package_above(frame))

    return made


@_spoiling_no_other
def claim(
    id: str,
    says: str = "",
    *,
    hypotheses: str = "",
    law: str = "walk",
    where: str = "",
    limit: str | Mapping[str, str] = "",
    place: str = "",
    printed: str | Mapping[str, str] = "",
    symbols: str = "",
    positions: str = "",
    model: str = "walk",
    kind: str = "",
    quantity: str | Mapping[str, str] = "",
    statement: str = "",
    reading: str = "",
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

    claim("notes.sec1.mean", "E[x[i].T*W*x[j]] = i*tr(W*Sigma)", hypotheses="W symmetric, i <= j")

    ``says`` is the statement in the language of ``twofold check``, with its ``hypotheses``, definitions (``where``),
    ``law`` and ``limit``; all else is generated from it. ``place`` is where it stands ("Lemma 3").

    A claim about several quantities has a table ``printed`` of right sides, arithmetic in ``symbols`` ("i j tr1 tr2"),
    and a table ``quantity`` of the left sides in the language; ``positions`` "i j T" then add 1 <= i <= j <= T to the
    hypotheses, and ``limit`` ({"i": "theta*T"}) and ``remainder`` ("1" for o(1)) make it a claim about T -> infinity.
    Where no quantity is given in the language, or hypotheses stand in words (``assumptions``), the claim is informal,
    and at best undecided: ``parameters``, ``ranges`` and ``model`` are for such claims.
    Raises CatalogueError naming the claim, the field and the mend.
    """
    check_id(id, least=1 if says else 2)
    frame = inspect.currentframe()
    plugin = _package_above(frame.f_back if frame is not None else None)
    common: dict[str, Any] = {
        "id": id,
        "fidelity": fidelity,
        "depends_on": tuple(depends_on),
        "paper": paper or Paper(id.split(".")[0], id.split(".")[0], "", ""),
        "plugin": plugin,
        "lines": tuple(lines),
        "proof": tuple(proof),
    }
    if says:
        given: dict[str, Any] = {"printed": printed, "symbols": symbols, "positions": positions, "quantity": quantity}
        given |= {"statement": statement, "reading": reading, "remainder": remainder, "assumptions": assumptions}
        given |= {"conditions": conditions, "parameters": parameters, "ranges": ranges}
        given |= {"relation": relation != "=", "model": model != "walk", "coefficient_of": coefficient_of}
        superfluous = next((name for name, value in given.items() if value), None)
        if superfluous or not isinstance(limit, str):
            raise CatalogueError(
                f"{id}: {superfluous or 'limit'} stands beside the statement, which says it all; drop it, or write it "
                'into the statement, hypotheses="...", where="...", limit="T -> oo, i/T -> theta"'
            )
        made = _data_claim(says, Said({}, hypotheses, where, law, limit, says), kind, place, common)
        return add(_worded(made) if made.lines else made)
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
    for parameter, text in (ranges or {}).items():
        try:
            _ = [Fraction(value) for value in text.replace(",", " ").split()]
        except (ValueError, ZeroDivisionError):
            raise CatalogueError(f"{id}: ranges[{parameter!r}] = {text!r}; write rationals such as 1/4 1/2") from None
    regime = {} if isinstance(limit, str) else dict(limit)
    made = Statement(
        where=place or where or id.split(".", 1)[1],
        kind=kind or "identity",
        statement=statement,
        reading=reading or str(quantity) or id,
        quantity=quantity if isinstance(quantity, str) else ", ".join(quantity.values()),
        symbols=names,
        printed=table,
        model=model,
        relation=relation,
        ranges={name: tuple(text.replace(",", " ").split()) for name, text in (ranges or {}).items()},
        positions=places,
        regime=regime,
        remainder=remainder,
        parameters=tuple(parameters.replace(",", " ").split()),
        assumptions=tuple(assumptions),
        conditions=(conditions,) if isinstance(conditions, str) else tuple(conditions),
        coefficient_of=coefficient_of,
        share=float(max(1, len(table))) if isinstance(quantity, Mapping) else 1.0,
        **common,
    )
    if isinstance(quantity, Mapping):
        ordered = " <= ".join(places) if len(places) > 1 else ""
        both = ", ".join(text for text in (hypotheses, ordered) if text)
        missing = sorted(set(table) - set(quantity))
        if missing:
            raise CatalogueError(f"{id}: quantity lacks {missing[0]}, which is printed; add its left side")
        if idle := sorted(set(quantity) - set(table)):
            raise CatalogueError(
                f"{id}: quantity has {idle[0]}, of which nothing is printed; add printed[{idle[0]!r}], or drop it"
            )
        if statement or reading:
            raise CatalogueError(f"{id}: the reading and the LaTeX follow from quantity and printed; drop them")
        made = _worded(replace(made, says=Said(dict(quantity), both, "", law, limit if isinstance(limit, str) else "")))
    return add(made)


#: The papers whose packages are being imported, of which a claim that cannot be read is put in with its error.
_gathered: list[str] = []


@contextmanager
def gathering(paper: str) -> Iterator[None]:
    """While the package of a paper is imported, a claim that cannot be read spoils no other."""
    _gathered.append(paper)
    try:
        yield
    finally:
        _gathered.pop()


def _package_above(frame: FrameType | None) -> str:
    """The package of the code that called the function with this frame."""
    caller = frame.f_back.f_globals.get("__name__", "") if frame is not None and frame.f_back is not None else ""
    return caller.split(".")[0] or "__main__"


def _apart(id: str, text: str, error: Exception, plugin: str) -> Statement:
    """A claim that cannot be read, put in with what is wrong; elsewhere than in a package the error is raised again.

    One whose id cannot be used, or is taken, stands under an id of its own.
    """
    if not _gathered:
        raise error
    why = f"{error}" if isinstance(error, CatalogueError) else f"{type(error).__name__}: {error}"
    try:
        check_id(id, least=1)
        usable = id.startswith(f"{_gathered[-1]}.") and id not in {one.id for one in added()}
    except CatalogueError:
        usable = False
    if usable:
        return add(unread(id, text, one_line(why.removeprefix(f"{id}: ")), plugin))
    return set_apart(_gathered[-1], id, text, why, plugin)


def set_apart(paper: str, id: str, text: str, why: str, plugin: str) -> Statement:
    """Put in a claim whose id cannot be used under an id of its own, ``paper.unread.ID``, with what is wrong."""
    name = f"{paper}.unread.{re.sub(r'[^A-Za-z0-9_-]+', '-', id)[:60]}"
    while name in {one.id for one in added()}:
        name += "-"
    return add(unread(name, text, one_line(why), plugin))


def unread(id: str, text: str, why: str, plugin: str) -> Statement:
    """A lemma that cannot be read, or whose module cannot be imported: its verdict is ``error``, and says why."""
    name = id.split(".")[0]
    return Statement(
        id=id,
        paper=Paper(name, name, "", ""),
        where=id.split(".", 1)[1],
        kind="identity",
        fidelity="own",
        statement=rf"\text{{{text}}}",
        reading=f"It cannot be read: {why}",
        quantity=text,
        symbols=(),
        printed={"value": text or "?"},
        plugin=plugin,
        unread=why,
    )


def _data_claim(text: str, says: Said, kind: str, place: str, common: Mapping[str, Any]) -> Statement:
    """A claim from its statement alone; CatalogueError with the place in the text where it cannot be read."""
    try:
        check_used(text, says.where)
        prop = proposition(text, says.hypotheses, says.where, says.law, says.limit)
    except StatementError as error:
        raise _unreadable(common["id"], error) from None
    natural = "asymptotic" if prop.limit.variable else "identity" if prop.relation == "=" else "bound"
    used = {name for side in (prop.left, prop.right) for name in side.names()}
    return Statement(
        where=place or common["id"].split(".", 1)[1],
        kind=kind or natural,
        statement=statement_latex(prop),
        reading=in_words(prop),
        quantity=str(prop.left),
        symbols=tuple(sorted({alias(name) for name in used})),
        printed={"value": str(prop.right)},
        model="walk" if prop.random else "none",
        relation="=" if prop.relation in ("=", "->", "~") else "<=",
        positions=tuple(prop.positions),
        parameters=tuple(name for name in prop.parameters if name not in prop.positions),
        says=replace(says, quantities={"value": str(prop.left)}),
        **common,
    )


def _worded(made: Statement) -> Statement:
    """A claim with the reading and the LaTeX of what it says; CatalogueError where that cannot be read."""
    if made.says is None:
        return made
    try:
        props = [said(made, name) for name in made.printed]
        for line in made.lines:
            if not line.claim:
                line_said(line, made)
        for name in made.printed if made.narrower else ():
            proposition(*narrowed_texts(made, name))
    except StatementError as error:
        raise _unreadable(made.id, error) from None
    return replace(
        made,
        reading=" ".join(in_words(prop) for prop in props),
        statement=r" \qquad ".join(statement_latex(prop) for prop in props),
    )


def _unreadable(claim_id: str, error: StatementError) -> CatalogueError:
    place = f" (in {error.text!r}, at column {error.at + 1})" if error.text and error.at >= 0 else ""
    return CatalogueError(f"{claim_id}: {' '.join(str(error).split())}{place}")
