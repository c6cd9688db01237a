"""What is wrong in a print, in a sentence: computed from what differs between it and its correction.

"A factor lam is missing", "exp(-nu/2) stands where exp(-nu) should", "the coefficient of T**2*i should be 3, not 1":
what both have in common is taken away first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, reduce

import sympy as sp

from proofs_check.claims.report import Claim
from proofs_check.report.site import formula, holding, names
from proofs_check.report.telling import narrowed, sourced
from theorems.algebra.expressions import ExpressionError, parse

#: Most letters of a formula in a sentence, most coefficients and quantities of which one tells, and most operations of
#: a formula that is taken apart.
LONGEST, COEFFICIENTS, QUANTITIES, OPERATIONS = 110, 2, 2, 160
#: Most letters of what both sides share where a coefficient is told with it.
SHARED = 24
#: Terms of a series that are told.
TERMS = 3
_SERIES = re.compile(r"sum\((.+), (\w+), (\d+), oo\)")
#: A sentence, if one was found; or "value" and both sides.
Told = tuple[str, ...]
_TRACE = re.compile(r"tr\d*(_\w+)?")


def sentences(claim: Claim, correction: Claim | None) -> list[str]:
    """What the print has wrong, a sentence for each of its first wrong quantities; none where that is not simple.

    Formulas stand between backticks, in the paper's letters.
    """
    if claim["verdict"] != "refuted":
        return []
    if claim["correction"] and (narrowed(claim) or not correction):
        where = _where(claim)
        return [_only(where, claim)] if where else []
    found: list[str] = []
    right = correction["printed"] if correction else {}
    wrong = [(name, text, right[name]) for name, text in claim["printed"].items() if name in right]
    for name, printed, true in wrong:
        told = _told(name, printed, true, claim)
        if told and len(found) < QUANTITIES:
            told += _on_boundaries(name, claim)
            several = len(wrong) > 1 and not told.startswith(claim["quantity"])
            found.append(f"{names.label(name)}: {told}" if several else _begun(told))
    return [sourced(told, claim) for told in found] + (_attained(claim) if found else [])


def _attained(claim: Claim) -> list[str]:
    """The exact bound that the derivation found beside one that holds up to o(...)."""
    least = claim["symbolic"].get("attained")
    return [f"Exactly, and for every T >= 2, the bound is `{names.written(least, claim)}`."] if least else []


def _on_boundaries(name: str, claim: Claim) -> str:
    """Where a condition alone is wrong, if that is the boundaries of what is printed."""
    alone = claim["symbolic"].get("boundaries", {}).get(name, [])
    parts = [f"`{names.written(part, claim)}`" for part in alone]
    return f" The print fails only where {' or '.join(parts)}." if parts else ""


def _begun(told: str) -> str:
    """The sentence with a capital, where it does not begin with a symbol."""
    first = told.partition(" ")[0]
    word = first == "a" or (first.isalpha() and not formula.recognised(first))
    return told[0].upper() + told[1:] if word else told


def _where(claim: Claim) -> str:
    return names.written(holding.where(claim), claim, generated=True)


def _only(where: str, claim: Claim) -> str:
    """The sentence for a print that is right under a further condition, whose new names are constants of a limit."""
    said = names.said(claim)
    known = " ".join(map(str, [said.get("hypotheses", ""), said.get("where", ""), *said.get("letters", {}).values()]))
    new = {name for name in re.findall(r"(?<![\w.])[a-z](?![\w(])", where) if not re.search(rf"\b{name}\b", known)}
    constant = f", for a constant {' and '.join(sorted(new))}" if new and said.get("limit") else ""
    return f"A hypothesis is missing: it holds where {where}{constant}."


def _told(name: str, printed: str, true: str, claim: Claim) -> str:
    """What is wrong in one quantity; "" for one that is right, or wrong in more than a sentence."""

    def shown(text: object) -> str:
        return f"`{names.written(str(text), claim)}`"

    if printed == true:
        where = _where(claim)
        return _only(where, claim) if where and len(claim["printed"]) == 1 else ""
    if limits := _limits(name, claim):
        return limits
    if formula.clause(printed) and formula.clause(true):
        return _clauses(name, printed, true, claim)
    if {printed[:2], true[:2]} <= {"o(", "O("}:
        return f"{shown(true)} is what holds, and {shown(printed)} does not."
    series = _series(printed, true)
    if series:
        of = "" if _SERIES.fullmatch(true) else f" of {shown(true)}"
        return f"the series{of} begins {shown(series[0])}, the printed one {shown(series[1])}."
    pair = _both(name, printed, true, claim)
    if pair is None:
        return ""
    if printed in names.said(claim).get("quantities", {}):
        # what differs stands nowhere in the print, whose reading names another quantity
        other, text = str(sp.factor(pair[0])), names.defined(printed, claim)
        fits = max(len(other), len(text)) <= LONGEST and sp.expand(pair[0] - pair[1]) != 0
        return f"the print takes it for `{text}`, which is {shown(other)}; it is {shown(true)}." if fits else ""
    found = _differs(*pair, _traces(claim), name in names.BOUNDS)
    if not found:
        return ""
    if found[0] == "value":
        if len(found[2]) > LONGEST:
            return ""
        if name in names.BOUNDS:
            return f"the bound {shown(found[1])} is false; what holds is `{names.corrected(found[2], claim)}`."
        what = claim["quantity"] if name == next(iter(claim["printed"])) else name
        return f"{what} is {shown(found[2])}, not {shown(found[1])}."
    # what is longer explains less than print and correction beside each other
    if rest := names.said(claim).get("remainder", ""):
        found = (re.sub(r" it holds\.$", f" it holds up to `o({rest})`.", found[0]),)
    return re.sub(r"`([^`]*)`", lambda part: shown(part[1]), found[0]) if len(found[0]) <= 2 * LONGEST else ""


def _both(name: str, printed: str, true: str, claim: Claim) -> tuple[sp.Expr, sp.Expr] | None:
    """Both sides as expressions; a print that names another quantity from what the correction is away from it."""
    try:
        right = parse(true)
        told = claim["correction"].get("apart", {}).get(name) if claim["correction"] else None
        left, others = parse(printed), names.said(claim).get("quantities", {})
        if told and not left.free_symbols <= right.free_symbols:
            return sp.expand(right - parse(told)), right
        return None if printed in others else (left, right)
    except (ExpressionError, ArithmeticError, TypeError, AttributeError):
        return None


def _limits(name: str, claim: Claim) -> str:
    """Where a printed limit is another one: the cases that a correction tells apart."""
    cells = (
        [cell for cell in claim["correction"].get("cells", ()) if cell["quantity"] == name]
        if claim["correction"]
        else []
    )
    wrong = [cell for cell in cells if not cell["agrees"]]
    if not wrong or len(wrong) == len(cells):
        return ""
    told = []
    for cell in wrong:
        limit = f"is {cell['limit']}, not {cell['printed']}" if cell["limit"] else "depends on the sequence"
        told.append(f"where {holding.conditions(cell, claim)}, the limit {limit}")
    return f"{'; '.join(told)}. Elsewhere the print holds."


def _clauses(name: str, printed: str, true: str, claim: Claim) -> str:
    """What the conditions of a print differ in from those that are right."""
    word, _, given = printed.partition(" ")
    other, _, right = true.partition(" ")
    one, two = given.split(" & "), right.split(" & ")
    sides = [part for part in one if part not in two], [part for part in two if part not in one]
    texts = [" and ".join(f"`{formula.sided(names.written(part, claim))}`" for part in parts) for parts in sides]
    wrong, needed = texts
    if [*map(len, sides)] == [1, 1] and (told := _thresholds(*sides, claim)):
        return told
    if any(len(text) > LONGEST for text in texts):
        return ""
    example = claim["counterexample"]
    gave = example["printed"] if example else ""
    many = len(sides[0]) > 1
    together = "together are" if many else "is"
    if not needed:
        return f"{wrong} {together} not necessary." if word == other == "iff" and wrong else ""
    if not wrong:
        return f"the condition {needed} is missing."
    shared = " and ".join(f"`{names.written(part, claim)}`" for part in one if part in two)
    with_them = f"together with {shared}, " if shared else ""
    do = [f"{with_them}{wrong} {'do' if many else 'does'} not suffice", "do" if len(sides[1]) > 1 else "does"]
    if word == other == "if":
        return f"{do[0]}; {needed} {do[1]}."
    if word == other == "iff" and gave == f"{name}: False":
        return f"{wrong} {together} not necessary; {needed} {'are' if len(sides[1]) > 1 else 'is'}."
    if word == other == "iff" and gave == f"{name}: True":
        return f"{do[0]}; {needed} {'have' if len(sides[1]) > 1 else 'has'} to hold."
    return f"{wrong} {'stand' if many else 'stands'} where {needed} should."


def _thresholds(wrong: list[str], needed: list[str], claim: Claim) -> str:
    """What two bounds of the same name differ in, ``budget < ...`` and ``budget - ... <= 0``."""
    try:
        name, given = re.split(r" <=? ", wrong[0])
        left, right = re.split(r" <=? ", needed[0])
        free = sp.Symbol(name)
        rest = parse(f"({left}) - ({right})")
        if not name.isidentifier() or rest.diff(free) != 1:
            return ""
        found = _differs(parse(given), sp.expand(free - rest), _traces(claim), True)
    except (ExpressionError, ValueError, TypeError):
        return ""
    if not found or found[0] == "value":
        return ""
    return f"in the bound of {name}, " + re.sub(
        r"`([^`]*)`", lambda part: f"`{names.written(part[1], claim)}`", found[0]
    )


@lru_cache(maxsize=512)
def _series(printed: str, true: str) -> tuple[str, str] | None:
    """The first terms of the right power series, or of a function's, and of the printed one, where they differ."""
    found, own = _SERIES.fullmatch(printed), _SERIES.fullmatch(true)
    if found is None:
        return None
    try:
        count = int(found[3]) + TERMS
        right = _begun_series(own, count) if own else _begun_taylor(parse(true), count)
        begins = [sp.sstr(side, order="rev-lex") for side in (right, _begun_series(found, count))]
    except (ExpressionError, ArithmeticError, ValueError, TypeError):
        return None
    return (begins[0], begins[1]) if begins[0] != begins[1] else None


