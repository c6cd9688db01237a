"""What is said of claims and of a run, in words: the same on a terminal, in a pipe and on a page.

Every text is made here once, as strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from proofs_check.claims.report import Case, Claim, Counterexample, Report, Run, Trusted, Variant
from proofs_check.inputs.expect import CORRECTED, VERDICTS
from theorems.claims.catalogue import PAPERS

Facts = list[tuple[str, str]]

_PARAMETERS = ("i", "j", "T", "theta", "lam", "d", "Sigma", "W", "m", "a", "b", "start")
#: As many equal entries at the end of a sequence are written out.
MANY = 4
_STARTS = {"sigma": "x_1 ~ N(0, Sigma)", "zero": "x_1 = 0"}
#: A difference of a quantity from the print, among the sentences that say where a correction holds.
APART = re.compile(r"(\w[\w ]*): true - printed = (.+)")


def worded(name: str) -> str:
    """The name of a printed quantity in words: second_moment is second moment, and eq20 is (20)."""
    return re.sub(r"\beq(\d+)\b", r"(\1)", name.replace("_", " "))


def amount(count: int) -> str:
    """A count in three digits: 950, 12.3k, 1.64M."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def number(value: Any) -> str:
    """Six digits of a number that was measured; an exact one as it stands."""
    return f"{value:.6g}" if isinstance(value, float) else "none" if value is None else str(value)


def duration(seconds: float) -> str:
    """Seconds as 0.42 s, 12.3 s, 2 min 23 s, 3 h 20 min or 12 d 4 h."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    if seconds > 1e12:
        # no run took so long, but a report may say so
        return f"{seconds:.3g} s"
    minutes, hours = int(seconds) // 60, int(seconds) // 3600
    if hours >= 24:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min {int(seconds) % 60} s"


def _entry(value: Any) -> str:
    if not isinstance(value, (list, tuple)):
        return str(value)
    parts = [_entry(part) for part in value]
    same = next(k for k in range(len(parts) + 1) if len({*parts[k:]}) < 2)
    if len(parts) - same > MANY:
        parts[same:] = [parts[-1], "...", parts[-1]]
    return "[" + ", ".join(parts) + "]"


def outcome(value: Any) -> str:
    """A value of a counterexample: of what holds or not, ``representable: True``, yes or no; about 3 for a decimal."""
    if isinstance(value, str) and re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", value):
        return f"about {float(value):.6g}"
    return re.sub(r"(?<=: )(True|False)$", lambda found: {"True": "yes"}.get(found[1], "no"), number(value))


def parameters(params: Mapping[str, Any]) -> str:
    """A case as ``i = 1, d = 1, Sigma = [[1]], W = [[1]], x_1 ~ N(0, Sigma)``."""
    return ", ".join(
        _STARTS.get(str(params[name]), str(params[name])) if name == "start" else f"{name} = {_entry(params[name])}"
        for name in ordered(params)
    )


def ordered(params: Mapping[str, Any]) -> list[str]:
    """The names of a case, the usual ones first."""
    return [name for name in _PARAMETERS if name in params] + [name for name in params if name not in _PARAMETERS]


def formulas(printed: Mapping[str, str]) -> str:
    """The printed right-hand sides, named where there are several."""
    if len(printed) == 1 and not next(iter(printed.values())).startswith(("if ", "iff ")):
        return next(iter(printed.values()))
    joined = {True: " ", False: " = "}
    return "; ".join(f"{n}{joined[f.startswith(('if ', 'iff '))]}{f}" for n, f in printed.items())


def evidence(claim: Claim) -> tuple[str, str]:
    """The two sides in a few words each: ``proved: contraction``, ``agrees``."""
    symbolic, simulation = claim["symbolic"], claim["simulation"]
    derived = symbolic["status"] + (f": {symbolic['method']}" if symbolic["method"] else "")
    return derived, simulation["status"]


def trusted(one: Trusted) -> str:
    """What one rule takes on trust: ``hoelder: Hoelder's inequality``, with its source where it has one."""
    return f"{one['rule']}: {one['what']}" + (f" ({one['source']})" if one["source"] else "")


