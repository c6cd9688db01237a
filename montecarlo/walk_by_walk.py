"""A simulation's numbers beside a statement's quantity, walk by walk, on the same tokens.

A moment E[f] is compared as f, Var[f] and Cov[f, g] as the half squared (or multiplied) differences of consecutive
walks, and what is linear in moments as the same combination of these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from montecarlo import cases, seeds
from montecarlo.draws import draw_normals, normals
from montecarlo.empirical_checks import COUNT, SAMPLED, SINGLE, Growth, Simulation
from montecarlo.registry import covariance
from montecarlo.statements.environment import Environment, environment_of
from montecarlo.statements.nodes import MOMENTS, Node, StatementSimulationError, frozen, has_moment, names, put, text
from montecarlo.statements.simulation import places_of
from montecarlo.statements.tails import degree
from montecarlo.statements.tokens import Process
from montecarlo.statements.values import numbers, value, whole
from montecarlo.walks import Walks, covariance_root

#: Walks that are looked at.
WALKS = 512
#: Numbers may differ by this part of the largest of them, for rounding.
ROUNDING = 1e-9
#: The law of tokens whose order does not show, and most ways of placing those that a statement names.
EXCHANGEABLE, PLACES = "exchangeable", 720
#: Laws whose tokens ``Walks`` makes, by its start.
STARTS = {"walk": "sigma", "walk-zero": "zero"}


class NotComparedError(ValueError):
    """A simulation that cannot be compared walk by walk with a quantity; the message says why."""


@dataclass(frozen=True)
class Apart:
    """The walk (or the first of two) at which a simulation's number is not the statement's, and both numbers."""

    quantity: str
    walk: int
    simulated: float
    stated: float

    def __str__(self) -> str:
        return (
            f"{self.quantity}: at walk {self.walk} the simulation's number is {self.simulated:.12g}, the statement's "
            f"quantity has {self.stated:.12g}"
        )


class GivenWalks:
    """Tokens (n, T, d) of any law, as a simulation reads a ``Walks``."""

    def __init__(self, tokens: Tensor) -> None:
        self.tokens = tokens
        self.n, self.T, self.d = tokens.shape

    def token(self, i: int) -> Tensor:
        """x_i, (n, d), for 1 <= i <= T."""
        if not 1 <= i <= self.T:
            raise ValueError(f"i = {i}; expected 1 <= i <= T = {self.T}")
        return self.tokens[:, i - 1]

    @cached_property
    def last(self) -> Tensor:
        """x_T, (n, d)."""
        return self.tokens[:, -1]

    def scores(self, W: Tensor) -> Tensor:
        """The scores x_a^T W x_T of all tokens a, (n, T), for W (d, d)."""
        return torch.einsum("nad,de,ne->na", self.tokens, W, self.last)


def apart(
    simulation: Simulation,
    case: Mapping[str, Any],
    law: Sequence[Any],
    quantities: Mapping[str, Sequence[Any]],
    *,
    seed: int,
    key: str,
    walks: int = WALKS,
    sizes: Mapping[str, tuple[str, str]] | None = None,
) -> Apart | None:
    """The first walk at which a simulation's number for a quantity is not the statement's; None where none is.

    ``law`` and the ``quantities`` are in a statement's plain form, ``sizes`` those of matrices that need not be d x d.
    Raises NotComparedError for a free simulation, for a quantity that is not linear in moments, and where the two do
    not make one number for the same walks.
    """
    # tensors of the inference mode have no derivatives, which a statement may ask for
    with torch.no_grad():
        nodes = {name: frozen(plain) for name, plain in quantities.items()}
        env = environment_of(case, "cpu", sizes)
        T = 0 if simulation.model == "free" else _length(case, nodes.values(), env)
        tokens, returned = _numbers(simulation, case, law, T, seed, key, walks)
        named = dict(returned) if isinstance(returned, Mapping) else {SINGLE: returned}
        env.scalars = {"T": tokens.shape[1], **env.scalars}
        for name, node in nodes.items():
            if name not in named and set(named) != {SINGLE}:
                raise NotComparedError(f"the simulation returns no {name}; it returns {', '.join(named)}")
            found = _apart(name, named.get(name, named.get(SINGLE)), node, env.with_tokens(tokens), law)
            if found is not None:
                return found
    return None


def apart_as_drawn(
    simulation: Simulation,
    case: Mapping[str, Any],
    names: Mapping[str, Any],
    drawn: Callable[..., Tensor],
    quantities: Mapping[str, Sequence[Any]],
    *,
    seed: int,
    key: str,
    walks: int,
) -> Apart | None:
    """The first draw at which a free simulation's number is not the statement's on the tokens ``drawn``; None for none.

    ``names`` are what the statement's names stand for at the case. Both read a generator from the same state on.
    """
    given = {name: float(Fraction(str(case[name]))) for name in simulation.parameters if name in case}

    def generator() -> torch.Generator:
        made = torch.Generator()
        made.manual_seed(seeds.block_seed(seeds.case_digest(seed, simulation.claim_id, key), 0))
        return made

    with torch.inference_mode():
        returned = simulation.function(generator=generator(), n=walks, **given)
        tokens = drawn(generator=generator(), n=walks, **given).double()
        env = environment_of(names).with_tokens(tokens)
        for name, plain in quantities.items():
            own = returned[name] if isinstance(returned, Mapping) else returned
            found = _apart(name, own, frozen(plain), env, ("walk",))
            if found is not None:
                return found
    return None


def _numbers(
    simulation: Simulation, case: Mapping[str, Any], law: Sequence[Any], T: int, seed: int, key: str, walks: int
) -> tuple[Tensor, Any]:
    """Tokens (n, T, d) at a case, and what the simulation makes of them."""
    wanted = [name for name in simulation.parameters if name not in (*SAMPLED, COUNT)]
    if simulation.model != "free":
        tokens, sampled = _tokens(simulation, case, law, T, seed, key, walks)
        longer = {"T": T, **case} if simulation.model == "walk" else dict(case)
        given = cases.arguments(longer, wanted, torch.device("cpu"))
        return tokens, simulation.function(**sampled, **given)
    if simulation.drawn is None:
        raise NotComparedError("a simulation with a generator of its own cannot be held against tokens")
    if law[0] != EXCHANGEABLE:
        raise NotComparedError(f"the tokens are of a law of the simulation's own, which is no {law[0]}")
    given = cases.numbers(case, wanted)
    generator = torch.Generator()
    generator.manual_seed(seeds.block_seed(seeds.case_digest(seed, simulation.claim_id, key), 0))
    tokens = simulation.drawn.tokens(generator, walks, given)
    return tokens.double(), simulation.drawn.numbers(tokens.clone(), given)


def _averaged(node: Node, env: Environment) -> tuple[str, Tensor, float]:
    """A quantity's numbers under an exchangeable law: the mean over all distinct tokens at the positions that are free.

    They have one expectation wherever the tokens stand.
    """
    free = sorted(names(node) - env.scalars.keys())
    count = int(env.scalars["T"])
    places = list(permutations(range(1, count + 1), len(free)))
    if not places or len(places) > PLACES:
        raise NotComparedError(f"{len(free)} positions among {count} tokens; expected 1 to {PLACES} ways to place them")
    total, size = torch.zeros(env.n, dtype=torch.float64), 0.0
    for chosen in places:
        here = env.with_tokens(env._tokens())
        here.scalars = {**env.scalars, **dict(zip(free, map(float, chosen), strict=True))}
        kind, found, most = numbers_of(node, here)
        if kind == "pair of walks":
            raise NotComparedError(f"{text(node)}: of an exchangeable law only expectations are compared")
        total, size = total + found, max(size, most)
    return "walk", total / len(places), size


def _apart(name: str, own: Any, node: Node, env: Environment, law: Sequence[Any]) -> Apart | None:
    kind, stated, size = (_averaged if law[0] == EXCHANGEABLE else numbers_of)(node, env)
    if not isinstance(own, Tensor) or own.shape != stated.shape:
        shape = tuple(own.shape) if isinstance(own, Tensor) else type(own).__name__
        mend = "; variance(f) and covariance(f, g) make them" if kind == "pair of walks" else ""
        raise NotComparedError(
            f"{name} is {shape}; the statement's {text(node)} is one number a {kind}, {tuple(stated.shape)}{mend}"
        )
    if own.is_floating_point() and own.dtype != torch.float64:
        raise NotComparedError(f"{name} is {own.dtype}, which rounds too much to tell; return float64")
    gap = (own.double() - stated).abs()
    wrong = ~(gap <= ROUNDING * size)
    if not bool(wrong.any()):
        return None
    place = int(torch.nonzero(wrong)[0])
    return Apart(name, place * (2 if kind == "pair of walks" else 1) + 1, float(own[place]), float(stated[place]))


def growth_apart(
    growth: Growth, T: int, given: Mapping[str, Any], quantities: Mapping[str, Sequence[Any]], *, seed: int, walks: int
) -> Apart | None:
    """The first walk of T tokens at which a growth's number is not the statement's; None where none is.

    ``given`` are the values of the statement's names for which the growth is simulated. Raises NotComparedError for a
    growth without tokens, without a number of a quantity, or with one of which nothing is said.
    """
    if growth.tokens is None:
        raise NotComparedError("it says nothing of its tokens; register it with tokens=...")
    state = seeds.block_seed(seeds.case_digest(seed, growth.claim_id, f"walk by walk, T = {T}"), 0)
    with torch.inference_mode():
        numbers = growth.function(torch.Generator().manual_seed(state), walks, T)
        tokens = growth.tokens(torch.Generator().manual_seed(state), walks, T)
        if tokens.shape[:2] != (walks, T + 1):
            raise NotComparedError(f"its tokens are {tuple(tokens.shape)}; expected ({walks}, {T + 1}, d)")
        env = environment_of({"T": T, "d": tokens.shape[2], **given}).with_tokens(tokens.double())
        for name, plain in quantities.items():
            if name not in numbers:
                raise NotComparedError(f"it returns no {name}; it returns {', '.join(numbers)}")
            found = _apart(name, numbers[name].double(), frozen(plain), env, ("walk",))
            if found is not None:
                return found
        if unsaid := [name for name in numbers if name not in quantities]:
            raise NotComparedError(f"it returns {unsaid[0]}, of which nothing is said")
    return None


def numbers_of(node: Node, env: Environment) -> tuple[str, Tensor, float]:
    """What a quantity's numbers are one of ("walk" or "pair of walks"), the numbers, and the size that rounding has.

    Raises NotComparedError for a quantity that is not linear in E, P, Var and Cov.
    """
    op, args = node[0], node[1:]
    if not has_moment(node):
        constant = value(node, env)
        found = torch.full((env.n,), float(constant), dtype=torch.float64)
        return "constant", found, abs(float(constant))
    if op in ("E", "P"):
        found = numbers(args[0], env).double()
        return "walk", found, _size(found)
    if op in ("Var", "Cov"):
        f, g = numbers(args[0], env).double(), numbers(args[-1], env).double()
        return "pair of walks", covariance(f, g), _size(f) * _size(g)
    if op == "+":
        return _added([numbers_of(part, env) for part in args], node)
    if op == "*" and sum(has_moment(part) for part in args) == 1:
        return _scaled(args, env)
    if op == "diff" and args[0][0] == "E":
        found = numbers((op, args[0][1], *args[1:]), env).double()
        return "walk", found, _size(found)
    if op == "/" and not has_moment(args[1]):
        kind, found, size = numbers_of(args[0], env)
        below = float(value(args[1], env))
        return kind, found / below, size / abs(below)
    if op == "sum":
        body, index, first, last = args
        ends = [whole(float(value(end, env)), end) for end in (first, last)]
        moved = [put(body, index, ("number", str(k))) for k in range(ends[0], ends[1] + 1)]
        return _added([numbers_of(part, env) for part in moved] or [numbers_of(("number", "0"), env)], node)
    known = ", ".join(MOMENTS[:3])
    raise NotComparedError(f"{text(node)} is not linear in moments ({known}), so no walk has a number for it")


def degree_of(node: Node) -> int | None:
    """The polynomial degree in the tokens of what a quantity's numbers are; None where it is not seen to have one."""
    op, args = node[0], node[1:]
    if not has_moment(node):
        return 0
    if op in ("E", "Var", "Cov"):
        parts = [degree(arg) for arg in (args * 2 if op == "Var" else args)]
    elif op in ("+", "*", "/"):
        parts = [degree_of(arg) for arg in args]
    else:
        return None
    known = [one for one in parts if one is not None]
    return None if len(known) < len(parts) else max(known) if op in ("+", "/") else sum(known)


