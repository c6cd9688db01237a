"""Norms by columns, rows and entries, inverses and eigenvalues of matrices, walk by walk."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import Value, evaluate, kept, reads
from montecarlo.statements.nodes import Node, StatementSimulationError, text

#: An eigenvalue whose imaginary part is beyond this part of the matrix' size is not real.
REAL = 1e-6

#: Of absolute entries (..., rows, columns).
_ENTRY_NORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "1": lambda sizes: sizes.sum(-2).amax(-1),
    "oo": lambda sizes: sizes.sum(-1).amax(-1),
    "max": lambda sizes: sizes.amax((-2, -1)),
    "sum": lambda sizes: sizes.sum((-2, -1)),
}


@reads("entrynorm")
def _entry_norm(node: Node, env: Environment) -> Value:
    found, kind = evaluate(node[1], env), node[2]
    data = found.tensor
    if found.kind == "scalar":
        return kept(data.abs())
    if found.kind != "matrix":
        data = data[..., None, :] if found.kind == "row" else data[..., None]
    return kept(_ENTRY_NORMS[kind](data.abs()))


def _matrix(node: Node, env: Environment) -> Tensor:
    found = evaluate(node[1], env)
    if found.kind != "matrix":
        raise StatementSimulationError(f"{text(node)} takes a matrix, not a {found.kind}")
    tensor: Tensor = found.tensor
    return tensor


@reads("inv")
def _inverse(node: Node, env: Environment) -> Value:
    inverse, info = torch.linalg.inv_ex(_matrix(node, env))
    if bool((info != 0).any()):
        raise StatementSimulationError(f"{text(node)}: a matrix without an inverse")
    return Value("matrix", inverse)


@reads("eig")
def _eigenvalues(node: Node, env: Environment) -> Value:
    matrix = _matrix(node, env)
    values = torch.linalg.eigvals(matrix)
    size = torch.linalg.matrix_norm(matrix)[..., None]
    if bool((values.imag.abs() > REAL * size).any()):
        raise StatementSimulationError(f"{text(node)}: eigenvalues that are not real; take those of a symmetric matrix")
    return Value("family", values.real.sort(-1).values)
