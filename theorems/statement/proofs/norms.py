"""Inequalities between norms: of matrices, of their entries, of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from theorems.statement.expression import Expr, minus, number
from theorems.statement.moments.traces import Letters, product_of
from theorems.statement.proofs.atoms import Atoms
from theorems.statement.proofs.comparing import parts_of
from theorems.statement.proofs.fact import ONE, ZERO, Fact, add, count, extent, largest, size, times
from theorems.statement.reading.hypotheses import Hypotheses


def norm(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """Spectral, Frobenius and nuclear norms of a matrix, and the length of a vector."""
    inner, kind = node.args
    yield _sign(atoms, known, label, node)
    if label not in atoms.words:
        yield from _vector_norm(atoms, known, node)
        return
    two, fro, nuclear = (Expr("norm", (inner, one)) for one in ("2", "fro", "nuclear"))
    chain = "norm(A, 2) <= norm(A, fro) <= norm(A, nuclear) <= sqrt(d) norm(A, fro) <= d norm(A, 2), d rows or columns"
    for low, high in ((two, fro), (fro, nuclear), (two, nuclear)):
        yield Fact(chain, minus(high, low))
    for d in (one for end in sorted(set(extent(known, next(iter(atoms.words[label]))))) for one in largest(known, end)):
        root = Expr("sqrt", (d,))
        for low, high in ((nuclear, times(root, fro)), (fro, times(root, two)), (nuclear, times(d, two))):
            yield Fact(chain, minus(high, low))
    yield Fact("norm(A, fro)**2 <= norm(A, 2) norm(A, nuclear)", minus(times(two, nuclear), times(fro, fro)))
    words = atoms.words[label]
    if len(words) > 1:
        yield from _triangle(atoms, node, kind)
        return
    # a word alone has the factor 1: others are taken out of the norm
    ((letters, _),) = words.items()
    if len(letters) == 1 and known.shape(letters[0][0]) in ("psd", "positive definite"):
        trace = Expr("tr", (inner,))
        yield Fact("norm(P, nuclear) = tr(P) for P psd", minus(nuclear, trace), equal=True)
    half = letters[len(letters) // 2 :]
    if kind != "fro" and letters and letters == atoms.traces.reduced(atoms.traces.transposed(half)) + half:
        root = Expr("norm", (product_of(half), "2" if kind == "2" else "fro"))
        rule = "norm(A.T*A, 2) = norm(A, 2)**2, norm(A.T*A, nuclear) = norm(A, fro)**2"
        yield Fact(rule, minus(node, times(root, root)), equal=True)
    for k in range(1, len(letters)):
        one, other = product_of(letters[:k]), product_of(letters[k:])
        for x, y in {"2": [("2", "2")], "fro": [("2", "fro"), ("fro", "2")]}.get(
            kind, [("2", "nuclear"), ("nuclear", "2"), ("fro", "fro")]
        ):
            bound = times(Expr("norm", (one, x)), Expr("norm", (other, y)))
            yield Fact(f"norm(A*B, {kind}) <= norm(A, {x}) norm(B, {y})", minus(bound, node), trusted="Hoelder")


def nonzero(known: Hypotheses, letters: Letters) -> bool:
    """Whether a word is one matrix that hypotheses say is not 0."""
    return len(letters) == 1 and (letters[0][0] in known.nonzero or known.shape(letters[0][0]) == "positive definite")


def _sign(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Fact:
    words = list(atoms.words.get(label, {}))
    away = (">", Expr("norm", (node.args[0], "")), ZERO) in known.relations
    if away or (len(words) == 1 and nonzero(known, words[0])):
        return Fact("a norm of what is not 0 is positive", node, strict=True)
    return Fact("a norm is not negative", node)


def entry_norm(atoms: Atoms, known: Hypotheses, label: str, node: Expr) -> Iterator[Fact]:
    """Norms by the entries of a matrix A of r rows and c columns, beside each other and beside the others."""
    inner, kind = node.args
    yield _sign(atoms, known, label, node)
    if label not in atoms.words:
        yield from _vector_entries(atoms, known, node)
        return
    columns, rows, largest, whole = (Expr("entrynorm", (inner, one)) for one in ("1", "oo", "max", "sum"))
    two, fro = (Expr("norm", (inner, one)) for one in ("2", "fro"))
    r, c = map(count, extent(known, next(iter(atoms.words[label]))))
    both, roots = times(r, c), (Expr("sqrt", (r,)), Expr("sqrt", (c,)))
    root = r if r == c else times(*roots)
    chain = "norm(A, max) <= norm(A, 2), norm(A, 1), norm(A, oo) <= norm(A, sum), norm(A, nuclear) <= norm(A, sum)"
    for low, high in (
        *((largest, one) for one in (two, columns, rows)),
        *((one, whole) for one in (two, fro, Expr("norm", (inner, "nuclear")), columns, rows)),
    ):
        yield Fact(chain, minus(high, low))
    counted = "norms of a matrix of r rows and c columns by those of its rows, columns and entries"
    for low, high in (
        (two, times(root, largest)),
        (fro, times(root, largest)),
        (columns, times(r, largest)),
        (rows, times(c, largest)),
        (whole, times(c, columns)),
        (whole, times(r, rows)),
        (whole, times(both, largest)),
        (whole, times(root, fro)),
        (columns, times(roots[0], two)),
        (rows, times(roots[1], two)),
        (two, times(roots[1], columns)),
        (two, times(roots[0], rows)),
    ):
        yield Fact(counted, minus(high, low))
    yield Fact("norm(A, 2)**2 <= norm(A, 1) norm(A, oo)", minus(times(columns, rows), times(two, two)), trusted="Schur")
    yield Fact("norm(A, fro)**2 <= norm(A, max) norm(A, sum)", minus(times(largest, whole), times(fro, fro)))
    words = atoms.words[label]
    if len(words) > 1:
        yield from _triangle(atoms, node, kind)
        return
    ((letters, _),) = words.items()
    for k in range(1, len(letters) if kind != "max" else 0):
        parts = (Expr("entrynorm", (product_of(half), kind)) for half in (letters[:k], letters[k:]))
        yield Fact(f"norm(A*B, {kind}) <= norm(A, {kind}) norm(B, {kind})", minus(times(*parts), node))


def _triangle(atoms: Atoms, node: Expr, kind: str) -> Iterator[Fact]:
    inner = node.args[0]
    if inner.op == "+":
        parts = [Expr(node.op, (part, kind)) for part in inner.args]
        yield Fact("triangle inequality", minus(add(*parts), node))
        # the other way round where all norms are spoken of
        before = set(atoms.nodes)
        spoken = atoms.quotient(add(*parts)).above.names <= before
        for k, part in enumerate(parts if spoken else ()):
            yield Fact("triangle inequality", minus(add(node, *parts[:k], *parts[k + 1 :]), part))


def _vector_norm(atoms: Atoms, known: Hypotheses, node: Expr) -> Iterator[Fact]:
    inner = node.args[0]
    yield from _triangle(atoms, node, "")
    if len(shares := _shares(inner)) == 2:
        apart = Expr("norm", (minus(*shares), ""))
        rule = "norm(softmax(s) - softmax(t)) <= norm(s - t)/2: the derivative diag(p) - p*p.T has no larger norm"
        yield Fact(rule, minus(apart, times(number(2), node)), trusted="Gershgorin")
    if atoms.distribution(inner) and inner.has("family"):
        yield Fact("a probability vector has norm <= 1", minus(ONE, node))
        square = times(size(known, inner), node, node)
        yield Fact("a probability vector has norm >= 1/sqrt(n)", minus(square, ONE))
        yield Fact("norm(p)**2 <= max p", minus(Expr("max", (inner,)), times(node, node)))
    if inner.op == "family":
        text, bound = known.sequences[inner.args[0]]
        if bound is not None:
            length = count(text)
            yield Fact("bound of the entries", minus(times(length, bound, bound), times(node, node)))
    if inner.op == "*" and len(inner.args) > 1:
        matrix = inner.args[0] if len(inner.args) == 2 else times(*inner.args[:-1])
        vector = inner.args[-1]
        bound = times(Expr("norm", (matrix, "2")), Expr("norm", (vector, "")))
        yield Fact("norm(A*v) <= norm(A, 2) norm(v)", minus(bound, node))


def _shares(node: Expr) -> list[Expr]:
    """s and t of softmax(s) - softmax(t)."""
    parts = parts_of(node, Fraction(1))
    fine = sorted(weight for weight, _ in parts) == [-1, 1] and all(part.op == "softmax" for _, part in parts)
    return [part.args[0] for _, part in parts] if fine else []


def _vector_entries(atoms: Atoms, known: Hypotheses, node: Expr) -> Iterator[Fact]:
    """Sums and maxima of absolute entries of a vector, beside each other and beside its length."""
    inner, kind = node.args
    largest, whole = (Expr("entrynorm", (inner, one)) for one in ("max", "sum"))
    length = Expr("norm", (inner, ""))
    if atoms.distribution(inner):
        yield Fact("entries of a probability vector sum to 1", minus(ONE, whole), equal=True)
    chain = "norm(v, oo) <= norm(v) <= norm(v, 1), norm(v)**2 <= norm(v, oo) norm(v, 1)"
    yield Fact(chain, minus(length, largest))
    yield Fact(chain, minus(whole, length))
    yield Fact(chain, minus(times(largest, whole), times(length, length)))
    if (many := _entries(known, inner)) is not None:
        n = count(many)
        counted = "norm(v, 1) <= sqrt(n) norm(v), norm(v) <= sqrt(n) norm(v, oo), norm(v, 1) <= n norm(v, oo)"
        root = Expr("sqrt", (n,))
        for low, high in ((whole, times(root, length)), (length, times(root, largest)), (whole, times(n, largest))):
            yield Fact(counted, minus(high, low))
    yield from _triangle(atoms, node, kind)
    if inner.op == "*" and len(inner.args) > 1:
        matrix = inner.args[0] if len(inner.args) == 2 else times(*inner.args[:-1])
        own = Expr("entrynorm", (matrix, {"max": "oo", "sum": "1"}[kind]))
        bound = times(own, Expr("entrynorm", (inner.args[-1], kind)))
        yield Fact("norm(A*v) <= norm(A) norm(v) for sums and for maxima of entries", minus(bound, node))


def _entries(known: Hypotheses, node: Expr) -> str | None:
    """How many entries a vector has; None where that is not seen."""
    if node.op == "vector":
        return "d"
    if node.op == "family":
        return known.sequences[node.args[0]][0] if node.args[0] in known.sequences else None
    if node.op == "+":
        return _entries(known, node.args[0])
    first = node.args[0] if node.op == "*" else node
    turned = first.op == "T"
    matrix = first.args[0] if turned else first
    return known.size(matrix.args[0])[turned] if isinstance(matrix, Expr) and matrix.op == "matrix" else None
