"""``twofold measure``: what the theorems assume and predict of a trained model, beside what it does."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from proofs_check.commands.checks import needed
from proofs_check.commands.measuring import model_pictures
from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.files import read_bytes

#: Tokens that are measured unless --tokens says.
TOKENS = 1_024


def fill_measure(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold measure``."""
    parser.add_argument("model", metavar="MODEL", help="a folder in Hugging Face's format, or a GGUF file")
    parser.add_argument("--text", metavar="FILE", required=True, help="the text to measure it on, UTF-8")
    parser.add_argument(
        "--tokens", metavar="N", default=str(TOKENS), help=f"tokens of the text ({TOKENS} unless given)"
    )
    parser.add_argument("--heads", metavar="L.H", nargs="+", help="these heads alone, e.g. 3.0 for head 0 of layer 3")
    parser.add_argument("--html", metavar="DIR", help="write the model's page, with pictures, into a report's site")
    parser.add_argument("--json", metavar="FILE", help="write what was measured as JSON")


def run_measure(args: argparse.Namespace) -> int:
    """Measure a model; returns the exit status."""
    from proofs_check.report import outputs

    tokens = _tokens(args.tokens)
    chosen = None if args.heads is None else [_head(text) for text in args.heads]
    target = outputs.check_target("--json", args.json) if args.json is not None else None
    outputs.check_apart({"--json": args.json, "--html": args.html}, {"--text": args.text, "MODEL": args.model})
    folder = outputs.check_folder("--html", args.html) if args.html is not None else None
    if folder is not None:
        needed("matplotlib")
    try:
        text = read_bytes("--text", args.text, mend="name another one").decode()
    except UnicodeDecodeError:
        raise UsageError("--text", args.text, "a file of UTF-8 text; this is none", "name another one") from None

    # read when torch is first imported: threads that wait by turning keep a busy machine from the ones that work
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch

    from montecarlo.models.config import ModelError
    from montecarlo.models.weights import opened
    from proofs_check.measure.measured import measured
    from proofs_check.measure.page import write
    from proofs_check.measure.telling import lines
    from proofs_check.selftest.run import progress

    try:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = replace(opened(Path(args.model)), device=device)
        with progress() as step:
            found = measured(model, text, tokens, chosen, lambda done, total: step("layers", done, total))
    except ModelError as error:
        argument = "MODEL" if error.part == "model" else f"--{error.part}"
        mend = error.mend or "measure another model, or fetch this one's files again"
        raise UsageError(argument, error.value, error.expected, mend) from None
    print("\n".join(lines(found)))
    try:
        if target is not None:
            name, path = "--json", target
            outputs.atomic_write(target, json.dumps(found) + "\n")
        if folder is not None:
            name, path = "--html", folder
            print(f"\n{write(found, model_pictures(found), folder)}")
    except OSError as error:
        print(outputs.unwritten(name, path, error), file=sys.stderr)
        return 1
    return 0


def _tokens(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not int(text):
        raise UsageError("--tokens", text, "a whole number of tokens, e.g. 1024")
    return int(text)


def _head(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})", text)
    if match is None:
        raise UsageError("--heads", text, "LAYER.HEAD, counted from 0, e.g. 3.0")
    return int(match[1]), int(match[2])