#: How much of a statement is the paper's own.
FIDELITY = {
    "verbatim": "verbatim: the statement stands in the source; what is judged is its reading",
    "inferred": "inferred: the source has a fragment, the setting around it is rebuilt",
    "own": "own: the source has a sentence at most, the precise statement is this project's",
}


def graded(fidelity: str, judged: str) -> str:
    """How much of a statement is the paper's own, and what of that the verdict speaks of."""
    told = FIDELITY.get(fidelity, fidelity)
    return told.replace("what is judged is its reading", f"what is judged is {judged}") if judged else told


def fidelity(claim: Claim) -> str:
    """`` [inferred]`` or `` [own]`` where a statement is not the paper's own words.

    Nothing beside a correction, or beside a lemma that another package brings.
    """
    return "" if claim["id"].endswith(CORRECTED) or _stands(claim) else f" [{claim['fidelity']}]"


#: The words of a print in those of a statement that is this project's.
_STATED = {"print": "statement", "printed": "stated", "Printed": "Stated"}


def _stands(claim: Claim) -> bool:
    """Whether a statement stands in its source as it is; of what another package brings its author says so."""
    if claim["fidelity"] == "verbatim":
        return True
    return not claim["id"].endswith(CORRECTED) and claim["paper"]["id"] not in PAPERS


def headed(claim: Claim) -> str:
    """What stands over the formula that is judged, by whose words it is."""
    if claim["id"].endswith(CORRECTED):
        return "corrected"
    return "printed" if _stands(claim) else "as read"


def sourced(text: str, claim: Claim) -> str:
    """A text of the suite with the word for what is judged: a print is only what stands in the source as it is."""
    if _stands(claim):
        return text
    return re.sub(r"\b[Pp]rint(ed)?\b", lambda found: _STATED.get(found[0], found[0]), text)


def power(claim: Claim) -> str:
    """The smallest error that would have been caught, and the samples it took: ``0.94% / 1.64M``."""
    simulation = claim["simulation"]
    if not simulation["samples"]:
        return "-"
    caught = simulation["detectable"]
    if caught is None:
        return amount(simulation["samples"])
    # Independent evaluations catch errors of rounding size, which no percentage shows well.
    size = "any size" if caught == 0 else percent(caught) if caught >= 1e-4 else f"{caught:.0e}"
    return f"{size} / {amount(simulation['samples'])}"


def power_in_words(claim: Claim) -> str:
    """The same with its words, and a comma: ``errors of 0.94% seen, 1.64M samples, ``."""
    size, _, samples = power(claim).partition(" / ")
    return f"errors of {size} seen, {samples} samples, " if samples else ""


def variant_told(variant: Variant) -> str:
    """A variant's name, verdict, and what both sides found: ``exact law: refuted (disproved; simulation ...)``."""
    simulation = variant["simulation"]
    told = f"{variant['symbolic']['status']}; simulation {simulation['status']}"
    told += f"; {simulation['power']}" if simulation["power"] else ""
    return f"{variant['name']}: {variant['verdict']} ({told})"


def group(name: str) -> str:
    """The paper and section of an id."""
    return ".".join(name.split(".")[:2])


def against(case: Case) -> Case:
    """A case with what is put against the print in it: the numbers of the limit where the print is about one."""
    limit = case.get("limit")
    if not limit:
        return case
    found = case.copy()
    found["printed"], found["derived"], found["z"] = limit["printed"], limit["derived"], limit["z"]
    found["estimate"], found["low"], found["high"] = limit["estimate"], limit["low"], limit["high"]
    found["quantity"] = f"{case['quantity']}, {limit['at']}".removeprefix(", ")
    # of a limit in a report of an earlier day none are known
    found.pop("numbers", None)
    if "numbers" in limit:
        found["numbers"] = limit["numbers"]
    return found


