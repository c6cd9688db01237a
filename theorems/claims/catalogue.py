"""The catalogue: every claim as data, in one visible order, with its fixed share of the false-alarm budget.

This module imports neither sympy nor torch, so that listing and showing claims is immediate.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from theorems.claims.outside import NotRegular, regular_bytes, toml_of

KINDS = ("identity", "asymptotic", "limit", "bound", "order", "construction", "definition", "proof-step")
FIDELITIES = ("verbatim", "inferred", "own")
RELATIONS = ("=", "<=", "<", "range", "order", "when")
MODELS = ("walk", "gaussian", "matrix", "none", "free", "exchangeable", "embeddings", "ensemble", "context", "weighted")
#: Models whose cases are structured data: the printed statement is about exact instances.
STRUCTURED = ("embeddings", "ensemble", "context", "weighted", "exchangeable")

#: The papers the suite ships with, in the order of the report: a sub-package of ``theorems`` each.
PAPERS = ("bao2024", "lampert2026", "choromanski2021")

#: Probability of any false alarm in one whole run.
ALPHA = 1e-6
#: Equal shares the budget is cut into; a catalogue claim holds ``share`` of them, its correction as many again.
SHARES = 256
#: Shares kept back for claims of other packages, cut again into PLUGIN_SLOTS equal parts.
PLUGIN_SHARES = 32
PLUGIN_SLOTS = 1024

CORRECTED = ".corrected"
#: Fields of a claim that no file says.
DERIVED = ("corrects", "plugin", "unread")


class CatalogueError(ValueError):
    """A claim's data is not usable; the message names the claim, the field and the mend."""


@dataclass(frozen=True)
class Paper:
    """A source: its short name, title, authors and the version that was read."""

    id: str
    title: str
    authors: str
    version: str


@dataclass(frozen=True)
class ProofLine:
    """One printed line of a proof.

    ``quantity`` names the derived quantity that the line states, ``printed`` the right-hand side as printed and
    ``remainder`` the scale g of its o(g) ("" where the line is an exact equality). In their place ``says`` is the line
    as a statement of the language, with its ``hypotheses`` and ``law``, or ``claim`` the claim that the line is.
    """

    label: str
    where: str
    quantity: str = ""
    printed: str = ""
    remainder: str = ""
    says: str = ""
    hypotheses: str = ""
    law: str = "walk"
    claim: str = ""

    def __post_init__(self) -> None:
        given = [bool(self.quantity and self.printed), bool(self.says), bool(self.claim)]
        if sum(given) != 1:
            raise CatalogueError(
                f"proof line {self.label}: give quantity and printed, or says, or claim, and one of them alone"
            )


@dataclass(frozen=True)
class Said:
    """What a claim says, in the language of ``theorems.statement``: text that is read where it is needed.

    ``quantities`` maps the names of ``printed`` to their left sides ("moment": "E[x[i].T*W*x[i]]"); the hypotheses,
    definitions (``where``), law and limit are those of ``twofold check``. ``text`` is the whole statement where it was
    written as one.
    """

    quantities: Mapping[str, str]
    hypotheses: str = ""
    where: str = ""
    law: str = "walk"
    limit: str = ""
    text: str = ""


