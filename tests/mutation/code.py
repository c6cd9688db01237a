"""Mutants of a function's code: one constant, operator, condition or argument changed, in memory and for a moment.

A mutant is compiled from the source of the module and put in the place of the function's code object, so that every
importer and every registry sees it; the original code object comes back whatever happens.
"""

from __future__ import annotations

import ast
import copy
import dis
import functools
import inspect
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from theorems.rules import RULES

#: What is compared the other way, and at the boundary.
_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
#: Calls that say the opposite of one another.
_OPPOSITE = {"all": "any", "any": "all", "min": "max", "max": "min"}
#: Functions whose first two arguments may be exchanged: nothing is changed by that. A test shows it of each of ours.
SYMMETRIC = frozenset(
    {
        *("same", "equal", "equal_sums", "covariance", "_is", "moment", "moment_by_deviations"),
        *("min", "max", "Min", "Max", "Add", "Mul", "gcd", "has"),
    }
)


class TooLong(BaseException):
    """A mutant that did not end within its time; no ``except`` of the code under it takes this for data."""


#: A way from a node to one below it: names of fields, each with a place where the field is a list.
_Way = tuple[tuple[str, int | None], ...]
_Change = Callable[[Any], Any]


@dataclass(frozen=True)
class CodeMutant:
    """One change of one function: its name is the function, what was there and what is there now.

    ``line`` is where it stands today; the name does not move with it.
    """

    function: FunctionType
    name: str
    line: int
    way: _Way
    change: _Change

    def compiled(self) -> CodeType:
        """The changed function's code object, with the original's free variables."""
        own = self.function.__code__
        definition = copy.deepcopy(_definition(_parsed(self.function.__module__), self.function))
        parent, target = _at(definition, self.way)
        _put(parent, self.way[-1], self.change(target))
        definition.decorator_list = []
        body: list[ast.stmt] = [definition]
        for name in reversed(own.co_qualname.split(".")[:-1]):
            # inside its class, so that super() finds it
            body = [ast.ClassDef(name, [], [], body, [])]
        future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
        module = ast.fix_missing_locations(ast.Module([future, *body], []))
        found = compile(module, own.co_filename, "exec", dont_inherit=True)
        return next(code for code in _codes(found) if code.co_qualname == own.co_qualname)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


@functools.cache
def _parsed(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def plain(function: Any) -> FunctionType:
    """The function under its decorators; TypeError for what is no Python function."""
    found = inspect.unwrap(function)
    if not isinstance(found, FunctionType):
        raise TypeError(f"{function!r} has no code to change; expected a Python function")
    return found


def reached(function: Any, modules: frozenset[str]) -> list[FunctionType]:
    """The function, and those that it calls by name in these modules, directly or through one another."""
    found = [plain(function)]
    for known in found:
        codes = (known.__code__, *_codes(known.__code__))
        # the name of an attribute calls nothing
        names = {one.argval for code in codes for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}
        for name in sorted(names):
            other = inspect.unwrap(known.__globals__.get(name))  # type: ignore[arg-type]
            if isinstance(other, FunctionType) and other.__module__ in modules and other not in found:
                found.append(other)
    return found


def methods(kind: type) -> list[FunctionType]:
    """The functions that a class defines itself."""
    return [value for value in vars(kind).values() if isinstance(value, FunctionType)]


def code_mutants(function: FunctionType) -> list[CodeMutant]:
    """Every change of one node of the function's body, the same change in two places told apart by a number."""
    found: list[CodeMutant] = []
    seen: dict[str, int] = {}
    for way, node in _changeable(_definition(_parsed(function.__module__), function)):
        before = _short(ast.unparse(node))
        for change in _changes(node):
            after = _short(ast.unparse(ast.fix_missing_locations(change(node))))
            label = f"{function.__module__}.{function.__qualname__}: {before} -> {after}"
            seen[label] = seen.get(label, 0) + 1
            number = f" #{seen[label]}" if seen[label] > 1 else ""
            line = getattr(node, "lineno", None) or node.target.lineno
            found.append(CodeMutant(function, label + number, line, way, change))
    return found


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 90 else flat[:60] + " ... " + flat[-25:]


def _definition(tree: ast.Module, function: FunctionType) -> Any:
    line, name = function.__code__.co_firstlineno, function.__name__
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == line:
                return node
    raise LookupError(f"{function.__module__}.{function.__qualname__}: not found in its module's source")


def _changeable(definition: ast.AST) -> Iterator[tuple[_Way, Any]]:
    """The nodes of a function's body that a change makes sense for, with the way to each.

    Messages, documentation and annotations decide nothing.
    """

    def below(node: ast.AST, way: _Way) -> Iterator[tuple[_Way, Any]]:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
                continue
            children = value if isinstance(value, list) else [value]
            for place, child in enumerate(children):
                if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr):
                    continue
                if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                    continue
                step = (*way, (field, place if isinstance(value, list) else None))
                yield step, child
                yield from below(child, step)

    for way, node in below(definition, ()):
        if isinstance(node, ast.expr | ast.If | ast.comprehension):
            yield way, node