def before(case: Case) -> str:
    """Of a case in whose limit the print is: what is there before the limit; "" for other cases."""
    if not case.get("limit"):
        return ""
    low, high = number(case["low"]), number(case["high"])
    both = f"printed formula {number(case['printed'])}, exactly {number(case['derived'])}"
    return f"before the limit: {both}, simulated in [{low}, {high}]"


def gives(example: Counterexample) -> str:
    """What print and truth are at a counterexample; of a limit, and then what is exact at the case before it."""
    values = f"the print gives {outcome(example['printed'])}, the truth is {outcome(example['true'])}"
    if not example.get("limit"):
        return values
    what, value = scaled(example)
    return f"{example['limit']}: {values}; {what} at these parameters is exactly {value}"


def scaled(example: Counterexample) -> tuple[str, str]:
    """What is known at a case before its limit, in the scale of the limit: "the value over T**3" and that."""
    scale = re.search(r"\bof the value over (\S+)", example["limit"])
    if scale is None:
        return "the value", example["finite"]
    from theorems.algebra.expressions import parse

    at = {symbol: parse(str(example["params"][symbol.name])) for symbol in parse(scale[1]).free_symbols}
    return f"the value over {scale[1]}", str(parse(example["finite"]) / parse(scale[1]).xreplace(at))


def worst(claim: Claim) -> Case | None:
    """The simulated case that is furthest from the print, in standard errors."""
    cases = [against(case) for case in claim["cases"]]
    return max(cases, key=lambda case: abs(case["z"] or 0.0), default=None)


def simulated(claim: Claim) -> str:
    """The worst case: the estimate with its interval, beside the print and the derivation there."""
    case = worst(claim)
    if case is None:
        return ""
    interval = ""
    if case["low"] is not None and case["high"] is not None:
        interval = f" in [{number(case['low'])}, {number(case['high'])}]"
    z = f", z = {case['z']:.3g}" if case["z"] is not None else ""
    named = case["quantity"] and (len(claim["printed"]) > 1 or case.get("limit"))
    name = f"{case['quantity']}: " if named else ""
    both = f"print {number(case['printed'])}, derived {number(case['derived'])}"
    drawn = f"{amount(case['samples'])} sample{'s' * (case['samples'] != 1)} at {parameters(case['params'])}"
    return f"{name}{number(case['estimate'])}{interval}; {both}{z} ({drawn})"


def edge_told(edge: str) -> str:
    """An edge of the hypotheses as it is written: of a start of the walk that one."""
    return start_told(edge.removeprefix("start ")) if edge.startswith("start ") else edge


def start_told(start: str) -> str:
    """A start of the walk as it is written."""
    return _STARTS.get(start, start)


def asked(claim: Claim, letter: Callable[[str], str] = str) -> str:
    """Where in the ranges the cases lay at which both sides were asked beside the judged ones, and agree.

    A correction's are its claim's. ``letter`` writes the name of a parameter.
    """
    found = claim["agreement"]
    if not found["cases"]:
        return ""
    ends = (
        f"{letter(one['name'])} = {one['least']}"
        if one["least"] == one["largest"]
        else f"{letter(one['name'])} from {one['least']} to {one['largest']}"
        for one in found["ranges"]
    )
    met, edges = len(found["edges"]), len(found["edges"]) + len(found["missed"])
    told = "; ".join(
        filter(None, (", ".join(ends), f"{met} of {counted(edges, 'edge')} of the hypotheses met" * (edges > 0)))
    )
    seen = ""
    if alone := found.get("alone"):
        seen += f". An error of {percent(alone['half'])} of max(|mean|, standard deviation) would show at half of them"
        seen += f" alone, one of {percent(alone['all'])} at each" if alone["all"] < 1 else " alone"
    if least := found.get("least"):
        seen += f". One of {percent(least)} in all simulated means would show"
    cases = counted(found["cases"], "further case")
    drawn = "drawn"
    if claim["id"].endswith(CORRECTED):
        drawn = "drawn for its claim, whose derivation and simulation agree there"
    return (f"{cases} {drawn}: {told}" if told else cases) + seen


