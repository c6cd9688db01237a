"""The command line ``twofold``.

Every argument is checked before any work, and nothing heavy is imported for that: torch only to look for a GPU that
was asked for. Exit status: 0 every claim got its verdict, 1 a conflict, an error or a difference from --expect, 2 a
usage error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn, TextIO

from proofs_check import __version__
from proofs_check.commands import check, claims, measure, measuring, reports, verify
from proofs_check.commands.checks import NEEDED, TOLD, choice
from proofs_check.inputs.errors import UsageError, nearest
from proofs_check.inputs.streams import visibly

#: The suite's own packages, whose faults are shown whole.
OWN = ("proofs_check", "theorems", "montecarlo", "figures")
#: Why a stream takes no more: a full disk, a quota, a broken device, a closed one.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG)


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print below its usage lines."""
        told = " ".join(message.removeprefix("argument ").split())
        raise _ArgparseError(told if len(told) <= TOLD else told[: TOLD - 3] + "...")


class _ArgparseError(Exception):
    pass


@dataclass(frozen=True)
class _Command:
    help: str
    fill: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def fill_completion(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold completion``."""
    parser.add_argument("shell", metavar="bash|zsh|fish", help="the shell that the script is for")


def run_completion(args: argparse.Namespace) -> int:
    """Print a shell's completion script; returns the exit status."""
    from proofs_check.commands.completion import SHELLS, script

    choice("shell", args.shell, SHELLS)
    print(script(args.shell, {name: (command.help, command.fill) for name, command in COMMANDS.items()}))
    return 0


def fill_doctor(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold doctor``."""


def run_doctor(args: argparse.Namespace) -> int:
    """Say what is installed; returns the exit status."""
    from proofs_check.commands.doctor import doctor

    return doctor()


COMMANDS = {
    "verify": _Command("judge claims and report", verify.fill_verify, verify.run_verify),
    "check": _Command("judge one statement as it stands", check.fill_check, check.run_check),
    "measure": _Command(
        "what the theorems assume and predict of a trained model", measure.fill_measure, measure.run_measure
    ),
    "report": _Command(
        "write a run's report as pages, Markdown, JUnit or LaTeX", reports.fill_report, reports.run_report
    ),
    "diff": _Command("say what changed from one run's report to another's", reports.fill_diff, reports.run_diff),
    "list": _Command("list the claims", claims.fill_list, claims.run_list),
    "show": _Command("show one claim as data", claims.fill_show, claims.run_show),
    "eval": _Command(
        "print, derivation and simulation at your own parameters and matrices", claims.fill_eval, claims.run_eval
    ),
    "new-lemma": _Command("write the skeleton of a lemma of your own", claims.fill_new_lemma, claims.run_new_lemma),
    "figures": _Command(
        "draw the theory plots, or one claim's evidence", measuring.fill_figures, measuring.run_figures
    ),
    "bench": _Command(
        "time the sampling against other ways and against its limits", measuring.fill_bench, measuring.run_bench
    ),
    "selftest": _Command("measure how often the referee itself errs", measuring.fill_selftest, measuring.run_selftest),
    "lock": _Command(
        "write what was found into verdicts.toml, to hold later runs to", reports.fill_lock, reports.run_lock
    ),
    "completion": _Command("print a shell's completion script", fill_completion, run_completion),
    "doctor": _Command("say what this installation has and misses", fill_doctor, run_doctor),
}


def _help() -> str:
    lines = [f"  {name:<10}  {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(
        (
            "usage: twofold COMMAND ...",
            "",
            "A referee for theory papers: every claim is derived, simulated and judged.",
            "",
            *lines,
            "",
            "`twofold COMMAND --help` tells a command's arguments, `twofold --version` the version.",
            "Exit status: 0 every claim got its verdict; 1 a conflict, an error or a difference from --expect;",
            "2 a usage error; 130 interrupted.",
        )
    )


def _parsed(parser: argparse.ArgumentParser, rest: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, options and names in any order; what follows `--` is names, which argparse forgets then."""
    if "--" not in rest:
        return parser.parse_known_intermixed_args(rest)
    place = rest.index("--")
    several = next((action.dest for action in parser._actions if action.nargs == "*"), None)
    if several is None:
        return parser.parse_known_args(rest)
    args, unknown = parser.parse_known_intermixed_args(rest[:place])
    setattr(args, several, [*getattr(args, several), *rest[place + 1 :]])
    return args, unknown


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    name, rest = argv[0], list(argv[1:])
    command = COMMANDS[name]
    parser = _Parser(prog=f"twofold {name}", description=command.help.capitalize() + ".", allow_abbrev=False)
    command.fill(parser)
    args, unknown = _parsed(parser, rest)
    if unknown:
        options = [option for action in parser._actions for option in action.option_strings]
        near = nearest(unknown[0], options, 1)
        mend = f"nearest: {near[0]}" if near else f"`twofold {name} --help` lists them"
        raise UsageError("argument", unknown[0], f"an argument of `twofold {name}`", mend)
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        # argparse makes no value of `--option=--` but an empty list
        if action.option_strings and (value == [] != action.default or (isinstance(value, list) and [] in value)):
            raise UsageError(action.option_strings[-1], "--", "a value")
    args.command_line = ["twofold", *argv]
    return args


def _run(argv: Sequence[str]) -> int:
    if not argv:
        raise UsageError("command", "", f"one of {', '.join(COMMANDS)}", "see `twofold --help`")
    if argv[0] in ("-h", "--help"):
        print(_help())
        return 0
    if argv[0] == "--version":
        print(f"twofold {__version__}")
        return 0
    choice("command", argv[0], tuple(COMMANDS))
    args = _parse(argv)
    _check_surroundings()
    return COMMANDS[argv[0]].run(args)


#: Variables of OpenMP at which it complains in its own words or never ends: what they are, an example, a value as it
#: reads it. Numbers of threads are those of each level of nesting.
_OPENMP = {
    "OMP_NUM_THREADS": ("a number of threads", "2", r"\s*0*[1-9][0-9]{0,8}\s*(,\s*0*[1-9][0-9]{0,8}\s*)*"),
    "GOMP_CPU_AFFINITY": ("numbers of processors", "0-3", r"[\s,]*([0-9]{1,5}(-[0-9]{1,5}(:[0-9]{1,5})?)?([\s,]+|$))*"),
}


def _check_surroundings() -> None:
    """What libraries of torch would answer with lines of their own, or by ending the process."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the working folder", os.environ.get("PWD", ""), "one that exists", "cd to another") from None
    for variable, (what, example, pattern) in _OPENMP.items():
        value = os.environ.get(variable)
        if value is not None and not re.fullmatch(pattern, value, re.ASCII):
            raise UsageError(variable, value, f"{what}, e.g. {example}", "unset it, or set it to one")


def _nowhere() -> TextIO:
    """A stream to the end of the process, which Python's development mode does not miss the closing of."""
    return open(os.open(os.devnull, os.O_WRONLY), "w", closefd=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    if argv is None:
        # Hypothesis would keep what it found in the modules of this folder in a folder here.
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.devnull)
    # A closed stream (`>&-`) is None; what would go there is dropped.
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with visibly():
        return _told(sys.argv[1:] if argv is None else argv)


def _told(argv: Sequence[str]) -> int:
    """Run a command and tell in one line what is wrong; returns the exit status."""
    try:
        status = _run(argv)
        sys.stdout.flush()
        return status
    except (UsageError, _ArgparseError) as error:
        _complain(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    except ImportError as error:
        missing = NEEDED.get((error.name or "").split(".")[0])
        if missing is None:
            raise
        _complain(f"error: {missing}: expected it to be installed; `twofold doctor` says what is missing")
        return 2
    except BrokenPipeError:
        # The reader is gone (`| head`).
        _silence()
        return 141
    except Exception as error:
        if library := _failed_to_load(error):
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:TOLD]
            _complain(f"error: {library}: expected it to load here ({reason}); see the variables and the folder")
            return 2
        if not isinstance(error, OSError) or error.errno not in _UNWRITTEN or error.filename is not None:
            raise
        _complain(f"error: stdout: could not be written ({error.strerror})")
        _silence()
        return 1


def _failed_to_load(error: Exception) -> str:
    """The library beneath whose modules broke as they were imported, e.g. at a variable."""
    found = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if name in OWN:
            found = ""
        elif name in NEEDED and frame.f_code.co_name == "<module>":
            found = found or name
    return found


def _complain(message: str) -> None:
    """Tell what is wrong on stderr, where there is still somebody to read it."""
    with suppress(OSError):
        print(f"twofold: {message}", file=sys.stderr, flush=True)


def _silence() -> None:
    """Drop what a stream could not take, lest the interpreter complain a second time as it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