def _at(root: ast.AST, way: _Way) -> tuple[ast.AST, Any]:
    parent: Any = root
    node: Any = root
    for field, place in way:
        parent, node = node, getattr(node, field)
        node = node if place is None else node[place]
    return parent, node


def _put(parent: ast.AST, step: tuple[str, int | None], node: Any) -> None:
    field, place = step
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


def _changes(node: Any) -> Iterator[_Change]:
    """Functions that make a changed copy of a node of this kind."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda n: ast.Constant(not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield lambda n: ast.Constant(n.value + 1)
        yield lambda n: ast.Constant(n.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield lambda n: ast.Constant(n.value * 1.05)
    elif isinstance(node, ast.Compare):
        for place, own in enumerate(node.ops):
            for other in _COMPARED[type(own)]:
                yield functools.partial(_compared, place, other())
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        opposite = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield lambda n: ast.BinOp(n.left, opposite, n.right)
    elif isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            yield functools.partial(_dropped, place)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield lambda n: n.operand
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _OPPOSITE:
            yield _reversed
        name = ast.unparse(node.func).rpartition(".")[2]
        two = len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2])
        if two and name not in SYMMETRIC and ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield lambda n: ast.Call(n.func, [n.args[1], n.args[0], *n.args[2:]], n.keywords)
    elif isinstance(node, ast.If | ast.IfExp):
        yield _negated
    elif isinstance(node, ast.comprehension):
        for place in range(len(node.ifs)):
            yield functools.partial(_unfiltered, place)


def _compared(place: int, other: ast.cmpop, node: ast.Compare) -> ast.Compare:
    return ast.Compare(node.left, [*node.ops[:place], other, *node.ops[place + 1 :]], node.comparators)


def _dropped(place: int, node: ast.BoolOp) -> ast.expr:
    left = [*node.values[:place], *node.values[place + 1 :]]
    return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def _reversed(node: Any) -> ast.Call:
    return ast.Call(ast.Name(_OPPOSITE[node.func.id], ast.Load()), node.args, node.keywords)


def _negated(node: Any) -> Any:
    other = copy.copy(node)
    other.test = ast.UnaryOp(ast.Not(), node.test)
    return other


def _unfiltered(place: int, node: ast.comprehension) -> ast.comprehension:
    left = [*node.ifs[:place], *node.ifs[place + 1 :]]
    return ast.comprehension(node.target, node.iter, left, node.is_async)


@contextmanager
def mutated(mutant: CodeMutant) -> Iterator[None]:
    """The mutant in the place of its function inside the block; what was remembered before is forgotten, twice."""
    original = mutant.function.__code__
    changed = mutant.compiled()
    forget(mutant.function)
    mutant.function.__code__ = changed
    try:
        yield
    finally:
        mutant.function.__code__ = original
        forget(mutant.function)


#: The two sides, whose functions are mutated.
_SIDES = ("theorems.", "montecarlo.")
#: Modules whose memory holds no result of what is mutated: statements, symbols, rings, normal forms.
_KEPT = frozenset(
    {"theorems.claims.catalogue", "theorems.algebra.expressions", "theorems.algebra.ratio", "theorems.algebra.closed"}
)


@functools.cache
def _memories(modules: frozenset[str]) -> tuple[Any, ...]:
    found = []
    for name in sorted(modules):
        module: ModuleType = sys.modules[name]
        found += [value for value in vars(module).values() if isinstance(value, functools._lru_cache_wrapper)]
    return tuple(found)


def forget(changed: FunctionType | None = None) -> None:
    """Empty the memory of every cached function of the two sides, lest a mutant be judged by what came before it.

    But of a rule's functions that cannot have called the one that is ``changed``.
    """
    own = (n for n in list(sys.modules) if n.startswith(_SIDES) and n not in _KEPT)
    for memory in _memories(frozenset(own)):
        if changed is None or not _apart(memory, changed):
            memory.cache_clear()


@functools.cache
def _apart(memory: Any, changed: FunctionType) -> bool:
    """Whether a cached function of a rule's module is shown not to call a function.

    That is so where its module and all that this imports do not hold the other one, or hold it by its name alone and
    that is not among what the function calls by name; and where none of these asks for a rule by the rule's name.
    """
    home = memory.__module__
    if home not in {check.__module__ for check in RULES.values()}:
        return False
    imported = _imported(home)
    functions = reached(memory, imported)
    codes = (code for function in functions for code in (function.__code__, *_codes(function.__code__)))
    if {name for code in codes for name in code.co_names} & {"licensed", "licensed_by", "RULES"}:
        return False
    if changed.__module__ not in imported:
        return True
    named = vars(sys.modules[changed.__module__]).get(changed.__name__)
    return inspect.unwrap(named) is changed and changed not in functions and not _tabled(imported, changed)  # type: ignore[arg-type]


@functools.cache
def _tabled(modules: frozenset[str], function: FunctionType) -> bool:
    """Whether a table of these modules holds the function, so that it may be called without its name."""
    tables = [v for m in modules for v in vars(sys.modules[m]).values() if isinstance(v, Collection) and v is not RULES]
    entries = (
        e for t in tables if not isinstance(t, str) for e in (*t, *(t.values() if isinstance(t, Mapping) else ()))
    )
    parts = (part for entry in entries for part in (entry if isinstance(entry, tuple) else (entry,)))
    return any(inspect.unwrap(part) is function for part in parts if callable(part))


@functools.cache
def _imported(module: str) -> frozenset[str]:
    """The module, and all of the two sides' that it imports, directly or through one another."""
    found = [module]
    for known in found:
        for node in ast.walk(_parsed(known)):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            found += [n for n in names if n.startswith(_SIDES) and n in sys.modules and n not in found]
    return frozenset(found)


def _quiet(lost: sys.UnraisableHookArgs) -> None:
    """Say nothing of a ring that was lost in a destructor: it rings again."""
    if not isinstance(lost.exc_value, TooLong):
        sys.__unraisablehook__(lost)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block after so many seconds of processor time; where the system has such alarms only.

    There is one alarm: do not put one block in another.
    """
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {seconds:g} s")

    def quiet() -> None:
        sys.unraisablehook = told
        signal.setitimer(signal.ITIMER_PROF, 0)
        # one that rang at the last moment must not end the process, as it would by default
        signal.signal(signal.SIGPROF, signal.SIG_IGN)

    signal.signal(signal.SIGPROF, ring)
    told, sys.unraisablehook = sys.unraisablehook, _quiet
    # again and again: the first may ring where exceptions are lost, in a destructor say
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        try:
            yield
        finally:
            quiet()
    except TooLong:
        # it may have rung within quiet()
        quiet()
        raise
