"""A moment's value from its observable alone, by the route that its derivation did not take."""

from __future__ import annotations

from theorems.algebra.ratio import Ratio, total
from theorems.gaussian.moments.increments import SecondRoute
from theorems.gaussian.observables import START, Observable
from theorems.gaussian.process import Moment, Process


def recomputed(moment: Moment) -> Ratio:
    """The moment's value from its observable alone, by the route that its derivation did not take."""
    source = moment.process
    family = Process if isinstance(source, SecondRoute) else SecondRoute

    def mean(observable: Observable) -> Ratio:
        parts = []
        for term in observable.terms:
            chain = moment.chain or source.chain
            for bound in term.bounds:
                place = chain.index(bound.upto)
                chain = (*chain[:place], bound.index, *chain[place:])
            value = term.coefficient * family(source.kernel, chain, source.symmetric).product(term.forms)
            for bound in reversed(term.bounds):
                closed = value.summed(bound.index)
                low = Ratio.of(0) if bound.above == START else Ratio.of(bound.above)
                high = Ratio.of(bound.upto) - (1 if bound.strict else 0)
                value = (closed.substitute(bound.index, high) - closed.substitute(bound.index, low)).reduced()
            parts.append(value)
        return total(parts).reduced()

    f = moment.observable
    assert f is not None
    if moment.kind == "mean":
        return mean(f)
    g = moment.other if moment.other is not None else f
    return (mean(f * g) - mean(f) * mean(g)).reduced()
