"""The report's types, each fact of a claim once: the JSON schema, the empty report and the reading of files follow.

A report is plain data, dictionaries of these shapes. Fields that are not required may be missing in reports of earlier
versions, and are empty there. The last value of a ``Literal`` stands where nothing was found yet.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

#: Version of the JSON report; ``report.schema.json`` describes it.
SCHEMA: Literal[2] = 2

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$")]
Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0)]
Exact = Annotated[str, Meta(pattern=r"^(-?[0-9]+(/[0-9]+)?|[a-z][a-z-]*)$")] | int
Params = Annotated[
    dict[str, Exact | list[Exact | list[Exact | list[Exact | list[Exact]]]]],
    Meta(
        description="The parameters of a case: counts are integers, other numbers strings p/q, vectors and matrices "
        "lists of these, and `start` and `law` are named."
    ),
]
Verdict = Literal["verified", "refuted", "undecided", "conflict", "error"]
Status = Literal["proved", "disproved", "checked", "undecided", "none"]
Observed = Literal["agrees", "contradicts", "underpowered", "none"]


class Spent(TypedDict):
    """A claim's share of the false-alarm budget, and what its tests used of it."""

    id: Id
    alpha: Probability
    spent: Probability


class Run(TypedDict):
    """What a run was."""

    seed: Count
    device: Text
    dtype: Text
    effort: Literal["quick", "thorough", "standard"]
    versions: dict[str, str]
    seconds: Seconds
    alpha: Probability
    partial: Annotated[bool, Meta(description="True where the run was interrupted: `claims` holds what was finished.")]
    ledger: Annotated[
        list[Spent], Meta(description="The false-alarm budget: a claim's share and what its tests used of it.")
    ]
    command: list[str]
    bound: NotRequired[
        Annotated[int, Meta(ge=0, description="How many of the claims are bound to what they say as data.")]
    ]
    trusted: NotRequired[
        Annotated[int, Meta(ge=0, description="Rules with something on trust that the run's derivations use.")]
    ]
    stopped: NotRequired[Annotated[str, Meta(description="Why the run ended early, where that was no interrupt.")]]


class Paper(TypedDict):
    """The paper of a claim."""

    id: Text
    version: str


class Trusted(TypedDict):
    """What a rule takes on trust."""

    rule: Text
    what: Text
    source: str


class Between(TypedDict):
    """Values at an instance, each between two certified ends, in a unit."""

    params: Params
    unit: Text
    ends: dict[str, list[Exact]]


class Order(TypedDict):
    """``of`` is of order T^exponent for all matrices where it is ``given``, and of no lower one for an example."""

    quantity: Text
    of: Text
    given: str
    exponent: Text
    attained: Text


class Path(TypedDict):
    """Vectors that grow, by name, and by how much the print is exceeded on the way at least."""

    vectors: dict[str, str]
    excess: Text


class Symbolic(TypedDict):
    """What the derivation shows; ``evidence`` says it in sentences."""

    status: Status
    method: str
    evidence: list[str]
    exact: str | None
    derived: NotRequired[Annotated[str | None, Meta(description="The exact value in the language of statements.")]]
    trusted: NotRequired[
        Annotated[
            list[Trusted], Meta(description="What the derivation takes on trust, by the rules that its steps use.")
        ]
    ]
    between: NotRequired[list[Between]]
    orders: NotRequired[list[Order]]
    boundaries: NotRequired[
        Annotated[
            dict[str, list[Text]], Meta(description="By property, the equations at which alone the print is false.")
        ]
    ]
    attained: NotRequired[
        Annotated[str | None, Meta(description="The least value for every T >= 2, of a bound that holds as T grows.")]
    ]
    path: NotRequired[Annotated[Path | None, Meta(description="Along which a bound fails as a dimension grows.")]]


class Exponent(TypedDict):
    """An interval for the exponent of growth between two lengths; null for an end that is not bounded."""

    quantity: Text
    first: Count
    last: Count
    low: float | None
    high: float | None


class Simulation(TypedDict):
    """What the simulation, or the search or evaluation in its place, shows."""

    status: Observed
    samples: Count
    cases: Count
    max_z: float | None
    p_value: Probability | None
    detectable: Annotated[
        Seconds | None,
        Meta(description="The smallest error that would have been caught, relative to the scale that `power` names."),
    ]
    tier: str
    power: str
    trusted: Annotated[list[Text], Meta(description="What the simulation declares of its tails and nothing checks.")]
    exponents: NotRequired[list[Exponent]]


