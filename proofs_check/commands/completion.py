"""Completion scripts for shells: subcommands, options, and the ids of the claims as they are when TAB is pressed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

SHELLS = ("bash", "zsh", "fish")
#: Arguments that are ids of claims, and those that are files or folders, by the metavar that the help shows.
IDS = ("ID", "ID|GLOB")
FILES = ("FILE", "FILE.npy")
FOLDERS = ("DIR",)

_PREAMBLE = {
    "bash": '_twofold_ids() { compgen -W "$(twofold list 2>/dev/null | cut -f1)" -- "$1"; }',
    "zsh": '_twofold_ids() { compadd -- ${(f)"$(twofold list 2>/dev/null | cut -f1)"} }',
    "fish": "function __twofold_ids; twofold list 2>/dev/null | cut -f1; end",
}
_COMPLETE_IDS = {"bash": "_twofold_ids", "zsh": "_twofold_ids", "fish": "(__twofold_ids)"}


def script(shell: str, commands: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]) -> str:
    """The completion script of a shell, for commands name -> (help, what adds the arguments to a parser)."""
    import shtab

    parser = argparse.ArgumentParser(prog="twofold")
    below = parser.add_subparsers()
    for name, (told, fill) in commands.items():
        one = below.add_parser(name, help=told)
        fill(one)
        for action in one._actions:
            _completed(action, shell)
    return str(shtab.complete(parser, shell=shell, preamble={shell: _PREAMBLE[shell]}))  # type: ignore[arg-type]


def _completed(action: argparse.Action, shell: str) -> None:
    import shtab

    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if metavar in IDS:
        action.complete = {shell: _COMPLETE_IDS[shell]}  # type: ignore[attr-defined]
    elif metavar in FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif metavar in FOLDERS:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif "|" in metavar:
        action.choices = metavar.split("|")