def percent(part: float) -> str:
    """A part of 1 as a percentage of two digits."""
    return "less than 0.01%" if part < 1e-4 else f"{100 * part:.2g}%" if part < 1 else f"{100 * part:.0f}%"


def starts(claim: Claim) -> str:
    """For which starts of the walk the print is exact, or right to leading order."""
    said = []
    for start in claim["starts"]:
        how = "exact" if start["exact"] else "right to leading order only" if start["leading"] else "wrong"
        said.append(f"{_STARTS.get(start['start'], start['start'])}: {how}")
    return "; ".join(said)


def narrowed(claim: Claim) -> bool:
    """Whether the print itself is the correction, under further hypotheses."""
    return claim["correction"] is not None and claim["correction"].get("narrowed", False)


def sentences(text: str) -> list[str]:
    """A text cut after its full stops."""
    return [part for part in re.split(r"(?<=[^\d\s])\.\s+|(?<=\d)\.\s+(?=[A-Za-z])", text) if part.strip()]


def holding(claim: Claim) -> Facts:
    """Where the correction holds, and by how much the print is off."""
    correction = claim["correction"]
    if correction is None:
        return []
    if narrowed(claim):
        return [("print holds", f"where {correction.get('where')}")]
    parts = sentences(correction["holds"])
    apart = [found for part in parts if (found := APART.fullmatch(part.removesuffix(".")))]
    where = ". ".join(part for part in parts if not APART.fullmatch(part.removesuffix(".")))
    away = "; ".join(f"{found[1]}: {found[2]}" if apart[1:] else found[2] for found in apart)
    return [("truth holds", where)] * bool(where) + [("truth - print", away)] * bool(away)


#: The verdict on a statement that holds, does not, or is neither proved nor refuted.
HOLDS = {True: "verified", False: "refuted", None: "undecided"}


def proof_lines(claim: Claim) -> Facts:
    """The first printed line of the proof that is false, and the first whose error reaches the conclusion."""
    lines = {line["label"]: line for line in claim["proof"]["lines"]}
    facts: Facts = []
    first, reaching = claim["proof"]["first_false"], claim["proof"]["first_reaching"]
    for name, title in ((first, "first false line"), (reaching, "reaches the end")):
        if name is None:
            continue
        line = lines.get(name)
        told = f" ({line['where']}): print {line['printed']}" if line else ""
        told += f", derived {line['derived']}" if line and line["derived"] else ""
        if title == "reaches the end" and name == first:
            told = ", the same line"
        facts.append((title, name + told))
    return facts


def false_lines(claim: Claim) -> str:
    """Which line of the printed proof is false first, and which line's error it is that reaches the conclusion."""
    first, reaching = claim["proof"]["first_false"], claim["proof"]["first_reaching"]
    if not first:
        return ""
    if first == reaching:
        return f"The first false line of the printed proof is '{first}', and its error reaches the conclusion."
    rest = f"but that of '{reaching}' does" if reaching else "nor does that of another line"
    return f"The first false line of the printed proof is '{first}': its error does not reach the conclusion, {rest}."


