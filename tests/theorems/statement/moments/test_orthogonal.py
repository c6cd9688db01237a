"""By how much E of a product of power series is less of orthogonal tokens than of independent ones; tails by that."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import sympy as sp

from theorems.statement.deciding.decide import Decision, Derivation, decide
from theorems.statement.moments import orthogonal
from theorems.statement.proofs.exceeding import improved
from theorems.statement.proposition import proposition
from theorems.statement.reading.language import Vocabulary, parsed

VECTOR = "z in R^d, Sigma = I, d >= 3"
WORDS = Vocabulary(vectors=frozenset({"z"}), entire=frozenset({"g"}))
#: The tail of Theorem 5 of choromanski2021, with what is taken off for X, and that of Theorem 3.
TAIL = "P[sum(g(x[k].T*z), k, 1, T)/T > a] <= exp(-theta*T*a)*(E[exp(theta*g(x[1].T*z))]**T - X)"
NAMES = "z in R^d, Sigma = I, theta > 0, a real, T <= d, g entire with coefficients >= 0"
OFF = "theta**4*T*(T - 1)/(4*d**2*(d + 2))*g[1]**4*norm(z)**4*E[norm(x[1])**2]**2"


def decided(text: str, names: str, law: str) -> Decision:
    prop = proposition(text, names, "", law)
    return decide(prop, Derivation(prop))


def gap(law: str, weights: list[int], n: int, case: dict[str, Any], below: str = "d + 2") -> sp.Expr:
    """M^n - n (n - 1)/(d + 2) b_0^(n-2) (b_2 m)^2 - E prod h(x_k.z), exactly, at a case."""

    def h(k: int) -> str:
        return "(" + " + ".join(f"{weight}*(x[{k}].T*z)**{s}" for s, weight in enumerate(weights)) + ")"

    product = f"E[{'*'.join(h(k + 1) for k in range(n))}]"
    off = f"{n * (n - 1) * weights[0] ** (n - 2)}/({below})*({weights[2]}*E[(x[1].T*z)**2])**2"
    prop = proposition(f"{product} <= E[{h(1)}]**{n} - {off}", VECTOR, "", law)
    derivation = Derivation(prop)
    return derivation.at(prop.right, case) - derivation.at(prop.left, case)


@pytest.mark.parametrize("law", ["frame", "frame(sphere)", "frame(isotropic)"])
def test_the_rule_holds_of_drawn_polynomials(law: str) -> None:
    random = Random(law)
    for n, degree in ((2, 4), (2, 5), (3, 3), (3, 4)):
        weights = [random.randint(0, 4) for _ in range(degree + 1)]
        d = random.randint(3, 5)
        case: dict[str, Any] = {"d": d, "length1": "1/2", "length2": random.choice(("1", "2"))}
        case["z"] = [str(random.randint(-2, 2)) for _ in range(d)]
        assert gap(law, weights, n, case) >= 0, (weights, case)


def test_the_rule_is_sharp_and_a_larger_share_is_false() -> None:
    case = {"d": 3, "z": ["1", "1", "0"], "length1": "1/2", "length2": "2"}
    assert gap("frame(isotropic)", [3, 1, 2], 2, case) == 0
    assert gap("frame(isotropic)", [3, 1, 2], 2, case, "d + 1") < 0
    # independent tokens lose nothing
    assert gap("iid(isotropic)", [3, 1, 2], 2, case) < 0


@pytest.mark.parametrize(
    "text",
    [
        "exp(x[1].T*z)",
        "g(x[1].T*z)",
        "3*exp(2*x[1].T*z + 1)/7 + z.T*x[1]",
        "(1 + x[1].T*z)*exp(exp(x[1].T*z))*g(2*x[1].T*z)",
        "2*g(x[1].T*z + (x[1].T*z)*(x[1].T*z)) + 5",
    ],
)
def test_the_first_coefficients_are_those_of_the_series(text: str) -> None:
    body = orthogonal.paired(parsed(text.replace("x[1]", "x[k]"), WORDS))
    direction = orthogonal._direction(body, "k")
    assert direction is not None
    found = orthogonal._series(body, direction, lambda one: True)
    assert found is not None
    w, *g = sp.symbols("w g0:5")
    plain = text.replace("x[1].T*z", "w").replace("z.T*x[1]", "w")
    value = sp.sympify(plain, locals={"g": lambda u: sum(one * u**k for k, one in enumerate(g)), "w": w})
    for k, one in enumerate(found):
        own = sp.sympify(str(one), locals={str(name): name for name in g})
        assert sp.simplify(sp.diff(value, w, k).subs(w, 0) / sp.factorial(k) - own) == 0


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("g(1 + x[k].T*z)", "k"),
        ("cos(x[k].T*z)", "k"),
        ("exp(x[k].T*z) + exp(x[1].T*z)", "k"),
        ("exp(x[k].T*x[k])", "k"),
    ],
)
def test_what_is_no_such_series_is_none(text: str, index: str) -> None:
    body = parsed(text, WORDS)
    direction = orthogonal._direction(body, index)
    assert direction is None or orthogonal._series(body, direction, lambda one: True) is None


def test_what_is_derived_instead_is_proved_itself() -> None:
    prop = proposition(TAIL.replace("X", f"2*{OFF}"), NAMES, "", "frame(isotropic)")
    found = improved(prop)
    assert len(found) == 3
    for right in found:
        assert decided(f"{prop.left} <= {right}", NAMES, "frame(isotropic)").status == "proved"