def _begun_series(found: re.Match[str], count: int) -> sp.Expr:
    """The terms below the power ``count`` of the index."""
    term, index = parse(found[1]), sp.Symbol(found[2])
    return sp.Add(*(term.subs(index, k) for k in range(int(found[3]), count)))


def _begun_taylor(function: sp.Expr, count: int) -> sp.Expr:
    (by,) = function.free_symbols
    return sp.series(function, by, 0, count).removeO()


@lru_cache(maxsize=512)
def _differs(printed: sp.Expr, true: sp.Expr, traces: frozenset[str] = frozenset(), bound: bool = False) -> Told:
    """The sentence; or "value" and both sides where one of them is a number.

    A bound that holds need not be the only one: what is said of a ``bound`` is what it holds with.
    """
    if printed.has(sp.Piecewise) or true.has(sp.Piecewise):
        return ()
    if printed == 0 or (printed.is_number and true.is_number):
        return ("value", str(printed), str(true)) if printed != true else ()
    if isinstance(true, sp.Max) and printed in true.args:
        rest = ", ".join(f"`{part}`" for part in sorted(true.args, key=str) if part != printed)
        return (f"the bound `{printed}` is false; what holds is the largest of it and {rest}.",)
    if max(printed.count_ops(), true.count_ops()) > OPERATIONS or sp.expand(printed - true) == 0:
        return ()
    one, two = (_factored(side) if side.has(sp.exp) else sp.factor(side) for side in (printed, true))
    told = _parted(one, two, _Print(printed, traces, bound))
    # an exponential is written as it is printed
    written = {str(sp.exp(sp.factor(part.args[0]))): str(part) for part in printed.atoms(sp.exp)}
    return tuple(reduce(lambda text, pair: text.replace(*pair), written.items(), text) for text in told)


