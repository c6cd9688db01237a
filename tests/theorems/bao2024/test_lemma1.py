"""Lemma 1 and its proof: every quantity by coordinates, and every printed line by exact sums at growing T."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy as sp

from tests.theorems.bruteforce import Family, Rows, line, number, rows, same_token, walk, words
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import ProofLine, by_id
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.enumeration import enumerated
from theorems.kernel.settle import CheckedLine, check_lines, settle

SYMMETRIC = rows((1, 2), (2, "-1/2"))
OTHER = rows((1, 2), (-1, "1/2"))
SIGMA = rows((2, 1), (1, 1))
M = [Fraction(1), Fraction(-2)]
LAM = Fraction(3, 2)

CLAIMS = {name.split(".", 1)[1]: claim for name, claim in by_id().items() if name.startswith("bao2024.")}
LEMMA = [n for n in CLAIMS if n.startswith(("appC.eq22", "appC.lemma1", "sec4.lemma1", "sec2.remark2"))]


@dataclass
class Literal:
    """The quantities of Lemma 1 and of its proof, summed over tokens as they are defined."""

    family: Family
    W: Rows
    i: int
    T: int
    j: int = 0

    def pair(self, a: int, b: int) -> Fraction:
        return self.family.forms((a, self.W, self.T), (b, self.W, self.T))

    def weights(self, own: bool = False) -> list[Fraction]:
        """gamma^i, or e^i/T."""
        flat = Fraction(0) if own else Fraction(1, self.T**2)
        return [Fraction(int(a == self.i), self.T) - flat for a in range(1, self.T + 1)]

    def first(self, weights: list[Fraction]) -> Fraction:
        return sum((g * self.family.forms((a, self.W, self.T)) for a, g in enumerate(weights, 1)), Fraction(0))

    def second(self, weights: list[Fraction]) -> Fraction:
        return sum(
            (g * h * self.pair(a, b) for a, g in enumerate(weights, 1) for b, h in enumerate(weights, 1)), Fraction(0)
        )

    def variance(self, weights: list[Fraction]) -> Fraction:
        return (self.second(weights) - self.first(weights) ** 2) / LAM**2

    def quantities(self) -> dict[str, Fraction]:
        tokens, i, T = range(1, self.T + 1), self.i, self.T
        full, own = self.weights(), self.weights(own=True)
        return {
            "mean": self.first(full) / LAM + Fraction(1, T),
            "variance": self.variance(full),
            "selector_mean": self.first(own) / LAM,
            "selector_variance": self.variance(own),
            "A": self.pair(i, i),
            "B1": 2 * self.pair(i, i),
            "B2": 2 * sum((self.pair(i, j) for j in tokens if j > i), Fraction(0)),
            "B3": 2 * sum((self.pair(i, j) for j in tokens if j < i), Fraction(0)),
            "C1": sum((self.pair(j, j) for j in tokens), Fraction(0)),
            "C2": 2 * sum((self.pair(j, k) for j in tokens for k in tokens if j < k), Fraction(0)),
            "second_moment": self.second(full),
            "EiT": self.family.forms((i, self.W, T)),
            "sumEjT": sum((self.family.forms((j, self.W, T)) for j in tokens), Fraction(0)),
        } | ({"pair": self.pair(i, self.j)} if self.j else {})


FAMILIES: dict[str, Callable[[], Family]] = {
    **{start: (lambda start=start: walk(start, SIGMA, M)) for start in ("sigma", "zero", "mean")},  # type: ignore[misc]
    "line": lambda: Family(line, SIGMA),
    "iid": lambda: Family(same_token, SIGMA),
}


@pytest.mark.parametrize(
    ("kernel", "symmetric"), [("sigma", True), ("sigma", False), ("zero", False), ("mean", False), ("line", True)]
)
@pytest.mark.parametrize("name", LEMMA)
def test_every_quantity_by_coordinates(name: str, kernel: str, symmetric: bool) -> None:
    claim, W = CLAIMS[name], SYMMETRIC if symmetric else OTHER
    derived = derive(claim.id, claim.positions, kernel, symmetric=symmetric)
    table = words(W, SIGMA, M)
    family = FAMILIES[kernel]()
    for i, j, T in ((1, 1, 1), (1, 1, 2), (2, 2, 2), (1, 2, 3), (2, 3, 3), (3, 3, 4)):
        wanted = Literal(family, W, i, T, j).quantities()
        if name == "sec2.remark2-selector":
            wanted["mean"] -= Fraction(1, T)
        for quantity in derived.quantities:
            found = quantity or next(iter(claim.printed))
            if found in wanted:
                value = number(derived.ratio(quantity).expr, {**table, "i": i, "j": j, "T": T, "lam": LAM})
                assert value == wanted[found], (found, i, j, T)
    assert any(found in wanted for found in (*derived.quantities, *claim.printed))


@pytest.mark.parametrize("name", ["sec4.lemma1-mean", "sec4.lemma1-variance", "sec2.remark2-selector", "appC.lemma1-A"])
def test_independent_tokens_by_coordinates(name: str) -> None:
    """A discontinuous kernel, at i < T."""
    claim = CLAIMS[name]
    derived = derive(claim.id, claim.positions, "iid")
    table = words(SYMMETRIC, SIGMA)
    for i, T in ((1, 2), (1, 3), (2, 3), (2, 4)):
        wanted = Literal(FAMILIES["iid"](), SYMMETRIC, i, T).quantities()
        if name == "sec2.remark2-selector":
            wanted["mean"] -= Fraction(1, T)
        for quantity in claim.printed:
            value = derived.ratio(quantity if quantity in derived.quantities else "")
            assert number(value.expr, {**table, "i": i, "T": T, "lam": LAM}) == wanted[quantity], (quantity, i, T)


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize("name", LEMMA)
def test_exhaustive_enumeration(name: str, start: str) -> None:
    claim = CLAIMS[name]
    derived = derive(claim.id, claim.positions, start)
    (evidence,) = enumerated(derived, claim.positions, start)
    places = {("T",): 5, ("i", "T"): 13, ("i", "j", "T"): 25}[claim.positions]
    assert f"agrees at {places * len(derived.quantities)} instances" in evidence


def test_hand_values_of_the_score() -> None:
    """T = 1: gamma = 0 and the score is 1. T = 2, i = 2, d = 1: score = (x_2^2 - x_1 x_2)/4 + 1/2, from x_1, e."""
    mean, spread = derive("bao2024.sec4.lemma1-mean", ("i", "T")), derive("bao2024.sec4.lemma1-variance", ("i", "T"))
    unit = {"tr1": 1, "tr2": 1, "lam": 1}
    assert number(mean.ratio("mean").expr, {**unit, "i": 1, "T": 1}) == 1
    assert number(spread.ratio("").expr, {**unit, "i": 1, "T": 1}) == 0
    # x_2 (x_2 - x_1) = x_1 e + e^2: mean 1, variance E[x_1^2 e^2] + 2 = 3
    assert number(mean.ratio("mean").expr, {**unit, "i": 2, "T": 2}) == Fraction(3, 4)
    assert number(spread.ratio("").expr, {**unit, "i": 2, "T": 2}) == Fraction(3, 16)


def scaled_pair(i: int, j: int, T: int) -> tuple[int, int]:
    """Coefficients of tr1^2 and tr2 in E[x_i^T W x_T x_j^T W x_T] for the walk, i <= j <= T, pairing by pairing."""
    return min(i, T) * min(j, T), min(i, j) * T + min(i, T) * min(j, T)


def test_the_pair_s_coefficients_by_coordinates() -> None:
    table = words(SYMMETRIC, SIGMA)
    for i, j, T in ((1, 1, 1), (1, 2, 2), (2, 3, 4), (3, 3, 5)):
        one, two = scaled_pair(i, j, T)
        literal = Literal(walk("sigma", SIGMA), SYMMETRIC, i, T)
        assert one * table["tr1"] ** 2 + two * table["tr2"] == literal.pair(i, j)


@dataclass
class Sums:
    """The proof's quantities at one (i, T), tr1 and tr2 as given, by sums over tokens of the pair's coefficients."""

    i: int
    T: int
    tr1: Fraction
    tr2: Fraction
    j: int = 0

    def pair(self, a: int, b: int) -> Fraction:
        one, two = scaled_pair(min(a, b), max(a, b), self.T)
        return one * self.tr1**2 + two * self.tr2

    def values(self) -> dict[str, Fraction]:
        return dict(_values(self.i, self.T, self.tr1, self.tr2, self.j))

    def summed(self) -> dict[str, Fraction]:
        i, T = self.i, self.T
        tokens = range(1, T + 1)
        below = sum((self.pair(i, j) for j in tokens if j < i), Fraction(0))
        above = sum((self.pair(i, j) for j in tokens if j > i), Fraction(0))
        own = sum((self.pair(j, j) for j in tokens), Fraction(0))
        # sum_{j<k} of j k tr1^2 + (j T + j k) tr2, the inner sum over j in closed form
        pairs = sum((Fraction(k * (k - 1), 2) * (k * self.tr1**2 + (T + k) * self.tr2) for k in tokens), Fraction(0))
        found = {
            "A": self.pair(i, i),
            "B1": 2 * self.pair(i, i),
            "B2": 2 * above,
            "B3": 2 * below,
            "C1": own,
            "C2": 2 * pairs,
        }
        found["second_moment"] = self.assembled(found)
        mean = (Fraction(i, T) - Fraction(T * (T + 1), 2 * T * T)) * self.tr1
        found["mean"] = mean + Fraction(1, T)
        found["variance"] = found["second_moment"] - mean**2
        found |= {"EiT": i * self.tr1, "sumEjT": Fraction(T * (T + 1), 2) * self.tr1}
        if self.j:
            found["pair"] = self.pair(i, self.j)
            found["EiWSWj"] = i * self.tr2
            found["Eijjj"] = i * self.j * (2 * self.tr2 + self.tr1**2)
        return found

    def assembled(self, parts: dict[str, Fraction]) -> Fraction:
        T = self.T
        return parts["A"] / T**2 - (parts["B1"] + parts["B2"] + parts["B3"]) / T**3 + (parts["C1"] + parts["C2"]) / T**4


def test_the_sums_are_the_literal_quantities() -> None:
    """The fast sums above are the definitions, at small T and with lambda = 1."""
    table = words(SYMMETRIC, SIGMA)
    for i, T in ((1, 1), (1, 3), (2, 3), (3, 4)):
        fast = Sums(i, T, table["tr1"], table["tr2"]).values()
        slow = Literal(walk("sigma", SIGMA), SYMMETRIC, i, T).quantities()
        slow["variance"] *= LAM**2
        slow["mean"] = (slow["mean"] - Fraction(1, T)) * LAM + Fraction(1, T)
        for name in fast:
            assert fast[name] == slow[name], name


@cache
def _values(i: int, T: int, tr1: Fraction, tr2: Fraction, j: int) -> dict[str, Fraction]:
    """The sums do not know of the line that is asked about."""
    return Sums(i, T, tr1, tr2, j).summed()


TRACES = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), (Fraction(2), Fraction(3))]
THETAS = [Fraction(1, 4), Fraction(1, 2), Fraction(1)]


def proof_lines(name: str) -> list[tuple[str, ProofLine]]:
    claim = CLAIMS[name]
    sources = [*(by_id()[p] for p in claim.proof), claim]
    return [(source.id.split(".", 1)[1], proof_line) for source in sources for proof_line in source.lines]


@cache
def checked_lines(name: str) -> list[CheckedLine]:
    """The kernel's finding for every line of a claim's proof, in the paper's order."""
    claim = CLAIMS[name]
    quantities: dict[str, Any] = {}
    for source in (*(by_id()[p] for p in claim.proof), claim):
        for quantity, value in derive(source.id, source.positions).quantities.items():
            quantities[quantity or next(iter(source.printed))] = value
    return check_lines(
        claim, [proof_line for _, proof_line in proof_lines(name)], Derived(quantities, ()), claim.regime
    )


