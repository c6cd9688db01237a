"""``twofold new-lemma``: a runnable skeleton of a lemma, in the current folder, that says what to fill in."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from proofs_check.errors import UsageError

_PART = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,60}")


#: Names that the skeletons import, which a function may not hide; packages whose name a paper may not take.
_IMPORTED = frozenset(
    (
        *("form", "simulation", "search", "evaluation", "walks", "tensor", "torch", "np", "points"),
        *("claim", "derivation", "coefficient", "fact", "step", "w"),
    )
)
_TAKEN = frozenset({"theorems", "montecarlo", "proofs_check", "figures", "tests"}) | sys.stdlib_module_names


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


# FILL IN: one number a walk, shape (n,), whose mean is the quantity; degree = its polynomial degree in the tokens.
# walk.tokens is (n, T, d), walk.token(i) is x_i, (n, d), walk.scores(W) is x_a^T W x_T for every a, (n, T).
@simulation("{id}", degree={degree})
def {name}(walk: Walks, W: Tensor, {arguments}) -> Tensor:
    """{what}, (n,)."""
    return {numbers}
'''

_POINT_SIMULATION = '''"""The second side of {id}: {second}."""

from __future__ import annotations

{imports}


{body}
'''

_IDENTITY = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="""    # the right-hand side as printed, in the symbols; tr1 = tr(W Sigma), tr2 = tr(W Sigma W Sigma), ...
    printed="i*tr1",
    symbols="i tr1",
    positions="i j",  # the token positions in their order: 1 <= i <= j
    quantity="E[x_i^T W x_j]",""",
    derivation='''@derivation("{id}")
def {name}(walk: Process, i: Position, j: Position) -> Moment:
    """E[x_i^T W x_j], from the definition of the process."""
    # FILL IN: walk.expect, walk.variance, walk.cov and walk.sum of forms; never the printed formula.
    return walk.expect(walk.form(i, W, j))
''',
    simulation=_WALK_SIMULATION,
)

_LIMIT = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="""    # the limit as printed, in theta = i/T and the traces; remainder "1" is o(1), "T**2" is o(T^2)
    printed="theta*tr1",
    symbols="theta tr1",
    positions="i T",  # the token positions in their order: 1 <= i <= T
    limit={"i": "theta*T"},
    remainder="1",
    quantity="limit of E[x_i^T W x_T]/T",""",
    derivation='''@derivation("{id}")
def {name}(walk: Process, i: Position, T: Position) -> Moment:
    """E[x_i^T W x_T]/T, exactly for finite T; the limit is taken of what this returns."""
    # FILL IN: walk.expect, walk.variance, walk.cov and walk.sum of forms; never the printed formula.
    return walk.expect(walk.form(i, W, T)) / T
''',
    simulation=_WALK_SIMULATION,
)

_ORDER = Skeleton(
    imports="Moment, Position, Process, W, claim, derivation",
    claim="""    # "O(T^2)" is stated by its leading part: printed + o(T^2), in the positions themselves
    printed="T**2*tr1/2",
    symbols="T tr1",
    positions="T",
    remainder="T**2",
    quantity="sum_j E[x_j^T W x_T], leading order",""",
    derivation='''@derivation("{id}")
def {name}(walk: Process, T: Position) -> Moment:
    """sum_j E[x_j^T W x_T], exactly for finite T."""
    # FILL IN: walk.expect, walk.variance, walk.cov and walk.sum of forms; never the printed formula.
    return walk.sum(lambda j: walk.expect(walk.form(j, W, T)), upto=T)
''',
    simulation=_WALK_SIMULATION,
)

_BOUND = Skeleton(
    imports="SharpBound, Step, claim, coefficient, derivation",
    claim="""    # lower <= quantity <= upper, as printed
    printed={"upper": "sqrt(d*tr2)", "lower": "-sqrt(d*tr2)"},
    relation="<=",
    symbols="d tr2",
    model="matrix",
    assumptions=["W symmetric"],
    quantity="tr(W)",""",
    derivation='''@derivation("{id}")
def {name}() -> SharpBound:
    """The sharp bound |tr(W)| <= sqrt(d tr(W^2)) for symmetric W_QK and Sigma = R R, by Cauchy-Schwarz."""
    # FILL IN: the steps of the proof, each an instance of a rule of theorems/rules/, and a case where it is attained.
    d, tr1, tr2 = (coefficient(name).expr for name in ("d", "tr1", "tr2"))
    inner, root = ("R", "W_QK", "R"), {{"Sigma": ("R", "R")}}
    steps = (
        Step("psd-root", "Sigma = R R", ("Sigma", "R")),
        Step("cauchy-schwarz", "tr(M)^2 <= tr(I) tr(M^T M), M = R W_QK R", ((), inner, tr1**2, d * tr2, root)),
        Step("square-root", "-sqrt({{1}}) <= {{0}} <= sqrt({{1}})", (tr1, d * tr2)),
    )
    attained = {{"d": 1, "W": [["1"]], "Sigma": [["1"]]}}
    square = coefficient("d") * coefficient("tr2")
    return SharpBound(square, {{"d": 1, "tr2": 0}}, attained, steps, "Cauchy-Schwarz")
''',
    simulation=_POINT_SIMULATION,
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

_SKELETONS = {
    "identity": _IDENTITY,
    "asymptotic": _LIMIT,
    "limit": _LIMIT,
    "bound": _BOUND,
    "order": _ORDER,
    "construction": _CONSTRUCTION,
}
KINDS = tuple(_SKELETONS)

_WALK_PARTS = {
    "identity": ("2", "i: int, j: int", "x_i^T W x_j", "form(walk.token(i), W, walk.token(j))"),
    "limit": ("2", "i: int, T: int", "x_i^T W x_T / T", "walk.scores(W)[:, i - 1] / T"),
    "order": ("2", "T: int", "sum_j x_j^T W x_T", "walk.scores(W).sum(1)"),
}
_WALK_PARTS["asymptotic"] = _WALK_PARTS["limit"]

_POINT_PARTS = {
    "bound": (
        "a search for a violation, which must come near the bound",
        "import numpy as np\nimport torch\n\nfrom montecarlo.registry import Points, search",
        '''@search("{id}")
def {name}(points: int, generator: torch.Generator) -> Points:
    """Columns value = tr(W), d and tr2 = tr(W^2) at symmetric W_QK and Sigma = I, half of them multiples of I."""
    # FILL IN: points that try to break the bound and that reach it; errors bound the rounding of each column.
    d = 1 + torch.arange(points) % 4
    scale = 2.0 ** -(torch.arange(points) % 9)
    matrices = torch.zeros(points, 4, 4, dtype=torch.float64)
    for k in range(points):
        n = int(d[k])
        draw = torch.randn(n, n, generator=generator, dtype=torch.float64)
        sign = 1.0 if k % 4 < 2 else -1.0
        matrices[k, :n, :n] = sign * (torch.eye(n, dtype=torch.float64) if k % 2 else (draw + draw.T) / 2) * scale[k]
    trace = matrices.diagonal(dim1=1, dim2=2).sum(1).numpy()
    square = (matrices * matrices.mT).sum((1, 2)).numpy()
    size = 32 * np.finfo(float).eps * matrices.abs().sum((1, 2)).numpy()
    kept = tuple(matrices[k, : int(d[k]), : int(d[k])].numpy() for k in range(points))
    unit = tuple(np.eye(int(n)) for n in d)
    columns = {{"value": trace, "d": d.double().numpy(), "tr2": square}}
    return Points(columns, {{"value": size, "tr2": size * (size + 8)}}, {{"W": kept, "Sigma": unit}})''',
    ),
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

_THEOREMS = '''"""The statement and the derivation of {id}."""

from __future__ import annotations

from theorems.authoring import {imports}

CLAIM = claim(
    "{id}",
    kind="{kind}",
    # FILL IN: where it stands, its LaTeX, and the precise proposition that gets the verdict.
    where="{where}",
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
    # FILL IN: "verified" or "refuted"
    assert found.verdict == "verified", found
    assert found.report["decoys"]["caught"] == found.report["decoys"]["of"] > 0
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
    if kind not in KINDS:
        raise UsageError("--kind", kind, f"one of {', '.join(KINDS)}")
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
    name = name + "_" if keyword.iskeyword(name) or name in _IMPORTED else name
    skeleton = _SKELETONS[kind]
    fill = {"id": claim_id, "name": name, "paper": paper, "module": module}
    if kind in _WALK_PARTS:
        degree, arguments, what, numbers = _WALK_PARTS[kind]
        second = skeleton.simulation.format(**fill, degree=degree, arguments=arguments, what=what, numbers=numbers)
    else:
        side, imports, body = _POINT_PARTS[kind]
        second = skeleton.simulation.format(**fill, second=side, imports=imports, body=body.format(**fill))
    first = _THEOREMS.format(
        **fill,
        imports=skeleton.imports,
        kind=kind,
        where=".".join(parts[1:]),
        claim=skeleton.claim,
        derivation=skeleton.derivation.format(**fill),
    )
    return {
        "pyproject.toml": _PROJECT.format(**fill),
        f"{paper}/__init__.py": f'"""Lemmas of {paper}."""\n',
        f"{paper}/theorems/__init__.py": '"""Statements and derivations."""\n',
        f"{paper}/montecarlo/__init__.py": '"""Simulations."""\n',
        f"{paper}/theorems/{module}.py": first,
        f"{paper}/montecarlo/{module}.py": second,
        f"tests/test_{paper}_{module}.py": _TEST.format(**fill),
    }


#: Files that a second lemma of the same paper shares with the first.
SHARED = ("pyproject.toml", "__init__.py")


def write(claim_id: str, kind: str, folder: Path, taken: tuple[str, ...] = ()) -> list[Path]:
    """Write the skeleton below a folder; what is there already is kept, and one's own lemma is never overwritten."""
    wanted = files(claim_id, kind, taken)
    paper = claim_id.split(".")[0]
    spec = None if (folder / paper).exists() else importlib.util.find_spec(paper)
    if spec is not None:
        raise UsageError("ID", claim_id, f"a paper's name that is free; Python has a package {paper}", "choose another")
    for module in ("theorems.py", "montecarlo.py"):
        if (folder / paper / module).exists():
            raise UsageError(
                "ID", claim_id, f"a folder {paper}/{module[:-3]}; {paper}/{module} is there", "move it there"
            )
    for name in wanted:
        if (folder / name).exists() and not name.endswith(SHARED):
            raise UsageError("ID", claim_id, f"a lemma that is not there yet; {name} exists", "choose another name")
        for above in (folder / name).relative_to(folder).parents:
            if (folder / above).exists() and not (folder / above).is_dir():
                raise UsageError("ID", claim_id, f"a folder {above}; it is a file", "move it away")
    written = []
    for name, text in wanted.items():
        path = folder / name
        if path.exists():
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError("ID", claim_id, f"a folder that can be written; {name}: {error.strerror}") from None
        written.append(path)
    return written
