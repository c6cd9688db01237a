"""``twofold new-lemma``: a runnable skeleton of a lemma, in the current folder, that says what to fill in."""

from __future__ import annotations

import builtins
import json
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from proofs_check.inputs.errors import UsageError
from proofs_check.report.outputs import make_folder, remove_empty
from proofs_check.statements.request import Request
from theorems.claims.outside import regular_bytes, toml_of

_PART = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,60}")


#: Names that the skeletons import, which a function may not hide; packages whose name a paper may not take.
_IMPORTED = frozenset(
    [
        "form",
        "simulation",
        "search",
        "evaluation",
        "walks",
        "tensor",
        "torch",
        "np",
        "points",
        "claim",
        "derivation",
        "coefficient",
        "fact",
        "step",
        "w",
        "walk",
        "i",
        "j",
        "t",
        "position",
        "moment",
        "process",
    ]
)
_TAKEN = frozenset({"theorems", "montecarlo", "proofs_check", "figures", "tests", "twofold"}) | sys.stdlib_module_names


@dataclass(frozen=True)
class Skeleton:
    """The text of a kind of lemma: imports and keywords of the claim, body of the derivation, the simulation's file."""

    imports: str
    claim: str
    derivation: str
    simulation: str


_WALK_SIMULATION = '''"""The simulation of {id}: from sampled tokens, and nothing else."""

from __future__ import annotations

from torch import Tensor

from montecarlo.registry import simulation
from montecarlo.walks import Walks, form


# FILL IN, or leave out: one number a walk, shape (n,), whose mean is the quantity; degree = its degree in the tokens.
# walk.tokens is (n, T, d), walk.token(i) is x_i, (n, d), walk.scores(W) is x_a^T W x_T for every a, (n, T).
@simulation("{id}", degree={degree})
def {name}(walk: Walks, W: Tensor, {arguments}) -> Tensor:
    """{what}, (n,)."""
    return {numbers}
'''

_POINT_SIMULATION = '''"""The empirical check of {id}: {second}."""

from __future__ import annotations

{imports}


{body}
'''

_MOMENT = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="",
    derivation='''@derivation("{id}")
def {name}(walk: Process, i: Position, j: Position) -> Moment:
    """E[x_i^T W x_j], from the definition of the process."""
    # FILL IN, or leave out: walk.expect, walk.variance, walk.cov and walk.sum of forms. It is held to the statement.
    return walk.expect(walk.form(i, W, j))
''',
    simulation=_WALK_SIMULATION,
)

_LIMIT = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="",
    derivation='''@derivation("{id}")
def {name}(walk: Process, i: Position, T: Position) -> Moment:
    """E[x_i^T W x_T]/T, exactly for finite T."""
    # FILL IN, or leave out: walk.expect, walk.variance, walk.cov and walk.sum of forms. It is held to the statement.
    return walk.expect(walk.form(i, W, T)) / T
''',
    simulation=_WALK_SIMULATION,
)