def printed_at(proof_line: ProofLine, sums: Sums) -> Fraction:
    """A printed right-hand side at numbers; names of other quantities take their true values."""
    true = sums.values()
    table: dict[str, Any] = {"i": sums.i, "T": sums.T, "j": sums.j, "theta": Fraction(sums.i, sums.T), "lam": 1}
    return number(parse(proof_line.printed), {**table, **true, "tr1": sums.tr1, "tr2": sums.tr2})


def holds_numerically(proof_line: ProofLine) -> bool:
    """By exact numbers: equality at many points, or a gap that shrinks like 1/T against the line's scale."""
    if not proof_line.remainder:
        points = [
            Sums(i, T, *t, j=j) for t in TRACES for i, j, T in ((1, 1, 1), (1, 2, 5), (2, 4, 6), (5, 5, 9), (3, 7, 8))
        ]
        return all(printed_at(proof_line, s) == s.values()[proof_line.quantity] for s in points)
    for traces in TRACES:
        for theta in THETAS:
            gaps = []
            for T in (200, 400):
                sums = Sums(int(theta * T), T, *traces)
                scale = number(parse(proof_line.remainder), {"T": T})
                gaps.append(abs(printed_at(proof_line, sums) - sums.values()[proof_line.quantity]) / scale)
            # o(scale): about halved when T doubles; a false line keeps a gap of order 1
            if gaps[1] > Fraction(6, 10) * gaps[0] or gaps[1] > Fraction(1, 10):
                return False
    return True