@dataclass(frozen=True)
class Statement:
    """One claim as data.

    ``printed`` maps the names of the quantities that both sides produce to the printed right-hand sides, as
    arithmetic expressions in ``symbols``; the first one is the quantity that ``symbolic.exact`` states.
    ``positions`` are the symbolic token positions in their stated order (1 <= i <= j <= T). ``regime`` maps a
    position to its asymptotic form (i = theta T) and ``remainder`` is the scale g of the printed o(g). ``lines`` are
    the printed lines of the proof of this claim, ``proof`` the claims whose lines come before them; ``beyond`` are
    statements of ours beside the print, with their ``label`` and ``where`` in words of ours. Where
    ``coefficient_of`` names a word, ``symbolic.exact`` states that word's coefficient. ``conditions`` are inequalities
    between parameters of a case ("2*i <= j") that the drawn cases must meet; ``ranges`` are the rationals that the
    parameters of a ``free`` model (any randomness) are drawn from; ``strata`` narrow them, one for every case that is
    to be judged, and ``further`` are what other cases are drawn from beside them. ``attained`` adds to an upper bound
    that it is reached, so that a larger one is false. ``covariance``
    "identity" restricts the claim to Sigma = I. ``definitions`` are the printed objects that the claim is about: both
    sides may be handed them. ``plugin`` names the package of a claim that is not the suite's own. ``says`` is what the
    claim says in the language of statements, None where it stands in words alone. With the relation
    "when" the prints are clauses, "iff a > 0 & b >= 0" or "if ...", of the properties that they are mapped from.
    ``says`` is what the claim says in the model's primitives, None where the language has no words for it.
    """

    id: str
    where: str
    kind: str
    statement: str
    reading: str
    quantity: str
    symbols: tuple[str, ...]
    printed: Mapping[str, str]
    paper: Paper
    model: str = "none"
    fidelity: str = "verbatim"
    #: what of the source's words the verdict speaks of, where it is not on these words as they stand
    judged: str = ""
    relation: str = "="
    positions: tuple[str, ...] = ()
    regime: Mapping[str, str] = field(default_factory=dict)
    remainder: str = ""
    parameters: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    lines: tuple[ProofLine, ...] = ()
    beyond: tuple[ProofLine, ...] = ()
    proof: tuple[str, ...] = ()
    coefficient_of: str = ""
    definitions: Mapping[str, str] = field(default_factory=dict)
    covariance: str = "any"
    strata: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    further: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    conditions: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attained: bool = False
    share: float = 1.0
    corrects: str = ""
    #: why a lemma of one's own cannot be read or imported, so that the others of its package are judged all the same
    unread: str = ""
    plugin: str = ""
    says: Said | None = None
    #: hypotheses ("for") and a limit ("as") under which a print holds that no other formula corrects: the correction
    narrower: Mapping[str, str] = field(default_factory=dict)
    #: both sides are interpreters of ``says``; a derivation and a simulation in words of their own are held to it
    interpreted: bool = False
    #: how names are written ({"dim": "d", "p[0]": "b_BOS"}; "g[]" is g with any index), and letters of the paper
    #: ({"W": "W_QK*Sigma"})
    letters: Mapping[str, str] = field(default_factory=dict)
    paper_letters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("kind", self.kind, KINDS),
            ("fidelity", self.fidelity, FIDELITIES),
            ("model", self.model, MODELS),
            ("relation", self.relation, RELATIONS),
            ("covariance", self.covariance, ("any", "identity")),
            *(("narrower", name, ("for", "as")) for name in self.narrower),
        ):
            if value not in allowed:
                raise CatalogueError(f"{self.id}: {name} = {value!r}; expected one of {', '.join(allowed)}")
        if not 0 < self.share <= PLUGIN_SLOTS:
            raise CatalogueError(f"{self.id}: share = {self.share}; expected a number > 0, {PLUGIN_SLOTS} at most")
        missing = [name for name in self.parameters if name not in self.ranges] if self.model == "free" else []
        if missing:
            raise CatalogueError(
                f"{self.id}: ranges lack {missing[0]}; give the values to draw, e.g. {missing[0]}: 1/4 1/2"
            )
        if not self.printed:
            raise CatalogueError(f'{self.id}: printed is empty; give at least one quantity, e.g. value = "(i - 1)*tr1"')

    @property
    def section(self) -> str:
        """The place part of the id: ``bao2024.appA.eq15`` -> ``appA``."""
        parts = self.id.split(".")
        return parts[1] if len(parts) > 1 else ""

    @property
    def asymptotic(self) -> bool:
        """Whether the print is a statement about T -> infinity."""
        return bool(self.regime) or bool(self.remainder)

    @property
    def alpha(self) -> float:
        """The claim's fixed part of the run's false-alarm budget, whatever else runs."""
        if self.plugin:
            return ALPHA * PLUGIN_SHARES / SHARES * self.share / PLUGIN_SLOTS
        return ALPHA * self.share / SHARES

    def corrected(self, printed: Mapping[str, str], conditions: tuple[str, ...] = ()) -> Statement:
        """The claim ``<id>.corrected``, whose print is what the derivation gave, under further conditions."""
        return replace(
            self,
            conditions=(*self.conditions, *(c for c in conditions if c not in self.conditions)),
            id=self.id + CORRECTED,
            printed=dict(printed),
            statement="",
            fidelity="own",
            judged="",
            reading=f"The correction of {self.id}: {self.reading}",
            depends_on=(),
            lines=(),
            beyond=(),
            proof=(),
            corrects=self.id,
        )


#: The keys of [claim.says], and the fields that they fill.
_SAYS = {"for": "hypotheses", "where": "where", "law": "law", "as": "limit", "quantities": "quantities"}