#: The statements that the skeletons come with.
_REQUESTS = {
    "moment": Request("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "W symmetric, i <= j"),
    "limit": Request("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "W symmetric", limit="T -> oo, i/T -> theta"),
    "order": Request("sum(E[x[j].T*W*x[T]], j, 1, T) = O(T**2)", "W symmetric", limit="T -> oo"),
    "inequality": Request("tr(W)**2 <= d*tr(W*W)", "W symmetric"),
    "existence": Request("norm(W, nuclear) <= norm(W, fro)"),
    "optimum": Request("exp(u) - u >= 1", "u real"),
}
#: What is said of some statements beside.
_NOTES = {
    "existence": "That there is such a W is stated by its negation, which such a W refutes.",
    "optimum": "A least value is stated as a bound: a larger one is among the wrong versions, which are refuted.",
}
#: Kinds by the names that reports have for them.
_KINDS = {"identity": "moment", "asymptotic": "limit", "bound": "inequality"}

_ORDER = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="",
    derivation='''@derivation("{id}")
def {name}(walk: Process, T: Position) -> Moment:
    """sum_j E[x_j^T W x_T], exactly for finite T."""
    # FILL IN, or leave out: walk.expect, walk.variance, walk.cov and walk.sum of forms. It is held to the statement.
    return walk.sum(lambda j: walk.expect(walk.form(j, W, T)), upto=T)
''',
    simulation=_WALK_SIMULATION,
)

_CONSTRUCTION = Skeleton(
    imports="Fact, Step, claim, coefficient, derivation",
    claim="""    # what the construction attains, as printed
    printed="1/T",
    symbols="T",
    model="none",
    parameters="T i",
    quantity="the weight that uniform attention gives to token i",""",
    derivation='''@derivation("{id}")
def {name}() -> Fact:
    """The value of the construction: equal scores give 1/(1 + (T - 1))."""
    # FILL IN: the value from the construction's definition, and the steps that lead to it.
    u, T = coefficient("u"), coefficient("T")
    value = 1 / (1 + (T - 1))
    one, whole = (T / T).expr, (u + T - 1).expr
    counted = ((u.expr, one), (one, (T - 1).expr))
    weight = Step("softmax-weight", "the weight is {{2}}", (counted, u.expr, u.expr / whole))
    step = Step("at-origin", "({{0}})/({{1}}) at u = 1: {{2}}", (u.expr, whole, value.expr))
    return Fact(value, (weight, step), "construction")
''',
    simulation=_POINT_SIMULATION,
)

#: The skeletons of kinds beside which more than a statement may stand.
_SKELETONS = {"moment": _MOMENT, "limit": _LIMIT, "order": _ORDER, "construction": _CONSTRUCTION}
KINDS = (*_REQUESTS, "construction")

_WALK_PARTS = {
    "moment": ("2", "i: int, j: int", "x_i^T W x_j", "form(walk.token(i), W, walk.token(j))"),
    "limit": ("2", "i: int, T: int", "x_i^T W x_T / T", "walk.scores(W)[:, i - 1] / T"),
    "order": ("2", "T: int", "sum_j x_j^T W x_T", "walk.scores(W).sum(1)"),
}

_POINT_PARTS = {
    "construction": (
        "an independent numerical evaluation",
        "import torch\n\nfrom montecarlo.registry import evaluation",
        '''@evaluation("{id}")
def {name}(T: int, i: int) -> dict[str, tuple[float, float]]:
    """The weight of token i under the softmax of equal scores, with a bound of its rounding error."""
    # FILL IN: the construction itself, evaluated in float64.
    weight = torch.softmax(torch.zeros(T, dtype=torch.float64), 0)[i - 1]
    return {{"value": (float(weight), 4e-16)}}''',
    ),
}

_STATED = '''"""The statement of {id}{also}."""

from __future__ import annotations

from theorems.authoring import {imports}

CLAIM = claim(
    "{id}",
    # {fill}: the statement, in the language of `twofold check`; the verdict is about this, and nothing else.{note}
    {text},
    hypotheses={hypotheses},
    where={definitions},  # definitions, e.g. "s[i] = x[i].T*W*x[T]/T"
    law={law},
    limit={limit},  # e.g. "T -> oo, i/T -> theta"
    place="{where}",
)
{derivation}'''

_INFORMAL = '''"""The statement and the derivation of {id}."""

from __future__ import annotations

from theorems.authoring import {imports}

# Claims of this kind cannot be said as data yet: the claim is informal, and at best undecided.
CLAIM = claim(
    "{id}",
    kind="{kind}",
    # FILL IN: where it stands, its LaTeX, and the precise proposition.
    place="{where}",
    statement=r"",
    reading="",
{claim}
)


{derivation}'''

_TEST = '''"""The lemma is judged, and its wrong versions are caught."""

from __future__ import annotations

from {paper}.theorems.{module} import CLAIM
from proofs_check.api import judge


def test_{module}_gets_its_verdict() -> None:
    found = judge(CLAIM, effort="quick")
    # {expected}
    assert found.verdict == "{verdict}", found
    assert found.report["decoys"]["caught"] == found.report["decoys"]["of"]{some}
'''

_PROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{paper}"
version = "0.1.0"
dependencies = ["twofold"]

[project.entry-points."twofold.papers"]
{paper} = "{paper}"

[tool.hatch.build.targets.wheel]
packages = ["{paper}"]
"""


def files(claim_id: str, kind: str, taken: tuple[str, ...] = ()) -> dict[str, str]:
    """The skeleton's files: path below the current folder -> text. Raises UsageError for an unusable id or kind."""
    if kind not in (*KINDS, *_KINDS):
        raise UsageError("--kind", kind, f"one of {', '.join(KINDS)}")
    fill, kind = _names(claim_id, taken), _KINDS.get(kind, kind)
    if kind not in _SKELETONS:
        told = {**_TO_FILL, "verdict": "refuted", "some": ""} if kind == "existence" else _TO_FILL
        return _all(fill, _stated(fill, _REQUESTS[kind], note=_NOTES.get(kind, "")), None, told)
    skeleton = _SKELETONS[kind]
    derivation = skeleton.derivation.format(**fill)
    second = _empirical_check(fill, kind, skeleton)
    if kind in _REQUESTS:
        return _all(fill, _stated(fill, _REQUESTS[kind], skeleton.imports, derivation), second, _TO_FILL)
    first = _INFORMAL.format(**fill, imports=skeleton.imports, kind=kind, claim=skeleton.claim, derivation=derivation)
    told = {"expected": "FILL IN: an informal claim is undecided", "verdict": "undecided", "some": ""}
    return _all(fill, first, second, told)


#: What the test of a skeleton says.
_TO_FILL = {"expected": 'FILL IN: "verified" or "refuted"', "verdict": "verified", "some": " > 0"}


def saved_files(claim_id: str, request: Request, verdict: str, taken: tuple[str, ...] = ()) -> dict[str, str]:
    """The files of a lemma that was checked: its statement, and a test that holds it to its verdict."""
    fill = _names(claim_id, taken)
    told = {"expected": "what twofold check found", "verdict": verdict, "some": " > 0" if verdict == "verified" else ""}
    return _all(fill, _stated(fill, request, fill_in="from twofold check"), None, told)


def _names(claim_id: str, taken: tuple[str, ...]) -> dict[str, str]:
    """The names that an id gives to package, module and function; UsageError for an id that cannot be used."""
    parts = claim_id.split(".")
    mend = "e.g. mypaper.sec2.thing"
    if len(parts) < 3 or len(claim_id) > 200 or not all(_PART.fullmatch(part) for part in parts):
        raise UsageError("ID", claim_id, "paper.section.name, each of letters, digits, _ and -, a letter first", mend)
    paper = parts[0]
    if parts[-1] == "corrected":
        raise UsageError("ID", claim_id, "a name other than corrected, which corrections have", mend)
    if not paper.isidentifier() or keyword.iskeyword(paper) or paper in taken or paper in _TAKEN:
        raise UsageError("ID", claim_id, "a paper's name that is free and can name a Python package", mend)
    module = "_".join(parts[1:]).replace("-", "_").lower()
    name = parts[-1].replace("-", "_").lower()
    name = name + "_" if keyword.iskeyword(name) or name in _IMPORTED or hasattr(builtins, name) else name
    return {"id": claim_id, "name": name, "paper": paper, "module": module, "where": ".".join(parts[1:])}


def _stated(
    fill: Mapping[str, str],
    request: Request,
    imports: str = "claim",
    derivation: str = "",
    fill_in: str = "FILL IN",
    note: str = "",
) -> str:
    """The module of a statement that is data, with a derivation where there is one."""
    return _STATED.format(
        **fill,
        also=", and a derivation of its quantity" if derivation else "",
        imports=imports,
        fill=fill_in,
        note=f"\n    # {note}" if note else "",
        text=_quoted(request.text),
        hypotheses=_quoted(request.hypotheses),
        definitions=_quoted(request.where),
        law=_quoted(request.law),
        limit=_quoted(request.limit),
        derivation=f"\n\n{derivation}" if derivation else "",
    )


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()))


