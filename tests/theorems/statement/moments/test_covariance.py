"""Laws gaussian(K): a kernel that is no covariance is refused, one that is goes through."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from theorems.statement import StatementError, proposition
from theorems.statement.moments.covariance import TOKENS, always, failure
from theorems.statement.proposition import Proposition
from theorems.statement.prose import in_words
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.language import parsed
from theorems.statement.reading.laws import read_law


def told(kernel: str, hypotheses: str = "") -> Proposition:
    return proposition(f"E[x[s].T*W*x[t]] = ({kernel})*tr(W*Sigma)", hypotheses, law=f"gaussian({kernel})")


@pytest.mark.parametrize(
    ("kernel", "hypotheses", "says"),
    [
        ("u*min(s, t)", "u real", "u = -1: K(1, 1) < 0; say for which u it is one with --for, e.g. u >= 0"),
        ("1 - abs(s - t)/4", "", "look at the tokens 1 and 10"),
        ("1 - abs(s - t)**2/1000", "", "the tokens 1 to 3 has a negative eigenvalue"),
        ("1 - abs(s - t)/4", "s <= 10, t <= 10", "look at the tokens 1 and 10"),
        ("1 + u*s*t", "u >= -1", "at u = -1"),
        ("1 + u*s*t", "u > -1/100", "at u = -"),
        ("u*v*min(s, t)", "u >= v", "no covariance at u ="),
        ("exp(-c*abs(s - t))", "c real", "at c = -1"),
        ("exp(abs(s - t))", "", "look at the tokens 1 and 2"),
        ("exp(-abs(s - t)/2)*(1 - abs(s - t))", "", "has a negative eigenvalue"),
        ("(s**h + t**h - abs(s - t)**h)/2", "0 < h < 3", "at h = 299/100"),
        ("1/(s - t)**2", "", "a division by 0"),
        ("max(s, t)", "", "look at the tokens 1 and 2"),
        ("min(s, t) - s*t/2", "", "no covariance"),
    ],
)
def test_a_kernel_that_is_no_covariance_is_refused(kernel: str, hypotheses: str, says: str) -> None:
    with pytest.raises(StatementError) as caught:
        told(kernel, hypotheses)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.at == len("gaussian(") and caught.value.text.startswith("gaussian(")


@pytest.mark.parametrize(
    ("kernel", "hypotheses", "known"),
    [
        ("min(s, t)", "", True),
        ("rho**abs(s - t)", "-1 < rho < 1", True),
        ("exp(-abs(s - t))", "", True),
        ("2*min(s, t)**2/3 + s*t", "", True),
        ("u*min(s, t)", "u >= 0", True),
        ("rho**abs(s - t)", "abs(rho) < 1", False),
        ("1 - abs(s - t)/4", "s <= 9, t <= 9", False),
        ("u**2*min(s, t)", "u real", False),
        ("a + b*s*t", "b = a**2, a >= 0", False),
        ("exp(-(s - t)**2)", "", False),
        ("1/(1 + (s - t)**2)", "", False),
        ("(s**h + t**h - abs(s - t)**h)/2", "0 < h < 2", False),
    ],
)
def test_a_covariance_goes_through_and_its_reading_says_what_is_not_known(
    kernel: str, hypotheses: str, known: bool
) -> None:
    assert ("wherever this is a covariance" in in_words(told(kernel, hypotheses))) is not known


def test_a_kernel_of_the_length_is_looked_at_for_every_length() -> None:
    text = "E[x[s].T*W*x[t]] = ({0})*tr(W*Sigma)"
    for kernel in ("min(s, t)/T", "min(s, t) - s*t/T", "min(s, t) - s*t/(T + 1)"):
        assert proposition(text.format(kernel), "s <= T, t <= T", law=f"gaussian({kernel})").random
    with pytest.raises(StatementError, match="no covariance at T ="):
        kernel = "min(s, t) - 2*s*t/T"
        proposition(text.format(kernel), "s <= T, t <= T", law=f"gaussian({kernel})")


def test_the_decision_is_that_of_the_eigenvalues() -> None:
    generator = random.Random(0)
    seen = set()
    for _ in range(60):
        a, b, c, e = (Fraction(generator.randint(-8, 8), 8) for _ in range(4))
        law = read_law(f"gaussian({a} + {b}*min(s, t) + {c}*(1/2)**abs(s - t) + {e}*s*t)")
        places = np.arange(1.0, TOKENS + 1)
        s, t = places[:, None], places[None, :]
        kernel = float(a) + float(b) * np.minimum(s, t) + float(c) * 0.5 ** abs(s - t) + float(e) * s * t
        least = float(np.linalg.eigvalsh(kernel)[0])
        if abs(least) > 1e-9:
            seen.add(least > 0)
            assert bool(failure(law, {}, TOKENS)) is (least < 0), law.text
    assert seen == {True, False}


def test_forms_that_need_not_be_looked_at_are_covariances() -> None:
    for text in ("min(s, t)*exp(-2*abs(s - t))", "s*t + 3*min(s, t)**2", "(-1/2)**abs(t - s)/7"):
        assert always(parsed(text), Hypotheses())
        assert not failure(read_law(f"gaussian({text})"), {}, TOKENS)
    for text in (
        "exp(abs(s - t))",
        "exp(-(-1)*abs(s - t))",
        "2**abs(s - t)",
        "-min(s, t)",
        "max(s, t)",
        "1 - min(s, t)",
    ):
        assert not always(parsed(text), Hypotheses())