def _said(claim_id: str, table: Any) -> Said:
    """The table [claim.says]; CatalogueError names the key that cannot be used."""
    if not isinstance(table, Mapping):
        raise CatalogueError(f"{claim_id}: says = {table!r}; expected a table [claim.says]")
    for key, value in table.items():
        if key not in _SAYS:
            raise CatalogueError(f"{claim_id}: says.{key} is unknown; expected {', '.join(_SAYS)}")
        texts = value.values() if key == "quantities" and isinstance(value, Mapping) else (value,)
        if not all(isinstance(text, str) for text in texts):
            raise CatalogueError(f"{claim_id}: says.{key} = {value!r}; expected text")
    if not isinstance(table.get("quantities"), Mapping) or not table["quantities"]:
        raise CatalogueError(
            f'{claim_id}: says has no quantities; add [claim.says.quantities], e.g. value = "E[x[i].T*W*x[j]]"'
        )
    fields = {_SAYS[key]: value for key, value in table.items() if key != "quantities"}
    return Said(dict(table["quantities"]), **fields)


def _line(entry: Mapping[str, Any]) -> ProofLine:
    """An entry of [[claim.lines]] or [[claim.beyond]]; its hypotheses stand under "for", as a claim's do."""
    known = dict(entry)
    return ProofLine(hypotheses=known.pop("for", ""), **known)


def _claim(entry: Mapping[str, Any], paper: Paper) -> Statement:
    known = dict(entry)
    for name in ("symbols", "positions", "parameters", "assumptions", "depends_on", "proof"):
        known[name] = tuple(known.get(name, ()))
    try:
        for name in ("lines", "beyond"):
            known[name] = tuple(_line(line) for line in known.get(name, ()))
        known["ranges"] = {name: tuple(values) for name, values in known.get("ranges", {}).items()}
        for name in ("strata", "further"):
            known[name] = tuple({n: tuple(v) for n, v in part.items()} for part in known.get(name, ()))
        if "says" in known:
            known["says"] = _said(str(entry.get("id", "?")), known["says"])
        return Statement(paper=paper, **known)
    except TypeError as error:
        raise CatalogueError(f"{entry.get('id', '?')}: {error}; compare it with the fields of Statement") from None


def check_id(id: str, least: int = 2) -> None:
    """Raise CatalogueError for an id that is not of at least so many dots between parts of letters, digits, _ and -."""
    if id.count(".") < least or not all(
        part and part.replace("_", "").replace("-", "").isalnum() for part in id.split(".")
    ):
        raise CatalogueError(f"{id!r} is no id; write paper.section.name, e.g. mypaper.sec2.thing")
    if id.endswith(CORRECTED):
        raise CatalogueError(f"{id!r}: ids that end in .corrected are those of corrections; choose another name")


def read_entries(package: str) -> tuple[Paper, list[dict[str, Any]]]:
    """Source and claims of a package's ``statements.toml``, as they stand; CatalogueError where it cannot be used."""
    try:
        with resources.as_file(resources.files(package).joinpath("statements.toml")) as path:
            data = toml_of(regular_bytes(path).decode())
        source = Paper(**data["paper"])
        letters = dict(data.get("letters", {}))
        entries = [{**entry, "letters": _letters(entry, letters)} for entry in data["claim"]]
    except (OSError, KeyError, TypeError, ModuleNotFoundError, ValueError) as error:
        what = f"it is {error.strerror}" if isinstance(error, NotRegular) else f"{type(error).__name__}: {error}"
        what = " ".join(what.split())
        raise CatalogueError(
            f"{package}/statements.toml cannot be used ({what}); it needs [paper] and [[claim]]"
        ) from None
    return source, entries


def _letters(entry: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, str]:
    """How names of a claim are written: as in all of the file, as in the section of its id, and as it says itself."""
    section = ".".join(str(entry.get("id")).split(".")[1:2])
    every = {name: letter for name, letter in table.items() if not isinstance(letter, Mapping)}
    return {**every, **table.get(section, {}), **entry.get("letters", {})}


def read_entry(entry: Mapping[str, Any], source: Paper, plugin: str = "") -> Statement:
    """One claim of ``statements.toml``; CatalogueError names the claim, the field and the mend."""
    check_id(str(entry.get("id", "?")), least=1)
    if derived := [name for name in DERIVED if name in entry]:
        raise CatalogueError(f"{entry['id']}: {derived[0]} is no field of a statements.toml; drop it")
    return replace(_claim(entry, source), plugin=plugin)