def findings(claim: Claim, correction: Claim | None) -> Facts:
    """Everything the run found about one claim, as labelled texts."""
    facts: Facts = []

    def add(label: str, text: str) -> None:
        if text:
            own = label in ("reading", "replay", "traceback")
            facts.append((sourced(label, claim), text if own else sourced(text, claim)))

    if claim["verdict"] in ("undecided", "conflict", "error"):
        add("reason", claim["reason"])
    if claim["verdict"] != "verified":
        add("reading", claim["reading"])
    if fidelity(claim):
        add("fidelity", FIDELITY[claim["fidelity"]])
    add("judged", claim.get("judged", ""))
    add("print", formulas(claim["printed"]))
    exact = claim["symbolic"]["exact"]
    if claim["correction"]:
        # of several quantities an expression alone would not say which one it is
        whole = correction["printed"] if correction else {}
        if not narrowed(claim):
            add("truth", formulas(whole) if len(whole) > 1 else claim["correction"]["sympy"] or formulas(whole))
        for label, text in holding(claim):
            add(label, text)
        follows = claim["correction"].get("gives")
        add("print follows", f"where {follows}" if follows else "")
    else:
        add("derived", exact or "")
    if correction is not None:
        derived, sampled = evidence(correction)
        told = f"{correction['verdict']} ({derived}; simulation {sampled}; {power(correction)})"
        add("correction", told + (f": {correction['reason']}" if correction["reason"] else ""))
    if claim["counterexample"]:
        example = claim["counterexample"]
        add("counterexample", f"{parameters(example['params'])}: {gives(example)}")
    add("simulated", simulated(claim))
    if claim["verdict"] != "verified":
        add("power", claim["simulation"]["power"])
    add("trusted", "; ".join(claim["simulation"]["trusted"]))
    add("both sides", asked(claim))
    add("starts", starts(claim))
    for variant in claim["variants"]:
        add("variant", f"{variant_told(variant)} ({'; '.join(variant['evidence'])})")
    for line in claim.get("beyond", ()):
        add(
            "beyond the print",
            f"{line['label']}, {HOLDS[line['holds']]}: {line['printed']}, {line['said']}; {line['power']}",
        )
    facts += proof_lines(claim)
    # a report of an earlier day has none
    add("on trust", ", ".join(one["rule"] for one in claim["symbolic"].get("trusted", ())))
    add("rests on refuted", ", ".join(claim["rests_on_refuted"]))
    if claim["decoys"]["of"]:
        add("wrong versions", f"{claim['decoys']['caught']} of {claim['decoys']['of']} caught")
    if claim["verdict"] != "verified":
        add("replay", claim["replay"])
    add("traceback", claim["traceback"] or "")
    return facts


def blocks(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Facts]]:
    """The findings in order of what they ask of the reader: verified first, what broke last.

    A correction that was verified stands with the claim it corrects and has no block of its own.
    """
    table = {claim["id"]: claim for claim in claims}
    for verdict in VERDICTS:
        for claim in claims:
            if claim["verdict"] == verdict:
                if verdict == "verified" and claim["id"].endswith(CORRECTED):
                    continue
                yield claim, findings(claim, table.get(claim["id"] + CORRECTED))


def counted(count: int, noun: str) -> str:
    """``1 claim``, ``2 claims``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def tally(claims: Sequence[Claim]) -> str:
    """``12 verified, 10 refuted``."""
    counts = ((sum(claim["verdict"] == verdict for claim in claims), verdict) for verdict in VERDICTS)
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count) or "none finished"


def took(run: Run, claims: Sequence[Claim]) -> str:
    """``2.0 s, with 6 min 20 s of work on the claims``: verdicts that were kept took their time in an earlier run."""
    work = sum(claim["seconds"] for claim in claims)
    return f"{duration(run['seconds'])}, with {duration(work)} of work on the claims"


def summary(report: Report) -> str:
    """What was checked and what was found, in one sentence."""
    run = report["run"]
    claims = [claim for claim in report["claims"] if not claim["id"].endswith(CORRECTED)]
    corrections = [claim for claim in report["claims"] if claim["id"].endswith(CORRECTED)]
    how = f"{run['effort']} effort, seed {run['seed']}, {run['device']}"
    text = f"Judged {counted(len(claims), 'claim')} in {duration(run['seconds'])} ({how}): {tally(claims)}"
    if corrections:
        text += f"; of {counted(len(corrections), 'correction')} {tally(corrections)}"
    if run["partial"]:
        text += "; interrupted before the rest was judged"
    return f"{text}; the chance of any false alarm was kept below {run['alpha']:g}."