@pytest.mark.parametrize("name", ["sec4.lemma1-mean", "sec4.lemma1-variance"])
def test_lines_of_the_proof_against_numbers(name: str) -> None:
    """The kernel calls a line false exactly where numbers contradict it; both kinds occur in the variance's proof."""
    found = checked_lines(name)
    numeric = [holds_numerically(proof_line) for _, proof_line in proof_lines(name)]
    assert [line.holds for line in found] == numeric
    assert len(found) == (3 if name.endswith("mean") else 20)
    if name.endswith("variance"):
        assert 0 < sum(numeric) < len(numeric)
    else:
        assert all(numeric)
        assert not any(line.reaches for line in found)


def conclusion_moves(quantity: str, proof_line: ProofLine) -> bool:
    """Whether E[<gamma, X^T W x_T>^2] keeps a gap at growing T when this line's value stands for the true one."""
    for traces in TRACES:
        for theta in THETAS:
            gaps = []
            for T in (48, 96):
                sums = Sums(int(theta * T), T, *traces)
                true = sums.values()
                if quantity == "pair":
                    wrong = dict(true) | _from_pair(proof_line, sums)
                    got = sums.assembled(wrong)
                elif quantity == "variance":
                    got = true["second_moment"] + printed_at(proof_line, sums) - true["variance"]
                elif quantity == "second_moment":
                    got = printed_at(proof_line, sums)
                else:
                    got = sums.assembled(dict(true) | {quantity: printed_at(proof_line, sums)})
                gaps.append(abs(got - true["second_moment"]))
            if gaps[1] > Fraction(8, 10) * gaps[0] and gaps[1] > Fraction(1, 100):
                return True
    return False