@dataclass(frozen=True)
class _Print:
    """The formula as it is printed, the names of traces, and whether it is a bound."""

    whole: sp.Expr
    traces: frozenset[str]
    bound: bool

    def holds(self, said: str, bound: str) -> Told:
        """What is said of an equation, and of a bound."""
        return (f"the bound is false; {bound} it holds." if self.bound else said,)

    def missing(self, factor: sp.Expr) -> Told:
        return self.holds(f"a factor `{factor}` is missing.", f"with a further factor `{factor}`")

    def instead(self, wrong: sp.Expr, right: sp.Expr) -> Told:
        """One formula in the place of another: "stands where" for what the print has letter by letter."""
        parts = [part for term in sp.Add.make_args(wrong) for part in sp.Mul.make_args(term)]
        if not self.whole.has(wrong) and not all(part.is_number or self.whole.has(part) for part in parts):
            return (f"beside what both share, the print has `{wrong}`, and what holds has `{right}`.",)
        return self.holds(f"`{wrong}` stands where `{right}` should.", f"with `{right}` in the place of `{wrong}`")

    def coefficient(self, of: object, was: object, should: object) -> str:
        if self.bound:
            return f"the coefficient `{should}` of `{of}`, not `{was}`"
        return f"the coefficient of `{of}` should be `{should}`, not `{was}`"