def _empirical_check(fill: Mapping[str, str], kind: str, skeleton: Skeleton) -> str:
    if kind in _WALK_PARTS:
        degree, arguments, what, numbers = _WALK_PARTS[kind]
        return skeleton.simulation.format(**fill, degree=degree, arguments=arguments, what=what, numbers=numbers)
    side, imports, body = _POINT_PARTS[kind]
    return skeleton.simulation.format(**fill, second=side, imports=imports, body=body.format(**fill))


def _all(fill: Mapping[str, str], first: str, second: str | None, told: Mapping[str, str]) -> dict[str, str]:
    """The files of a lemma with this statement and this empirical check."""
    paper, module = fill["paper"], fill["module"]
    found = {
        "pyproject.toml": _PROJECT.format(**fill),
        f"{paper}/__init__.py": f'"""Lemmas of {paper}."""\n',
        f"{paper}/theorems/__init__.py": '"""Statements and derivations."""\n',
        f"{paper}/montecarlo/__init__.py": '"""Simulations."""\n',
        f"{paper}/theorems/{module}.py": first,
    }
    if second is not None:
        found[f"{paper}/montecarlo/{module}.py"] = second
    found[f"tests/test_{paper}_{module}.py"] = _TEST.format(**fill, **told)
    return found


#: Files that a second lemma of the same paper shares with the first.
SHARED = ("pyproject.toml", "__init__.py")


