"""Which refuted claims are wrong by themselves: computed from what rests on what, and from which terms are wrong."""

from __future__ import annotations

from typing import Any

from proofs_check.report.causes import Cause, causes, inherited, of_lower_order


def claim(
    name: str, *below: str, verdict: str = "refuted", leading: bool | None = None, limit: str = ""
) -> dict[str, Any]:
    start = [] if leading is None else [{"start": "random walk", "exact": False, "leading": leading}]
    found = {"params": {}, "printed": "0", "true": "1", "limit": limit, "finite": ""}
    told = {"id": name, "verdict": verdict, "depends_on": list(below), "starts": start, "counterexample": found}
    rest = {"printed": {"value": name}, "correction": None, "rests_on_refuted": list(below), "fidelity": "verbatim"}
    return {**told, **rest, "variants": [], "where": name, "kind": "bound"}


def test_a_chain_has_one_cause() -> None:
    chain: Any = [claim("a"), claim("b", "a"), claim("c", "b"), claim("d")]
    assert causes(chain) == [Cause("a", False, ("b", "c")), Cause("d", False, ())]
    assert inherited(chain) == {"b": ("a",), "c": ("a",)}


def test_an_error_of_lower_order_reaches_no_limit() -> None:
    """The chain of Lemma 1: a moment that is wrong in lower order below a limit that is wrong by itself."""
    moment, step = claim("moment", leading=True), claim("step", "moment", leading=False, limit="of the value over T**3")
    lemma: Any = [moment, claim("other", "moment", leading=True), step, claim("lemma", "step", limit="of the variance")]
    assert causes(lemma) == [Cause("step", False, ("lemma",)), Cause("moment", True, ("other",))]
    # a moment that is wrong to leading order is the cause of all
    lemma[0] = claim("moment", leading=False)
    assert causes(lemma) == [Cause("moment", False, ("other", "step", "lemma"))]


def test_an_error_of_lower_order_reaches_no_leading_term() -> None:
    """A sum over a moment that is wrong in lower order: where its leading term is wrong, the error is the sum's own."""
    total: Any = [claim("moment", leading=True), claim("sum", "moment", leading=False)]
    assert causes(total) == [Cause("sum", False, ()), Cause("moment", True, ())]
    total[1] = claim("sum", "moment", leading=True)
    assert causes(total) == [Cause("moment", True, ("sum",))]


def test_what_is_verified_is_wrong_in_no_order() -> None:
    """A print with o(...) that is verified is right, though it is not exact."""
    found: Any = claim("mean", leading=True)
    assert of_lower_order(found) and not of_lower_order(found | {"verdict": "verified"})


def test_an_error_stops_at_a_claim_that_holds() -> None:
    found: Any = [claim("a"), claim("b", "a", verdict="verified"), claim("c", "b"), claim("a.corrected", "c")]
    assert [cause.id for cause in causes(found)] == ["a", "c"]


def test_a_claim_that_is_false_of_the_right_object_too_is_a_cause() -> None:
    later = claim("b", "a") | {"variants": [{"name": "rho with the derived variance", "holds": False}]}
    both: Any = [claim("a"), later]
    assert [cause.id for cause in causes(both)] == ["a", "b"]
    right = later | {"variants": [{"name": "rho with the derived variance", "holds": True}]}
    both = [claim("a"), right]
    assert inherited(both) == {"b": ("a",)}


def test_two_causes_and_a_circle() -> None:
    found: Any = [claim("a"), claim("b"), claim("c", "a", "b"), claim("x", "y"), claim("y", "x")]
    assert inherited(found)["c"] == ("a", "b")
    assert {cause.id for cause in causes(found)} >= {"a", "b"}


def test_a_cause_that_reaches_no_statement_weighs_less() -> None:
    """A step of a proof with one step after it stands behind a false lemma, and before it where it reaches one."""
    step = {"kind": "proof-step"}
    found: Any = [claim("step") | step, claim("next", "step") | step, claim("lemma")]
    assert [cause.id for cause in causes(found)] == ["lemma", "step"]
    found[1] = claim("next", "step")
    assert [cause.id for cause in causes(found)] == ["step", "lemma"]


def test_a_print_that_is_exact_for_a_start_gives_no_error_there() -> None:
    first, second = claim("a", leading=True), claim("b", "a", leading=True)
    first["starts"] = [*first["starts"], {"start": "random walk, x_1 = 0", "exact": True, "leading": True}]
    second["starts"] = [*second["starts"], {"start": "random walk, x_1 = 0", "exact": True, "leading": True}]
    chain: Any = [first, second]
    assert inherited(chain) == {"b": ("a",)}
    second["starts"] = [second["starts"][0], {"start": "random walk, x_1 = 0", "exact": False, "leading": True}]
    assert inherited(chain) == {}


def test_a_variant_does_not_clear_the_steps_of_the_proof() -> None:
    """Lemma 2(3): false for the right rho too, and by the error of its own proof."""
    step, lemma = claim("step") | {"kind": "proof-step"}, claim("lemma", "object", "step")
    lemma["variants"] = [{"name": "the right object", "holds": False}]
    found: Any = [claim("object"), step, lemma]
    assert inherited(found) == {"lemma": ("step",)}
    step["kind"] = "identity"
    assert inherited(found) == {}


def test_one_error_at_two_places_is_one_cause() -> None:
    """One false formula that is printed twice; not two false steps towards one lemma, nor two of another correction."""
    steps: Any = [claim("first"), claim("second"), claim("bound", "first", "second"), claim("lemma", "bound")]
    for step in steps[:3]:
        step["kind"] = "proof-step"
    assert causes(steps) == [Cause(name, False, ("bound", "lemma")) for name in ("first", "second")]
    twice: Any = [claim(name) | {"printed": {name: "t**2"}, "correction": {"latex": "2 t"}} for name in "qk"]
    assert causes(twice) == [Cause("q", False, (), ("k",))] and causes(twice)[0].own == ("q", "k")
    lemma: Any = [claim("lemma")]
    # printed twice it weighs as much as an error that is printed once
    assert [cause.id for cause in causes(lemma + twice)] == ["lemma", "q"]
    twice[1]["correction"] = {"latex": "3 t"}
    assert [cause.own for cause in causes(twice)] == [("q",), ("k",)]


def test_among_equals_the_papers_words_and_what_most_rests_on_come_first() -> None:
    found: Any = [claim("reading") | {"fidelity": "own"}, claim("caption") | {"kind": "definition"}]
    found += [claim("lemma"), claim("base"), claim("holds", "base", verdict="verified")]
    assert [cause.id for cause in causes(found)] == ["base", "lemma", "reading", "caption"]