def _from_pair(proof_line: ProofLine, sums: Sums) -> dict[str, Fraction]:
    """(A) .. (C2) from the printed pair, summed token by token."""
    expression, T, i = parse(proof_line.printed), sums.T, sums.i
    evaluate = sp.lambdify([sp.Symbol(n) for n in ("i", "j", "T", "tr1", "tr2", "EiWSWj", "Eijjj")], expression)

    def value(a: int, b: int) -> Fraction:
        low, high = min(a, b), max(a, b)
        inner = low * sums.tr2
        fourth = low * high * (2 * sums.tr2 + sums.tr1**2)
        return Fraction(evaluate(low, high, T, sums.tr1, sums.tr2, inner, fourth))

    tokens = range(1, T + 1)
    return {
        "A": value(i, i),
        "B1": 2 * value(i, i),
        "B2": 2 * sum((value(i, j) for j in tokens if j > i), Fraction(0)),
        "B3": 2 * sum((value(i, j) for j in tokens if j < i), Fraction(0)),
        "C1": sum((value(j, j) for j in tokens), Fraction(0)),
        "C2": 2 * sum((value(j, k) for k in tokens for j in range(1, k)), Fraction(0)),
    }


def test_which_false_lines_reach_the_conclusion() -> None:
    """A false line reaches the end exactly where putting it in moves the second moment's limit, by numbers."""
    found = checked_lines("sec4.lemma1-variance")
    moved = [conclusion_moves(line.line.quantity, line.line) for line in found if not line.holds]
    assert [line.reaches for line in found if not line.holds] == moved
    assert not any(line.reaches for line in found if line.holds)
    false = [line.line.label for line in found if not line.holds]
    reaching = [line.line.label for line in found if line.reaches]
    # the recursion's first false step, and the first one whose error is of leading order
    assert false[0] == "(22), line 4"
    assert reaching[0] == "(B2), line 2"
    assert reaching[-1] == "variance, last line"
    assert set(reaching) < set(false)