def _factored(side: sp.Expr) -> sp.Expr:
    """A formula with exponentials: as a product where it is one, its exponents in one form."""
    return sp.factor_terms(side.replace(sp.exp, lambda power: sp.exp(sp.factor(power))))


def _parted(one: sp.Expr, two: sp.Expr, of: _Print) -> Told:
    """What differs when common factors and then common summands are taken away, as far as that goes."""
    p, c, share = _apart(one, two)
    if p == -c:
        return of.holds("the sign is wrong.", "with the other sign")
    if p == 1 and _short(c):
        return of.missing(c)
    if c == 1 and _short(p):
        return of.holds(f"the factor `{_text(p)}` should not be there.", f"without the factor `{_text(p)}`")
    if (p / c).is_Rational:
        return of.missing(c / p)
    scale = _scale(p, c, of.whole)
    instead = of.instead(scale * p, scale * c) if _short(scale * p) and _short(scale * c) else ()
    if instead and share != 1 and c.is_Rational and not p.is_Add:
        swapped = f"the factor `{p}` should be `{c}`."
        return of.holds(swapped, f"with the factor `{c}` in the place of `{p}`")
    found, single = _words((p, c), of.traces), _term(sp.expand(one), sp.expand(two), of)
    if (single and (p, c) == (one, two)) or "coefficient" in "".join(single):
        return single
    if instead and not found and not (p.is_Add and c.is_Add):
        return instead
    if told := single or _coefficients(p, c, share, found, of):
        return told
    common: set[sp.Basic] = set(p.args) & set(c.args) if p.is_Add and c.is_Add else set()
    if common:
        left, right = (sp.Add(*(part for part in side.args if part not in common)) for side in (p, c))
        if 0 in (left, right):
            return _of_terms(share * left, share * right, of)
        nested = _parted(left, right, of)
        # what is wrong with a term is not wrong with the whole
        whole = any("factor `" in text or "sign" in text for text in nested)
        return (of.instead(left, right) if _short(left) and _short(right) else ()) if whole else nested
    return instead


def _scale(p: sp.Expr, c: sp.Expr, whole: sp.Expr) -> sp.Expr:
    """The number that gives a product the coefficient with which it is printed, beside a sum."""
    number, printed = p.as_coeff_Mul()[0], whole.as_coeff_Mul()[0]
    if p.is_Add or whole.is_Add or not c.is_Add or number in (1, printed):
        return sp.Integer(1)
    return sp.Rational(printed / number)