class Saying(TypedDict):
    """What a claim says as data, in the language of statements."""

    quantities: dict[str, str]
    hypotheses: str
    where: str
    law: str
    limit: str
    letters: Annotated[dict[str, str], Meta(description="How names of the cases and of the statement are written.")]
    paper: Annotated[dict[str, str], Meta(description="Letters of the paper, and what they are in the suite's.")]
    along: Annotated[dict[str, str], Meta(description="Where a position or parameter goes in the limit.")]
    remainder: NotRequired[
        Annotated[str, Meta(description="What its formulas leave out is o(remainder); empty for none.")]
    ]


class Counterexample(TypedDict):
    """A case at which the printed formula is wrong."""

    params: Params
    printed: str
    true: str
    limit: NotRequired[
        Annotated[
            str,
            Meta(description="Where the claim is about a limit: of what and where; printed and true are limits."),
        ]
    ]
    given: NotRequired[
        Annotated[Params, Meta(description="What the parameters stand for: matrices and numbers by their letters.")]
    ]
    quantity: NotRequired[Annotated[str, Meta(description="Which entry of a matrix, or which quantity, it is.")]]
    finite: NotRequired[Annotated[str, Meta(description="The exact value at the case itself, before the limit.")]]


class InCell(TypedDict):
    """The limit of a quantity where signs are as said, "" where it depends on the sequence, beside the printed one."""

    quantity: Text
    where: Text
    limit: str
    printed: Text
    agrees: bool


class Correction(TypedDict):
    """What holds in place of the printed formula, and where."""

    latex: str
    sympy: Annotated[
        Text | None,
        Meta(description="The quantity that the claim's symbols name; null where it declares none."),
    ]
    holds: str
    where: NotRequired[
        Annotated[str, Meta(description="The further conditions under which it holds; empty where there are none.")]
    ]
    narrowed: NotRequired[
        Annotated[bool, Meta(description="Whether the print itself is true under these, and no formula replaces it.")]
    ]
    gives: NotRequired[
        Annotated[str, Meta(description="Where the print follows from the correction; empty where that is not known.")]
    ]
    apart: NotRequired[
        Annotated[dict[str, str], Meta(description="By quantity, the true value minus the printed one.")]
    ]
    cells: NotRequired[list[InCell]]


class Mutants(TypedDict):
    """Wrong versions of the claim, and how many of them were caught."""

    caught: Count
    of: Count


class Step(TypedDict):
    """A step of the derivation, and whether its rule accepts it."""

    text: str
    rule: str
    ok: bool


class Line(TypedDict):
    """A printed line of the proof, and what was derived for it."""

    label: Text
    where: str
    printed: str
    derived: str
    holds: Annotated[bool | None, Meta(description="null where it is neither proved nor refuted.")]
    reaches: bool
    latex: NotRequired[Annotated[str, Meta(description="The line in LaTeX, where it is a statement of its own.")]]
    claim: NotRequired[Annotated[str, Meta(description="The claim that the line is, if it is one.")]]
    said: NotRequired[Annotated[str, Meta(description="What a statement of ours assumes: its hypotheses and law.")]]
    power: NotRequired[Annotated[str, Meta(description="Of a statement of ours: which error its samples would show.")]]


class Conclusion(TypedDict):
    """What a derivation comes to: quantity = value; where a limit is taken, (quantity)/over = limit + remainder."""

    quantity: Text
    value: Text
    over: str
    limit: str
    remainder: str


class Proof(TypedDict):
    """The steps of the derivation, and the printed lines of the proof."""

    steps: list[Step]
    lines: list[Line]
    first_false: str | None
    first_reaching: str | None
    concludes: NotRequired[list[Conclusion]]
    rules: NotRequired[
        Annotated[dict[str, str], Meta(description="What each rule that a step uses says, in a sentence.")]
    ]


class Start(TypedDict):
    """A start of the walk, and what holds of the printed formula there."""

    start: Text
    exact: bool
    leading: bool


class Numbers(TypedDict):
    """The printed and the derived value as numbers, or as truth values; null where one has no finite value."""

    printed: float | bool | None
    derived: float | bool | None
    within: Annotated[Seconds, Meta(description="Half the width of the derived enclosure, whose middle `derived` is.")]


class Along(TypedDict):
    """One length on the way to a limit."""

    params: Params
    derived: str | None
    estimate: float | None
    low: float | None
    high: float | None
    samples: Count