def test_a_planted_error_in_a_line_is_found() -> None:
    """Change the constant of a true line: it is false, and its error reaches the end."""
    claim = CLAIMS["sec4.lemma1-variance"]
    quantities: dict[str, Any] = {}
    for source in (*(by_id()[p] for p in claim.proof), claim):
        for quantity, value in derive(source.id, source.positions).quantities.items():
            quantities[quantity or next(iter(source.printed))] = value
    planted = [
        ProofLine("true", "", "B3", "(T*i**2 + i**3)*tr2 + i**3*tr1**2", "T**3"),
        ProofLine("wrong", "", "B3", "(2*T*i**2 + i**3)*tr2 + i**3*tr1**2", "T**3"),
        ProofLine("wrong below the order", "", "B3", "(T*i**2 + i**3)*tr2 + i**3*tr1**2 + T**2*tr2", ""),
        ProofLine("wrong", "", "C2", "(8/12)*T**4*tr2 + T**4/4*tr1**2", "T**4"),
    ]
    found = check_lines(claim, planted, Derived(quantities, ()), claim.regime)
    assert [line.holds for line in found] == [True, False, False, False]
    assert [line.reaches for line in found] == [False, True, False, True]


@pytest.mark.parametrize("theta", THETAS)
def test_the_limits_of_the_corrected_lemma(theta: Fraction) -> None:
    """The corrected limits against exact sums at T = 2000: within 1/T of them, and the printed variance is not."""
    claim = CLAIMS["sec4.lemma1-variance"]
    outcome = settle(claim, derive(claim.id, claim.positions))
    T = 2000
    at = {"theta": theta, "tr1": 2, "tr2": 3, "lam": 1}
    literal = Sums(int(theta * T), T, Fraction(2), Fraction(3)).values()
    assert abs(number(outcome.corrections["variance"], dict(at)) - literal["variance"]) < Fraction(20, T)
    printed = number(parse(claim.printed["variance"]), dict(at))
    assert abs(printed - literal["variance"]) > Fraction(1, 2)
    mean = settle(CLAIMS["sec4.lemma1-mean"], derive("bao2024.sec4.lemma1-mean", ("i", "T")))
    assert mean.exact is not None
    assert abs(number(mean.exact, dict(at)) - literal["mean"]) < Fraction(2, T)