def _apart(one: sp.Expr, two: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Both without the factors that they share, and these."""
    powers = [_powers(side) for side in (one, two)]
    shared = sp.Integer(1)
    for base in [base for base in powers[0] if base in powers[1]]:
        a, b = powers[0][base], powers[1][base]
        if (a - b).is_Rational:
            # of two divisors the smaller one is shared: 1/x**2 for 1/x has a factor 1/x too many; x and 1/x share none
            least, most = (a, b) if (b - a).is_nonnegative else (b, a)
            common = most if most.is_nonpositive else sp.Integer(0) if least.is_negative else least
            shared *= base**common
            powers[0][base], powers[1][base] = a - common, b - common
    return *(sp.Mul(*(base**power for base, power in side.items())) for side in powers), shared


def _powers(side: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """The factors of a product and their exponents; e to a power is one factor."""
    found: dict[sp.Expr, sp.Expr] = {}
    for factor in sp.Mul.make_args(side):
        whole = factor.is_number or not factor.is_Pow or factor.base == sp.E
        base, power = (factor, sp.Integer(1)) if whole else (factor.base, factor.exp)
        found[base] = found.get(base, sp.Integer(0)) + power
    return found


def _traces(claim: Claim) -> frozenset[str]:
    """The names that a claim defines by a trace."""
    return frozenset(re.findall(r"(\w+) = tr\(", str(names.said(claim).get("where", ""))))


def _words(sides: tuple[sp.Expr, sp.Expr], traces: frozenset[str]) -> list[sp.Basic]:
    """What coefficients are of: traces, or exponentials, that both sides have and are polynomials in."""
    names_of = {
        name for side in sides for name in side.free_symbols if _TRACE.fullmatch(name.name) or name.name in traces
    }
    powers = {part for side in sides for part in side.atoms(sp.exp) if not side.is_Mul}
    found = sorted(names_of or powers, key=str)
    return found if all(side.has(*found) and side.is_polynomial(*found) for side in sides if found) else []


def _term(one: sp.Expr, two: sp.Expr, of: _Print) -> Told:
    """A single term that is missing or too many, or has another coefficient."""
    terms = [side.as_coefficients_dict() for side in (one, two)]
    apart = {term for side in terms for term in side if terms[0][term] != terms[1][term]}
    if len(apart) != 1:
        return ()
    (term,) = apart
    was, should = (side[term] for side in terms)
    if 0 in (was, should):
        return _of_terms(was * term, should * term, of)
    if term == 1:
        return of.instead(was, should)
    return (f"{'what holds has ' * of.bound}{of.coefficient(term, was, should)}.",)


def _of_terms(was: sp.Expr, should: sp.Expr, of: _Print) -> Told:
    """Terms that are missing, where none is printed, or too many."""
    words, verb = ("terms", "are") if (was + should).is_Add else ("term", "is")
    if was == 0:
        return of.holds(f"the {words} `{should}` {verb} missing.", f"with the further {words} `{should}`")
    return of.holds(f"the {words} `{was}` should not be there.", f"without the {words} `{was}`")


def _coefficients(one: sp.Expr, two: sp.Expr, share: sp.Expr, found: list[sp.Basic], of: _Print) -> Told:
    """Coefficients of the words, of both sides times what they share; or a word in the place of another one."""
    if not found:
        return ()
    bare = {word: sp.Dummy() for word in found}
    share, beside = (sp.Integer(1), "beside the factor that both share, ") if len(str(share)) > SHARED else (share, "")
    parts = [sp.Poly(sp.expand(side.xreplace(bare)), *bare.values()).as_dict() for side in (one, two)]
    words = {
        key: sp.Mul(*(word**power for word, power in zip(found, key, strict=True))) for key in {*parts[0], *parts[1]}
    }
    only = [[key for key in side if key not in other and words[key] != 1] for side, other in (parts, parts[::-1])]
    told, seen = [], set()
    if [*map(len, only)] == [1, 1]:
        keys = [key for (key,) in only]
        seen = {*keys}
        was, should = (sp.factor(side[key]) for side, key in zip(parts, keys, strict=True))
        wrong, right = (words[key] for key in keys)
        same = sp.expand(was - should) == 0
        if same and sp.expand(one - two - was * (wrong - right)) == 0:
            return of.instead(wrong, right)
        stands = f"`{wrong}` stands where `{right}` should"
        if not same:
            wrong, right = was * share * wrong, should * share * right
            stands = f"the term `{wrong}` should be `{right}`"
        told.append(f"`{right}` in the place of `{wrong}`" if of.bound else stands)
    rest = ""
    for key in sorted(words, key=lambda key: (words[key] == 1, str(words[key]))):
        was, should = (sp.factor(side.get(key, sp.Integer(0))) for side in parts)
        if key in seen or sp.expand(was - should) == 0:
            continue
        if words[key] != 1:
            told.append(of.coefficient(words[key], was * share, should * share))
        elif told:
            rest = "; the other terms differ too"
        else:
            told.append(f"the other terms {'' if of.bound else 'should be '}`{should * share}`, not `{was * share}`")
    has = "what holds has " if of.bound else ""
    if len("; ".join(told)) > 2 * LONGEST - len(beside + has) and len(told) > 1:
        told, rest = [min(told, key=len)], "; the other terms differ too"
    return (f"{beside}{has}{'; '.join(told)}{rest}.",) if 0 < len(told) <= COEFFICIENTS else ()


def _text(value: sp.Expr) -> str:
    """A factor, a divisor as 1/x**2."""
    above, below = value.as_numer_denom()
    return f"1/{below}" if above == 1 and below.is_Pow else str(value)


def _short(value: sp.Expr) -> bool:
    return len(str(value)) <= LONGEST