def _size(found: Tensor) -> float:
    return float(found.abs().max()) if found.numel() else 0.0


def _scaled(args: Sequence[Node], env: Environment) -> tuple[str, Tensor, float]:
    weight, moment = 1.0, args[0]
    for part in args:
        if has_moment(part):
            moment = part
        else:
            weight *= float(value(part, env))
    kind, found, size = numbers_of(moment, env)
    return kind, weight * found, abs(weight) * size


def _added(parts: Sequence[tuple[str, Tensor, float]], node: Node) -> tuple[str, Tensor, float]:
    kinds = {kind for kind, _, _ in parts} - {"constant"} or {"constant"}
    if len(kinds) != 1:
        raise NotComparedError(f"{text(node)} adds moments of walks and of pairs of walks; state them one by one")
    (kind,) = kinds
    length = next(len(found) for one, found, _ in parts if one == kind)
    total = torch.zeros(length, dtype=torch.float64)
    for _, found, _ in parts:
        total = total + found[:length]
    return kind, total, sum(size for _, _, size in parts)


def _tokens(
    simulation: Simulation, case: Mapping[str, Any], law: Sequence[Any], T: int, seed: int, key: str, walks: int
) -> tuple[Tensor, dict[str, Any]]:
    """Tokens (n, T, d) at a case, and what the simulation is handed of them."""
    cpu = torch.device("cpu")
    generator = torch.Generator()
    generator.manual_seed(seeds.block_seed(seeds.case_digest(seed, simulation.claim_id, key), 0))
    root = covariance_root(cases.covariance_matrix(case, cpu))
    given = isinstance(case.get("m"), list)
    mean = cases.tensor(case, "m", cpu) if given else torch.zeros(len(root), dtype=torch.float64)
    if simulation.model == "gaussian":
        z = normals(generator, walks, len(root))
        x = z @ root + mean
        # x ~ N(m, Sigma) is the second token of a walk that starts at m
        before = [mean.expand_as(x)] if law[0] == "walk-mean" else []
        if law[0] not in ("walk-mean", "iid", "walk") or (not before and bool(mean.any())):
            raise NotComparedError(f"x ~ N(m, Sigma) is no token of the law {law[0]}; state it of x[2], walk(start=m)")
        return torch.stack([*before, x], 1), {"x": x}
    if law[0] in STARTS:
        z = draw_normals(torch.empty(T, len(root), walks, dtype=torch.float32), generator)
        walk: Any = Walks(z, root, STARTS[law[0]])
    else:
        # a law has numbers for its parameters, and a vector m
        env = environment_of({name: one for name, one in case.items() if name == "m" or not isinstance(one, list)})
        try:
            made = Process(frozen(law), T, root, env.scalars, env.lists.get("m")).draw(walks, generator)
        except StatementSimulationError as error:
            raise NotComparedError(str(error)) from None
        walk = GivenWalks(made)
    # copies, as a simulation may work in what it is handed
    handed = {
        name: walk if name == "walk" else walk.tokens.clone() for name in simulation.parameters if name in SAMPLED
    }
    return walk.tokens.clone(), handed


def _length(case: Mapping[str, Any], nodes: Iterable[Node], env: Environment) -> int:
    """How many tokens a walk has: T of a case, or its largest integer but d; more where a quantity names later ones."""
    integers = [v for name, v in case.items() if isinstance(v, int) and not isinstance(v, bool) and name != "d"]
    return max([*([int(case["T"])] if "T" in case else integers), *places_of(nodes, env), 1])
