"""Which hypotheses a true statement needs: each is dropped or weakened, and the version judged.

A version that stays true is told as a remark, "holds without W symmetric". One that is false is a wrong version of the
statement: a case that violates that hypothesis alone shows it, exactly and, beyond quick effort, in samples. What can
be told neither way is told as such.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import Case, drawn, readable_case, satisfied, simple, size
from proofs_check.statements.exactly import Exactly
from proofs_check.statements.found import Found
from proofs_check.statements.timing import TimeLimitError, time_limit
from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import said
from theorems.statement.deciding.decide import Derivation, decide, derivation_of
from theorems.statement.expression import HALF_LINE, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.weakening import Weaker, implied, other_ends, weaker

#: Seconds of processor time after which a statement's versions are given up, cases looked at for each, those drawn.
SECONDS = {"quick": 60.0, "standard": 300.0, "thorough": 3600.0}
LOOKED_AT = {"quick": 150, "standard": 600, "thorough": 2000}
DRAWN = {"quick": 24, "standard": 96, "thorough": 192}
#: The part of a whole search, and of a proof, that one version without tokens gets.
PART = 0.4


@dataclass(frozen=True)
class Need:
    """What became of a version: ``fate`` is holds, false (shown at ``case``), unseen (false, no case), or unknown."""

    version: str
    fate: str
    words: str
    case: Case | None = None
    gap: float = 0.0

    @property
    def remark(self) -> str:
        """The need in one line."""
        return {
            "holds": f"holds {self.version}{self.words}",
            "false": f"false {self.version}: {self.words}",
            "unseen": f"not shown {self.version}, and no case that violates it was found{self.words}",
        }.get(self.fate, f"whether it holds {self.version} is not known: {self.words}")


def tell_needs(prop: Proposition, claim_id: str, found: Found, effort: str, seed: int, alpha: float) -> None:
    """Add to a statement that is true what it needs of its hypotheses; versions that are false count as wrong ones."""
    if found.status != "proved" or found.conflicts:
        return
    told: list[Need] = []
    wanted = [version.words for version in weaker(prop)]
    try:
        with time_limit(SECONDS[effort]):
            for need in needs(prop, effort, seed):
                told.append(need)
                found.remarks.append(need.remark)
                if need.fate != "false":
                    continue
                found.mutants += 1
                found.caught += 1
                if effort != "quick":
                    _sampled(prop, need, claim_id, found, effort, seed, alpha)
    except TimeLimitError:
        done = {need.version for need in told}
        if late := [words for words in wanted if words not in done]:
            found.remarks.append(f"whether it holds {late[0]} was not told within {SECONDS[effort]:g} s")
            found.remarks += [f"whether it holds {words} was not looked at" for words in late[1:]]


def claim_needs(claim: Statement, effort: str, seed: int) -> list[str]:
    """What a claim that is proved needs of the hypotheses which it says as data: remarks for its report."""
    found = []
    try:
        with time_limit(SECONDS[effort]):
            for name in claim.printed if claim.says is not None and not claim.corrects else ():
                try:
                    prop = said(claim, name)
                    if prop.random and decide(prop, derivation_of(prop)).status != "proved":
                        found.append(f"{name}: what it needs of its hypotheses is not told; its derivation is its own")
                        continue
                    found += [f"{name}: {need.remark}" for need in needs(prop, effort, seed)]
                except StatementError as error:
                    found.append(f"{name}: what it needs of its hypotheses is not told: {' '.join(str(error).split())}")
    except TimeLimitError:
        found.append(f"what it needs of its hypotheses was not told within {SECONDS[effort]:g} s")
    return found


def needs(prop: Proposition, effort: str = "quick", seed: int = 0) -> Iterator[Need]:
    """What becomes of a true statement under each weaker set of hypotheses, and at other ends of a parameter."""
    for version in weaker(prop):
        yield _need(prop, version, effort, seed)
    for other in other_ends(prop):
        yield _other_end(other)


def _need(prop: Proposition, version: Weaker, effort: str, seed: int) -> Need:
    words, weak = version.words, version.prop
    if weak is None:
        return Need(words, "unknown", f"it cannot be read then: {version.reason}")
    if implied(prop, weak) and weak.limit == prop.limit:
        return Need(words, "holds", ": the others imply it")
    try:
        if not weak.random:
            return _without_tokens(weak, words, effort, seed)
        if weak.limit.variable:
            return _of_limit(prop, weak, words, effort, seed)
        return _of_moments(prop, weak, words, effort, seed)
    except StatementError as error:
        return Need(words, "unknown", " ".join(str(error).split()))


def _violating(prop: Proposition, weak: Proposition, effort: str, seed: int) -> Iterator[Case]:
    """Cases of the version, small ones first, that violate the hypothesis which it lacks."""
    pool = itertools.chain(simple(weak), sorted(drawn(weak, seed * 64 + 1, DRAWN[effort]), key=size))
    for case in itertools.islice(pool, 8 * LOOKED_AT[effort]):
        if not satisfied(prop, case):
            yield case


def _of_moments(prop: Proposition, weak: Proposition, words: str, effort: str, seed: int) -> Need:
    derivation = Derivation(weak)
    exactly = Exactly(weak, derivation)
    # a case that violates it is found sooner than a proof is given up
    decision = decide(weak, derivation, bounding=False, proving=False)
    if decision.status != "proved":
        for case in itertools.islice(_violating(prop, weak, effort, seed), LOOKED_AT[effort]):
            if exactly.violates(case):
                left, right = (exactly.at(side, case) for side in (weak.left, weak.right))
                assert left is not None and right is not None
                return Need(
                    words, "false", f"{_shown(case)}: printed {right}, true {left}", case, abs(float(left - right))
                )
        decision = decide(weak, derivation)
    if decision.status == "proved":
        return Need(words, "holds", _where_defined(weak))
    return Need(words, "unknown", decision.reason) if decision.status == "undecided" else Need(words, "unseen", "")


def _of_limit(prop: Proposition, weak: Proposition, words: str, effort: str, seed: int) -> Need:
    from proofs_check.statements.growing import LimitChecker

    checker = LimitChecker(weak, "check.weaker", effort=effort, seed=seed)
    decision = decide(weak, checker.derivation)
    if decision.status == "proved":
        return Need(words, "holds", _where_defined(weak))
    if decision.status == "undecided":
        return Need(words, "unknown", decision.reason)
    for configuration in itertools.islice(checker.configurations(), LOOKED_AT[effort]):
        case = checker.typical(configuration) if checker.growing else checker.last(configuration)
        if weak.limit == prop.limit and satisfied(prop, case):
            continue
        values = checker.differing(decision.failing, configuration)
        if values is not None:
            shown = _shown({name: value for name, value in case.items() if name != "T"})
            return Need(words, "false", f"{shown}: printed limit {values[1]}, true limit {values[0]}")
    return Need(words, "unseen", "")


def _where_defined(prop: Proposition) -> str:
    """What is to be said of a version with quotients: that it is one of the points at which they exist."""
    divided = any(node.op == "/" and node.args[1].names() for side in (prop.left, prop.right) for node in side.walk())
    return ", wherever both sides have a value" if divided else ""


def _other_end(other: Proposition) -> Need:
    words = f"as {other.limit.text}"
    try:
        decision = decide(other, Derivation(other))
    except StatementError as error:
        return Need(words, "unknown", " ".join(str(error).split()))
    if decision.status == "proved":
        return Need(words, "holds", "")
    if decision.status == "undecided":
        return Need(words, "unknown", decision.reason)
    part = decision.failing[0]
    return Need(words, "unseen" if part.left == part.right else "false", f"the left side tends to {part.left} there")


def _without_tokens(weak: Proposition, words: str, effort: str, seed: int) -> Need:
    from proofs_check.statements.deterministic import violated_or_proved
    from theorems.statement.proofs.matrices import about_matrices

    if weak.asymptotic:
        return Need(words, "unknown", "a limit without tokens")
    on_a_half_line = any(side.has(*HALF_LINE) for side in (weak.left, weak.right))
    if about_matrices(weak) or weak.known.families or weak.known.truths or weak.known.choices or on_a_half_line:
        return Need(words, "unknown", "no search goes through such cases")
    case, proof, vain = violated_or_proved(weak, effort, seed, PART)
    if case is not None:
        return Need(words, "false", f"at {case}")
    return Need(words, "holds", "") if proof else Need(words, "unknown", vain)


def _sampled(prop: Proposition, need: Need, claim_id: str, found: Found, effort: str, seed: int, alpha: float) -> None:
    """Sample a version at the case that violates it: the samples have to contradict it, as the derivation does."""
    from proofs_check.statements.measuring import TooDearError, measure
    from proofs_check.statements.sampled import PARTS

    weak = next((v.prop for v in weaker(prop) if v.words == need.version), None)
    if need.case is None or weak is None:
        return
    try:
        seen = measure(
            weak,
            need.case,
            found.streams,
            claim_id=f"{claim_id}:{need.version}",
            seed=seed,
            delta=alpha / PARTS,
            effort=effort,
            wanted=need.gap,
        )
    except TooDearError as error:
        found.remarks.append(f"{need.version}: not sampled at that case, {error}")
        return
    found.spent += alpha / PARTS
    exactly = Exactly(weak, Derivation(weak))
    left, right = (exactly.at(side, need.case) for side in (weak.left, weak.right))
    if left is not None and right is not None and not seen.holds(float(sp.re(left - right))):
        found.conflicts.append(
            f"{need.version}, {_shown(need.case)}: derived left - right = {left - right}, simulated {list(seen.gap)}"
        )
    elif not seen.contradicts(weak.relation):
        found.remarks.append(f"{need.version}: the samples at that case do not tell it from the statement")


def _shown(case: Any) -> str:
    entries: Iterable[tuple[str, Any]] = readable_case(case).items()
    return "at " + ", ".join(f"{name} = {value}" for name, value in entries).replace("'", "")
