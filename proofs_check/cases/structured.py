"""Cases that are exact instances: embeddings with queries, exchangeable ensembles of tokens, and attention contexts.

    embeddings  {"z": rows z_0..z_T, "J": queries 1..T, "w": window}
    ensemble    {"tokens": [sets][k][d], "W": d x d, "beta": "p/q"}
    context     {"scores": [s_0, s_1, ..], "values": rows v_0, v_1, ..}

    exchangeable {"k", "d", "beta", "W", "L", "m", "law"}: tokens of a named law

Numbers are integers or strings "p/q". Cases are drawn small, degenerate ones frequently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st

from proofs_check.cases.drawing import integers, sampled_from
from proofs_check.cases.given_structured import KEYS, keys, plain
from theorems.claims.catalogue import Statement

Case = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]
Row = list[int]
Rows = list[Row]
Matrix = list[list[Fraction]]
Tokens = list[Rows]

#: Entries that are drawn are at most this size.
SIZE = 2
ENTRY = integers(-SIZE, SIZE)
#: How queries and keys lie to each other, simplest first; the first leaves them as they are drawn.
FAMILIES = ("free", "null", "opposite", "between", "equal", "unseen", "edge", "collinear")
#: Of these, what takes two tokens.
SEVERAL = ("opposite", "between", "unseen", "edge", "collinear")
#: What a further parameter is drawn from where the statement gives no range.
SCALARS = ("1", "1/2", "2", "1/4", "3")
#: Such a parameter that is small, and one that is large.
ENDS = ("1/1000000", "1000000")
BETAS = ("1", "-1", "2", "1/2", "-2", "0")
#: Weights of points.
WEIGHTS = (1, "1/2", "1/4", 0)
HEADS = ("whole", "halves", "antisymmetric", "scalar", "singular")


def strategy(draw: Draw, statement: Statement, slot: Mapping[str, Any]) -> Case:
    """A case of the statement's model within what the slot asks for, drawn by Hypothesis; shrinks towards the simplest.

    embeddings: ``slot`` may give d, T, ``family`` (one of FAMILIES) and ``apart`` (whether z_0 is pushed out of the
    keys, and the queries to one side of 0). ensemble: ``ratio`` "p/q" makes beta t1 that many times t2, where
    t1 = tr(BW), t2 = tr(B W^T W); ``flat`` makes W B = 0, otherwise t2 > 0; d, k, ``sets``. context: ``null`` says
    whether v_0 = 0; ``keys``. What a condition of the statement would hardly ever meet is built in.
    """
    if statement.model == "exchangeable":
        return _exchangeable(draw, slot)
    required, _ = keys(statement)
    case: Case = _DRAWERS[statement.model](draw, statement, slot)
    for name in required:
        if name == "w":
            case[name] = draw(integers(1, len(case["z"]) - 1))
        elif name not in case:
            case[name] = draw(sampled_from(slot.get(name) or statement.ranges.get(name, SCALARS)))
    return {name: case[name] for name in required}


def _row(draw: Draw, d: int) -> Row:
    return [draw(ENTRY) for _ in range(d)]


# -- embeddings


def _embeddings(draw: Draw, statement: Statement, slot: Mapping[str, Any]) -> Case:
    family = slot.get("family")
    # a line is one among others in the plane
    d = slot.get("d") or draw(integers(1 + (family == "collinear"), 3))
    T = slot.get("T") or draw(integers(1 + (family in SEVERAL), 5))
    # two of three tokens are queries
    J = [i for i in range(1, T + 1) if draw(integers(0, 2))] or [draw(integers(1, T))]
    # what a family is to be is not undone
    apart = slot["apart"] if "apart" in slot else family is None and draw(sampled_from((False, False, True)))
    if apart and family == "collinear":
        # apart along the line, which goes through 0
        direction = [1, *(draw(ENTRY) for _ in range(d - 1))]
        z = [[row[0] * a for a in direction] for row in _apart(draw, 1, T, J)]
    else:
        z = _apart(draw, d, T, J) if apart else [_row(draw, d) for _ in range(T + 1)]
    if not apart or family == "unseen":
        _degenerate(draw, family or draw(sampled_from(FAMILIES)), z, J)
    return {"z": z, "J": J}


def _apart(draw: Draw, d: int, T: int, J: Sequence[int]) -> Rows:
    """Embeddings with queries on one side of 0 along an axis, and z_0 beyond all keys along an axis."""
    side, out = draw(integers(0, d - 1)), draw(integers(0, d - 1))
    up, away = draw(sampled_from((1, -1))), draw(sampled_from((1, -1)))
    z = [_row(draw, d)]
    z[0][out] = SIZE * away
    for i in range(1, T + 1):
        row = []
        for axis in range(d):
            allowed = sorted(range(-SIZE, SIZE + 1), key=abs)
            if axis == out:
                allowed = [entry for entry in allowed if entry != SIZE * away]
            if axis == side and i in J:
                allowed = [entry for entry in allowed if entry * up > 0]
            row.append(draw(sampled_from(allowed)))
        z.append(row)
    return z


def _degenerate(draw: Draw, family: str, z: Rows, J: list[int]) -> None:
    """Change the rows in place to one of FAMILIES: a query 0, opposite queries, z_0 between keys, equal to one, ..."""
    T, d = len(z) - 1, len(z[0])
    i = draw(sampled_from(J))
    # another token, one that query i sees under every mask where there is one
    j = draw(sampled_from([*range(i - 1, 0, -1), *range(i + 1, T + 1)] or [i]))
    if family == "null":
        z[i] = [0] * d
    elif family == "opposite":
        z[i][0] = z[i][0] or 1
        z[j] = [-entry for entry in z[i]]
        J[:] = sorted({*J, j})
    elif family == "equal":
        z[0] = list(z[j])
    elif family == "unseen" and T > 1:
        # a causal mask hides the last token from every query
        J[:] = [query for query in J if query < T] or [1]
        z[T] = list(z[0])
    elif family in ("between", "edge"):
        step = _row(draw, d)
        step[0] = step[0] or 1
        z[j] = [a + b for a, b in zip(z[0], step, strict=True)]
        z[i] = [a - b for a, b in zip(z[0], step, strict=True)]
        if family == "edge":
            # every other key lies on one side of z_0, or level with it
            for key in set(range(1, T + 1)) - {i, j}:
                z[key][-1] = z[0][-1] + abs(z[key][-1])
    elif family == "collinear":
        direction, foot = _row(draw, d), draw(sampled_from((0, 1)))
        direction[0] = direction[0] or 1
        z[:] = [[(row[0] * a) + foot for a in direction] for row in z]


# -- ensemble


def _ensemble(draw: Draw, statement: Statement, slot: Mapping[str, Any]) -> Case:
    ratio = None if "ratio" not in slot else Fraction(slot["ratio"])
    flat = bool(slot.get("flat"))
    # in one dimension beta t1 = -t2 makes every sum of Y_i vanish
    d = slot.get("d") or draw(integers(2 if ratio == -1 and not flat else 1, 3))
    k, sets = slot.get("k") or draw(integers(2, 4)), slot.get("sets") or draw(integers(1, 3))
    centre = _row(draw, d)
    tokens = [[[a + b for a, b in zip(centre, _row(draw, d), strict=True)] for _ in range(k)] for _ in range(sets)]
    case: Case = {"tokens": tokens}
    if "W" in keys(statement)[0]:
        head = _flat(draw, tokens) if flat else _steep(draw, tokens, ratio)
        if head is None:
            reject()
        W, beta = head
        case["W"], case["beta"] = [[plain(entry) for entry in row] for row in W], str(beta)
    if "tokens" in statement.parameters:
        # where tokens are handed over their cosines are looked at
        assume(all(any(y) for y in _outputs(case)))
    return case


def _moments(tokens: Tokens) -> Matrix:
    """B = E[z_i z_i^T] - E[z_i z_j^T], i != j, over the sets and within each over all (pairs of) tokens."""
    k, axes = len(tokens[0]), range(len(tokens[0][0]))
    B = [[Fraction(0) for _ in axes] for _ in axes]
    for z in tokens:
        total = [sum(column) for column in zip(*z, strict=True)]
        for r in axes:
            for c in axes:
                same = sum(token[r] * token[c] for token in z)
                B[r][c] += Fraction(same, k) - Fraction(total[r] * total[c] - same, k * (k - 1))
    return [[entry / len(tokens) for entry in row] for row in B]


def traces(tokens: Tokens, W: Sequence[Sequence[Fraction | int]]) -> tuple[Fraction, Fraction]:
    """t1 = tr(BW) and t2 = tr(B W^T W) of the ensemble, exactly."""
    B, axes = _moments(tokens), range(len(W))
    first = sum((B[r][c] * W[c][r] for r in axes for c in axes), Fraction(0))
    second = sum((B[r][c] * W[m][c] * W[m][r] for r in axes for c in axes for m in axes), Fraction(0))
    return first, second


def _head(draw: Draw, d: int, kind: str) -> Matrix:
    """A matrix W (d x d) of one of HEADS."""
    rows = [[Fraction(entry) for entry in _row(draw, d)] for _ in range(d)]
    if kind == "halves":
        return [[entry / 2 for entry in row] for row in rows]
    if kind == "antisymmetric":
        return [[rows[r][c] - rows[c][r] for c in range(d)] for r in range(d)]
    if kind == "scalar":
        return [[rows[0][0] * (r == c) for c in range(d)] for r in range(d)]
    if kind == "singular":
        return [[a * b for b in rows[-1]] for a in rows[0]]
    return rows


def _amended(W: Matrix, antisymmetric: bool) -> Iterator[Matrix]:
    """The matrix, and matrices near it, antisymmetric ones where asked for."""
    d = len(W)
    yield W
    if antisymmetric:
        turned = [[row[c] + (r == 0 and c == 1) - (r == 1 and c == 0) for c in range(d)] for r, row in enumerate(W)]
        yield turned
        return
    for scale, corner in ((1, 0), (0, 1), (1, 1), (2, 1), (-1, 2)):
        change = [[scale * (r == c) + corner * (r == 0 and c == d - 1) for c in range(d)] for r in range(d)]
        yield [[a + b for a, b in zip(row, more, strict=True)] for row, more in zip(W, change, strict=True)]


def _steep(draw: Draw, tokens: Tokens, ratio: Fraction | None) -> tuple[Matrix, Fraction] | None:
    """W with t2 > 0 and beta with beta t1 = ratio t2; the tokens are moved in place where sum_i Y_i would vanish."""
    d = len(tokens[0][0])
    if all(token == z[0] for z in tokens for token in z):
        tokens[0][0][0] += 1
    kind = draw(sampled_from(HEADS))
    if ratio == 0 and d > 1:
        kind = draw(sampled_from(("antisymmetric", kind)))
    beta = Fraction(draw(sampled_from(BETAS)))
    for W in _amended(_head(draw, d, kind), antisymmetric=ratio == 0 and kind == "antisymmetric" and d > 1):
        first, second = traces(tokens, W)
        if second == 0 or (ratio and first == 0):
            continue
        if ratio is not None and first:
            beta = ratio * second / first
        elif ratio is not None:
            beta = beta or Fraction(1)
        if _moved(tokens, W, beta):
            return W, beta
    return None


def _flat(draw: Draw, tokens: Tokens) -> tuple[Matrix, Fraction] | None:
    """W and beta with W B = 0: no W, or all tokens of a set alike (changed in place)."""
    d = len(tokens[0][0])
    beta = Fraction(draw(sampled_from(BETAS[:-1])))
    W = [[Fraction(0)] * d for _ in range(d)]
    if draw(st.booleans()):
        W = _head(draw, d, draw(sampled_from(HEADS)))
        for z in tokens:
            z[:] = [list(z[0]) for _ in z]
    return (W, beta) if _moved(tokens, W, beta) else None


def _moved(tokens: Tokens, W: Matrix, beta: Fraction) -> bool:
    """Whether (beta I + W) sum_i z_i != 0 for some set, after a common shift of all tokens, which leaves B as it is."""
    d = len(W)
    onto = [[row[c] + beta * (r == c) for c in range(d)] for r, row in enumerate(W)]
    sums = [[sum(column) for column in zip(*z, strict=True)] for z in tokens]
    if any(sum(a * b for a, b in zip(row, total, strict=True)) for row in onto for total in sums):
        return True
    axis = next((c for c in range(d) if any(row[c] for row in onto)), None)
    if axis is None:
        return False
    for z in tokens:
        for token in z:
            token[axis] += 1
    return True


def _outputs(case: Mapping[str, Any]) -> Iterator[Sequence[Fraction | int]]:
    """The tokens, and where there is a head Y_i(0) = (beta + W) z_i and Y_i(1) = beta z_i + W mean_j z_j."""
    for z in case["tokens"]:
        yield from z
        if "W" not in case:
            continue
        W, beta = [[Fraction(entry) for entry in row] for row in case["W"]], Fraction(case["beta"])
        mean = [Fraction(sum(column), len(z)) for column in zip(*z, strict=True)]
        for token in z:
            for into in (token, mean):
                yield [
                    beta * own + sum((a * b for a, b in zip(row, into, strict=True)), Fraction(0))
                    for own, row in zip(token, W, strict=True)
                ]


# -- context


def _context(draw: Draw, statement: Statement, slot: Mapping[str, Any]) -> Case:
    silent = "out_norm == 0" in statement.conditions
    n = 1 if "keys == 1" in statement.conditions else slot.get("keys") or draw(integers(1 + silent, 4))
    d = draw(integers(1, 3))
    values = [_row(draw, d) for _ in range(n)]
    scores = [draw(integers(-3, 3)) for _ in range(n)]
    family = draw(sampled_from(("balanced", "opposite") if silent else ("free", "zero", "opposite", "balanced")))
    if family == "zero":
        values[draw(integers(0, n - 1))] = [0] * d
    if not any(map(any, values)):
        values[0][0] = 1
    if family == "balanced" and n > 1:
        # equal scores, and values that sum to 0
        scores = scores[:1] * n
        if not any(map(any, values[:-1])):
            values[0][0] = 1
        values[-1] = [-sum(column) for column in zip(*values[:-1], strict=True)]
    if family == "opposite" and n > 1:
        # pairs of one score and opposite values; of an odd number one is 0
        if not any(values[0]):
            values[0][0] = 1
        for left in range(0, n - 1, 2):
            values[left + 1], scores[left + 1] = [-entry for entry in values[left]], scores[left]
        if n % 2:
            values[-1] = [0] * d
    sink = _row(draw, d)
    null = slot["null"] if "null" in slot else "sink_norm == 0" in statement.conditions or draw(st.booleans())
    if null:
        sink = [0] * d
    elif not any(sink):
        sink[0] = 1
    # as often as not the sink has the largest score
    top = max(scores) + draw(integers(0, 4)) if draw(st.booleans()) else draw(integers(-3, 3))
    return {"scores": [top, *scores], "values": [sink, *values]}


def _exchangeable(draw: Draw, slot: Mapping[str, Any]) -> Case:
    """Tokens z_i = s (m + L eta_i) of a named law, W any matrix; shrinks towards k = 2, d = 1, beta = 1."""
    d, k = slot.get("d") or draw(integers(1, 3)), slot.get("k") or draw(integers(2, 5))
    entry = sampled_from((1, -1, 2, 0, "1/2", -2))

    def matrix(lower: bool) -> list[list[int | str]]:
        rows = [[draw(entry) for _ in range(d)] for _ in range(d)]
        if not lower:
            return [[0] * d for _ in rows] if slot.get("W") == "zero" else rows
        return [[*row[:r], 1, *[0] * (d - r - 1)] for r, row in enumerate(rows)]

    return {
        "k": k,
        "d": d,
        "beta": slot.get("beta") or draw(sampled_from(("1", "2", "-1", "1/2", "-3"))),
        "W": matrix(lower=False),
        "L": matrix(lower=True),
        "m": [0 if slot.get("m") else draw(sampled_from((0, 1, -1))) for _ in range(d)],
        "law": slot.get("law", "gaussian"),
    }


# -- weighted


def _weighted(draw: Draw, statement: Statement, slot: Mapping[str, Any]) -> Case:
    """Weights >= 0 on up to four points, and a number of every family there."""
    weights, *families = KEYS["weighted"]
    n = slot.get("n") or draw(integers(1, 4))
    own = [draw(sampled_from(WEIGHTS)) for _ in range(n)]
    own[0] = slot.get("weight", own[0])
    return {weights: own, **{name: _row(draw, n) for name in families}}


_DRAWERS = {"embeddings": _embeddings, "ensemble": _ensemble, "context": _context, "weighted": _weighted}