def read_claims(package: str) -> tuple[Statement, ...]:
    """The claims of a package's ``statements.toml``, in its order; CatalogueError where it cannot be used."""
    source, entries = read_entries(package)
    return tuple(read_entry(entry, source) for entry in entries)


@cache
def paper_claims(paper: str) -> tuple[Statement, ...]:
    """The claims of one shipped paper, in the paper's order."""
    return read_claims(f"theorems.{paper}")


def check_unique(claims: Iterable[Statement]) -> tuple[Statement, ...]:
    """The claims as they came; raises CatalogueError where two carry one id or the budget is overspent."""
    seen: dict[str, Statement] = {}
    shares = slots = 0.0
    for claim in claims:
        if claim.id in seen:
            raise CatalogueError(f"{claim.id}: the id stands twice in the catalogue; give one of the two another id")
        seen[claim.id] = claim
        if claim.plugin:
            slots += 2 * claim.share
        else:
            shares += 2 * claim.share
    if slots > PLUGIN_SLOTS:
        raise CatalogueError(f"claims of other packages need {slots:g} of {PLUGIN_SLOTS} slots; uninstall a package")
    if shares > SHARES - PLUGIN_SHARES:
        raise CatalogueError(f"the catalogue spends {shares} shares of {SHARES - PLUGIN_SHARES}; lower a claim's share")
    return tuple(seen.values())


@cache
def shipped() -> tuple[Statement, ...]:
    """The claims of the papers that the suite ships with."""
    return check_unique(claim for paper in PAPERS for claim in paper_claims(paper))


def is_data(claim: Statement) -> bool:
    """Whether both sides of a claim are interpreters of what it says in the language, as of all lemmas of one's own."""
    return claim.says is not None and bool(claim.plugin or (claim.interpreted and claim.relation in ("=", "<=", "<")))


def with_sides() -> tuple[Statement, ...]:
    """The shipped claims with a derivation and an empirical check of their own; the others are interpreted."""
    return tuple(claim for claim in shipped() if not claim.interpreted)


_added: dict[str, Statement] = {}


def add(claim: Statement) -> Statement:
    """Put a claim into the catalogue of this process; raises CatalogueError where its id is taken by another one."""
    if claim.id in {one.id for one in shipped()}:
        raise CatalogueError(f"{claim.id}: a claim of that id ships with Twofold; give yours another id")
    taken = _added.get(claim.id)
    # a notebook's cell may be run again
    if taken is not None and taken != claim and claim.plugin != "__main__":
        raise CatalogueError(f"{claim.id}: a claim of that id is there already; give one of the two another id")
    _added[claim.id] = claim
    return claim


def discard(claim_id: str) -> None:
    """Take a claim of this process out of the catalogue again."""
    _added.pop(claim_id, None)


def added() -> tuple[Statement, ...]:
    """The claims that other packages and this process put in."""
    return tuple(_added.values())


def catalogue() -> tuple[Statement, ...]:
    """Every claim: the shipped papers', then those put in by other packages and by this process, in order."""
    return check_unique((*shipped(), *added()))


def by_id() -> dict[str, Statement]:
    """The catalogue as a table."""
    return {claim.id: claim for claim in catalogue()}


def base_id(name: str) -> str:
    """The claim a correction belongs to; other ids as they are."""
    return name.removesuffix(CORRECTED)


def select(patterns: Iterable[str]) -> Iterator[Statement]:
    """Claims matching any of the patterns, in catalogue order; none given selects all.

    A pattern is an id, an fnmatch glob over the whole id (``*`` crosses dots) or a bare prefix, which selects all
    below it. ``<id>.corrected`` selects the claim it corrects. Raises KeyError with the first pattern that matches
    nothing.
    """
    wanted = [base_id(pattern) for pattern in patterns]
    claims = catalogue()
    chosen: set[str] = set()
    for pattern in wanted:
        matches = {
            c.id
            for c in claims
            if c.id == pattern or c.id.startswith(pattern.rstrip(".") + ".") or fnmatch.fnmatchcase(c.id, pattern)
        }
        if not matches:
            raise KeyError(pattern)
        chosen |= matches
    return (claim for claim in claims if not wanted or claim.id in chosen)


def rests_on(claim: Statement, table: Mapping[str, Statement]) -> tuple[str, ...]:
    """Every claim that this one depends on, directly or through others, nearest first."""
    found: list[str] = []
    queue = list(claim.depends_on)
    while queue:
        name = queue.pop(0)
        if name in found or name not in table:
            continue
        found.append(name)
        queue.extend(table[name].depends_on)
    return tuple(found)