def write(claim_id: str, wanted: Mapping[str, str], folder: Path) -> list[Path]:
    """Write a lemma's files below a folder; what is there already is kept, and one's own is never overwritten."""
    check_free(claim_id, wanted, folder)
    written: list[Path] = []
    made: list[Path] = []
    for name, text in wanted.items():
        path = folder / name
        if path.exists():
            continue
        try:
            made += make_folder(path.parent)
            with path.open("x", encoding="utf-8") as handle:
                written.append(path)
                handle.write(text)
        except BaseException as error:
            # a lemma is there whole or not at all
            for done in written:
                done.unlink(missing_ok=True)
            remove_empty(made)
            if not isinstance(error, OSError):
                raise
            raise UsageError("ID", claim_id, f"a folder that can be written; {name}: {error.strerror}") from None
    return written


def entry_point(paper: str, folder: Path) -> str:
    """What makes the lemmas of a folder known: its pyproject.toml, or what is to be added to that."""
    try:
        found: Any = toml_of(regular_bytes(folder / "pyproject.toml").decode())
        for name in ("project", "entry-points", "twofold.papers", paper):
            found = found[name]
    except (OSError, ValueError, LookupError, TypeError):
        found = None
    if found == paper:
        return "pip install -e . here; the entry point in pyproject.toml makes the lemmas known."
    return (
        f'add {paper} = "{paper}" under [project.entry-points."twofold.papers"] in pyproject.toml, '
        f"and the package {paper} to what is built; then pip install -e . here makes the lemmas known."
    )


def check_free(claim_id: str, wanted: Mapping[str, str], folder: Path) -> None:
    """Raise UsageError where a lemma's files cannot be written below a folder without touching another's."""
    paper = claim_id.split(".")[0]
    # a folder of that name hides a package of Python's; one that holds lemmas may be installed, too
    elsewhere = [path for path in sys.path if Path(path or ".").resolve() != folder.resolve()]
    taken = paper in sys.builtin_module_names or PathFinder.find_spec(paper, elsewhere) is not None
    if taken and not (folder / paper / "theorems" / "__init__.py").exists():
        raise UsageError("ID", claim_id, f"a paper's name that is free; Python has a package {paper}", "choose another")
    for module in ("theorems.py", "montecarlo.py"):
        if (folder / paper / module).exists():
            raise UsageError(
                "ID", claim_id, f"a folder {paper}/{module[:-3]}; {paper}/{module} is there", "move it there"
            )
    for name in wanted:
        # a link that leads nowhere, or around, is not there and yet cannot be written through
        for part in (folder / name, *(folder / above for above in Path(name).parents)):
            if part.is_symlink() and not part.exists():
                raise UsageError(
                    "ID", claim_id, f"no link {part.relative_to(folder)} that leads nowhere", "move it away"
                )
        if (folder / name).exists() and not name.endswith(SHARED):
            raise UsageError("ID", claim_id, f"a lemma that is not there yet; {name} exists", "choose another name")
        for above in (folder / name).relative_to(folder).parents:
            if (folder / above).exists() and not (folder / above).is_dir():
                raise UsageError("ID", claim_id, f"a folder {above}; it is a file", "move it away")
