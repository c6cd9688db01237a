"""A statement typeset in one line of Unicode, for a terminal: 𝔼[(xᵢᵀ W xⱼ)²] = i² tr(W Σ)²."""

from __future__ import annotations

from itertools import pairwise

from theorems.statement.expression import HALF_LINE, MOMENTS, OF_EACH, TRUTHS, Expr
from theorems.statement.proposition import Proposition

_BELOW = str.maketrans("0123456789aehijklmnoprstuvx+-=()", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋₌₍₎")
_ABOVE = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz+-=()", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁺⁻⁼⁽⁾")
_NAMES = {
    "lam": "λ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "psi": "ψ", "omega": "ω", "Sigma": "Σ",
}  # fmt: skip
_HEADS = {"E": "𝔼", "P": "ℙ"}
_RELATIONS = {"<=": "≤", ">=": "≥", "->": "→", "~": "∼", "!=": "≠"}
_NORMS = {"2": "₂", "fro": "_F", "nuclear": "_*"}
#: What has no sign of its own stands as it is written.
_AS_WRITTEN = (*OF_EACH, "dist", "chance", "diff", "element", "member", "least", "lim", "given")
#: How tightly sums, products, and what stands alone bind.
_SUM, _PRODUCT, _ALONE = 1, 2, 4


def typeset(prop: Proposition) -> str:
    """The statement in one line."""
    right = _text(prop.stated[1])
    if prop.error is not None:
        kind, scale = prop.error
        error = f"{kind}({_text(scale)})"
        right = error if prop.right == Expr("number", (0,)) else f"{right} + {error}"
    line = f"{_text(prop.stated[0])} {_RELATIONS.get(prop.relation, prop.relation)} {right}"
    return f"{line}   ({tending(prop)})" if prop.limit.variable else line


def tending(prop: Proposition) -> str:
    """What tends where: T → ∞, i/T → θ."""
    if prop.limit.of_vectors:
        (one,) = prop.limit.together
        return f"{_text(one.source)} → {'-' * (one.sign < 0)}{'∞' if one.value is None else _text(one.value)}"
    value = "∞" if prop.limit.value is None else _text(prop.limit.value)
    parts = [f"{_name(prop.limit.variable)} → {value}"]
    return ", ".join([*parts, *(f"{name}/T → {_text(form)}" for name, form in prop.limit.regime)])


def _name(word: str) -> str:
    return _NAMES.get(word, word)


def _text(node: Expr, outer: int = 0) -> str:
    text, binding = _piece(node)
    return f"({text})" if binding < outer else text


def _piece(node: Expr) -> tuple[str, int]:
    op, args = node.op, node.args
    if op == "number":
        whole = args[0].denominator == 1 and args[0] >= 0
        return str(args[0]), _ALONE if whole else _PRODUCT if args[0] >= 0 else 0
    if op in ("name", "matrix", "vector", "family"):
        return _name(args[0]), _ALONE
    if op in ("token", "entry"):
        head = "x" if op == "token" else _name(args[0]) if isinstance(args[0], str) else _text(args[0], _ALONE)
        return head + _index(args[-1]), _ALONE
    if op == "T":
        return _text(args[0], _ALONE) + "ᵀ", _ALONE
    if op == "+":
        return _sum([_text(arg, _SUM) for arg in args]), _SUM
    if op == "*":
        return _product(args)
    if op == "/":
        return f"{_text(args[0], _PRODUCT)}/{_text(args[1], _PRODUCT + 1)}", _PRODUCT
    if op == "**":
        return _text(args[0], _ALONE) + _power(args[1]), 3
    if op in MOMENTS:
        return f"{_HEADS.get(op, op)}[{', '.join(map(_text, args))}]", _ALONE
    if op == "relation":
        return f"{_text(args[1], _SUM)} {_RELATIONS.get(args[0], args[0])} {_text(args[2], _SUM)}", 0
    return _function(node)


def _sum(parts: list[str]) -> str:
    first, *rest = parts
    return first + "".join(f" - {part[1:]}" if part.startswith("-") else f" + {part}" for part in rest)


def _product(args: tuple[Expr, ...]) -> tuple[str, int]:
    if args[0] == Expr("number", (-1,)) and len(args) > 1:
        return f"-{_product(args[1:])[0]}", _SUM
    if len(args) == 1:
        return _text(args[0], _PRODUCT), _PRODUCT
    text = _text(args[0], _PRODUCT)
    for before, arg in pairwise(args):
        # a b/2 c is taken for a b/(2 c)
        divided = before.op == "/" or (before.op == "number" and before.args[0].denominator > 1)
        text += (" · " if divided else " ") + _text(arg, _PRODUCT + 1)
    return text, _PRODUCT


def _index(node: Expr) -> str:
    text = _text(node).replace(" ", "")
    below = text.translate(_BELOW)
    if all(before != after for before, after in zip(text, below, strict=True)):
        return below
    return f"_{text}" if len(text) == 1 else f"[{_text(node)}]"


def _power(node: Expr) -> str:
    text = _text(node).replace(" ", "")
    above = text.translate(_ABOVE)
    fine = all(before != after for before, after in zip(text, above, strict=True))
    return above if fine else f"^({_text(node)})" if len(text) > 1 else f"^{text}"


def _function(node: Expr) -> tuple[str, int]:
    op, args = node.op, node.args
    if op in ("mean", "pi"):
        return {"mean": "x̄", "pi": "π"}[op], _ALONE
    if op == "norm":
        return f"‖{_text(args[0])}‖{_NORMS.get(args[1], '')}", _ALONE
    if op == "abs":
        return f"|{_text(args[0])}|", _ALONE
    if op == "entire":
        return f"{_name(args[0])}({_text(args[1])})", _ALONE
    if op == "gamma":
        return f"Γ({_text(args[0])})", _ALONE
    if op == "chance":
        kind, mean, variance, *ends = args
        low, high, middle = _text(ends[0]), _text(ends[-1]), f"N({_text(mean)}, {_text(variance)})"
        event = {"within": f"{low} ≤ {middle} ≤ {high}", "above": f"{middle} ≥ {low}", "below": f"{middle} ≤ {high}"}
        return f"ℙ[{event[kind]}]", _ALONE
    if op == "sqrt":
        return f"√({_text(args[0])})", _ALONE
    if op in ("sum", "prod", "series"):
        body, index, first, *last = args
        sign, end = "∏" if op == "prod" else "∑", _text(last[0]) if last else "∞"
        return f"{sign}({index} = {_text(first)} … {end}) {_text(body, _PRODUCT)}", _SUM
    if op == "integral":
        return f"∫({_name(args[1])} = {_text(args[2])} … {_text(args[3])}) {_text(args[0], _PRODUCT)}", _SUM
    if op in HALF_LINE or op in _AS_WRITTEN:
        return str(node), _ALONE
    if op in TRUTHS:
        return str(node), 0
    return f"{op}({', '.join(_text(arg) if isinstance(arg, Expr) else str(arg) for arg in args)})", _ALONE