class Limit(TypedDict):
    """A limit at a case, extrapolated from growing lengths."""

    at: Text
    printed: str | None
    derived: str | None
    estimate: float | None
    low: float | None
    high: float | None
    z: float | None
    numbers: NotRequired[Numbers]
    along: Annotated[list[Along], Meta(min_length=1)]


class Case(TypedDict):
    """What both sides have at a case."""

    params: Params
    quantity: str
    printed: str | None
    derived: str | None
    estimate: float | None
    low: float | None
    high: float | None
    samples: Count
    z: float | None
    numbers: NotRequired[Numbers]
    limit: NotRequired[
        Annotated[
            Limit | None,
            Meta(
                description="A limit that the print is about: printed and derived, what follows for it from the values "
                "along growing lengths, and these."
            ),
        ]
    ]


class Derivation(TypedDict):
    """What the derivation of a variant shows."""

    status: Status
    method: str


class Sampled(TypedDict):
    """What the simulation of a variant shows."""

    status: Observed
    samples: Count
    cases: Count
    detectable: float | None
    power: str


class Variant(TypedDict):
    """The claim for another object than the printed one."""

    name: Text
    holds: bool | None
    evidence: list[Text]
    verdict: Verdict
    reason: str
    symbolic: Derivation
    simulation: Sampled
    cases: list[Case]


class Range(TypedDict):
    """The least and the largest value that a parameter had."""

    name: Text
    least: Exact
    largest: Exact


class Alone(TypedDict):
    """The error that one case shows by itself in 999 runs of 1,000, as a part of max(|mean|, standard deviation)."""

    half: Annotated[float, Meta(description="What is seen at half of the cases.")]
    all: Annotated[float, Meta(description="What is seen at every case.")]


class Agreement(TypedDict):
    """Cases as wide as the hypotheses at which both sides were asked; where they differ the verdict is `conflict`."""

    cases: Count
    compared: Annotated[int, Meta(ge=0, description="Numbers, and properties, in which the sides were compared.")]
    ranges: list[Range]
    edges: Annotated[list[Text], Meta(description="Edges of the hypotheses that some case met.")]
    missed: Annotated[list[Text], Meta(description="Edges of the hypotheses that no case met.")]
    least: NotRequired[
        Annotated[
            float | None,
            Meta(
                description="Relative error of a quantity's simulated means, alike at all cases, that these cases "
                "together show in 999 runs of 1,000: the largest over the quantities; null where nothing is simulated."
            ),
        ]
    ]
    alone: NotRequired[
        Annotated[Alone | None, Meta(description="What each case shows by itself; null where nothing is simulated.")]
    ]


class Claim(TypedDict):
    """A claim, or its correction, with everything that the run found about it."""

    id: Id
    verdict: Verdict
    reason: str
    paper: Paper
    where: Text
    kind: Literal["identity", "asymptotic", "limit", "bound", "order", "construction", "proof-step", "definition"]
    fidelity: Literal["verbatim", "inferred", "own"]
    judged: NotRequired[
        Annotated[
            str, Meta(description="What of the source's words the verdict speaks of; empty for these as they stand.")
        ]
    ]
    statement: str
    reading: Text
    assumptions: list[str]
    quantity: str
    symbols: list[str]
    printed: dict[str, str]
    said: NotRequired[Saying | None]
    symbolic: Symbolic
    simulation: Simulation
    counterexample: Counterexample | None
    correction: Correction | None
    decoys: Mutants
    proof: Proof
    starts: Annotated[
        list[Start], Meta(description="For which starts of the walk the print is exact, or right to leading order.")
    ]
    variants: Annotated[
        list[Variant],
        Meta(
            description="The claim for another object than the printed one (the derived variance, the exact law), "
            "judged as a claim of its own by both sides."
        ),
    ]
    cases: Annotated[
        list[Case],
        Meta(
            description="What was simulated at single cases: the printed formula there, the exact value, the interval; "
            "`limit` where the print is about one."
        ),
    ]
    agreement: NotRequired[Agreement]
    beyond: NotRequired[Annotated[list[Line], Meta(description="Statements of ours beside the print, judged alike.")]]
    depends_on: list[Id]
    rests_on_refuted: list[Id]
    seconds: Seconds
    replay: Annotated[str, Meta(pattern="^twofold (verify|check) ")]
    traceback: str | None
    bound: NotRequired[
        Annotated[
            bool,
            Meta(
                description="Whether the derivation and the simulation were held against what the claim says as data, "
                "and are of it."
            ),
        ]
    ]


class Report(TypedDict):
    """The report of a run."""

    schema: Literal[2]
    run: Run
    claims: list[Claim]
