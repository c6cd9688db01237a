"""Long products by kinds of forms: the same contraction as pairing by pairing, and as closed formulas beyond it."""

from __future__ import annotations

import random
import time
from collections import Counter
from fractions import Fraction

import pytest

from theorems.algebra.ratio import Ratio
from theorems.gaussian.moments import joined
from theorems.gaussian.moments.joined import TooManyTermsError, contract_counted
from theorems.gaussian.moments.wick import Contraction, contract
from theorems.gaussian.observables import Form, Vector
from theorems.gaussian.words import Letter
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.proposition import proposition


def vector(name: str) -> Vector:
    """A random vector at a place, or a fixed one for a small letter of the alphabet's beginning."""
    return Vector(fixed=name) if name in "ab" else Vector(((Ratio.of(1), ("at", name)),))


def told(vectors: tuple[Vector, ...], found: tuple[Contraction, ...]) -> Counter[object]:
    """Terms with their vectors for their numbers, so that numbering does not matter."""
    names = [vector.parts[0][1][1] for vector in vectors]
    table: Counter[object] = Counter()
    for item in found:
        pairs = tuple(sorted(tuple(sorted((names[one], names[two]))) for one, two in item.pairs))
        table[pairs, tuple(sorted(names[k] for k in item.means)), item.words] += item.count
    return table


def product(generator: random.Random, forms: int) -> list[Form]:
    letters = [Letter("W", False, False), Letter("W", True, False), Letter("B"), Letter("", symmetric=True)]
    ends = ["i", "j", "k", "a", "b"]
    made: list[Form] = []
    while len(made) < forms:
        left, right = generator.choice(ends), generator.choice(ends)
        if not (left in "ab" and right in "ab"):
            made.append(Form(vector(left), (generator.choice(letters),), vector(right)))
    return made


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("centred", [True, False])
def test_terms_are_those_of_pairing_by_pairing(seed: int, centred: bool) -> None:
    generator = random.Random(seed)
    forms = product(generator, generator.choice([1, 2, 3, 4]))
    assert told(*contract_counted(forms, centred)) == told(*contract(forms, centred))


def test_a_wrong_count_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = [Form(vector("i"), (Letter("W", False, False),), vector("j"))] * 3
    monkeypatch.setattr(joined, "factorial", lambda n: 1)
    assert told(*contract_counted(forms, True)) != told(*contract(forms, True))


@pytest.mark.parametrize(
    ("text", "known", "law"),
    [
        ("E[(a.T*x[i])**16] = 2027025*i**8*(a.T*Sigma*a)**8", "a in R^d", "walk"),
        ("E[(x[i].T*W*x[j])**8] = 11025*tr(W*Sigma)**8", "d = 1, i < j", "iid"),
        ("E[(x[i].T*W*x[i])**8] = 2027025*i**8*tr(W*Sigma)**8", "d = 1", "walk"),
        (
            "E[norm(x[i])**16] = d*(d + 2)*(d + 4)*(d + 6)*(d + 8)*(d + 10)*(d + 12)*(d + 14)*i**8",
            "Sigma = I",
            "walk",
        ),
        ("E[norm(x[i + 1] - x[i])**14] = E[norm(x[1])**14]", "", "walk"),
        ("E[norm(x[i])**4*norm(x[j])**4*norm(x[k])**4*norm(x[l])**4] = E[norm(x[1])**4]**4", "i < j < k < l", "iid"),
    ],
)
def test_sixteen_tokens_are_done(text: str, known: str, law: str) -> None:
    began = time.process_time()
    prop = proposition(text, known, "", law)
    assert decide(prop, Derivation(prop)).status == "proved"
    assert time.process_time() - began < 20
    wrong = proposition(text.replace(" = ", " = 1 + "), known, "", law)
    assert decide(wrong, Derivation(wrong)).status == "open"


def test_the_mean_counts_in_long_products() -> None:
    """E (m + g)^14 for the second token of a walk from m, in one dimension: sum of C(14, 2k) m^(14 - 2k) (2k - 1)!!."""
    prop = proposition("E[(a.T*x[2])**14] = 0", "a in R^d, d = 1", "", "walk(start=m)")
    case = {"d": 1, "Sigma": [["1"]], "a": ["1"], "m": ["2"]}
    by_hand, odd = Fraction(0), 1
    from math import comb

    for k in range(8):
        by_hand += comb(14, 2 * k) * 2 ** (14 - 2 * k) * odd
        odd *= 2 * k + 1
    assert Derivation(prop).at(prop.left, case) == by_hand


def test_what_is_too_much_is_refused_with_the_mend() -> None:
    many = "*".join(f"x[{2 * k + 1}].T*W*x[{2 * k + 2}]" for k in range(8))
    began = time.process_time()
    prop = proposition(f"E[{many}] = 0")
    decision = decide(prop, Derivation(prop))
    assert decision.status == "undecided"
    assert "take a lower power, fewer different positions" in decision.reason
    assert time.process_time() - began < 30
    longer = proposition("E[norm(x[i])**18] = 0")
    assert "expected at most 16; take a lower power" in decide(longer, Derivation(longer)).reason
    with pytest.raises(TooManyTermsError):
        contract_counted(
            [Form(vector(f"p{2 * k}"), (Letter("W", False, False),), vector(f"p{2 * k + 1}")) for k in range(8)], True
        )
