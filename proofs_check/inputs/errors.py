"""What a user did wrong, told in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from theorems.claims.text import one_line

_SHOWN = 80


def shown(value: object) -> str:
    """The value as it stands in a message: quoted where it is text, on one line, cut at 80 characters."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except RecursionError:
        return "(deeply nested)"
    except ValueError:
        # an integer of more digits than Python writes
        return "(thousands of digits)"
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def shown_error(error: BaseException) -> str:
    """An error as it stands in a message: its type and what it says, on one line that a terminal shows as it is."""
    try:
        told = str(error)
    except Exception:
        # what a user's exception says of itself is code of his own
        told = "it cannot be written as text"
    return one_line(f"{type(error).__name__}: {told}", 3 * _SHOWN)


def shortened(message: str) -> str:
    """A message that quotes a long formula, cut before what to do, which its last part says."""
    said, joint, mend = message.rpartition("; ")
    mend = joint + (mend if len(mend) <= 2 * _SHOWN else mend[: 2 * _SHOWN - 3] + "...")
    most = 6 * _SHOWN - len(mend)
    return (said if len(said) <= most else said[: most - 3] + "...") + mend


class UsageError(Exception):
    """An argument that cannot be used: its name, its value, what was expected and what to do, in one line.

    The value is shown as `shown` does; ``verbatim`` says that this has been done.
    """

    def __init__(self, argument: str, value: object, expected: str, mend: str = "", *, verbatim: bool = False) -> None:
        told = value if verbatim else shown(value)
        message = f"{argument} {told}: expected {expected}" + (f"; {mend}" if mend else "")
        super().__init__(" ".join(message.split()))
        self.argument = argument

    @classmethod
    def told(cls, argument: str, message: str) -> UsageError:
        """An error of an argument whose message stands already."""
        found = cls(argument, "", "")
        found.args = (f"{argument}{message}",)
        return found

    def of(self, argument: str) -> UsageError:
        """The same error, of the argument that it was given by."""
        return UsageError.told(argument, str(self).removeprefix(self.argument))


class RunStopped(BaseException):
    """What ends a whole run, and not one claim: the message says why, in one line; what was judged is kept.

    No `except Exception` of the code in between takes it for the fault of the claim at hand.
    """


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names that look most like ``name``, best first: as a whole, or by their last part (eq15)."""
    wanted = name[:200].strip("*").lower()

    def likeness(candidate: str) -> float:
        tail = candidate.rsplit(".", 1)[-1]
        pairs = ((wanted, candidate), (wanted.rsplit(".", 1)[-1], tail))
        whole, last = (difflib.SequenceMatcher(None, a, b.lower()).ratio() for a, b in pairs)
        return max(whole, 0.95 * last)

    # Of equally near names the one with the same letters goes first: eq51 is rather eq15 than eq11.
    letters = sorted(wanted)
    scored = [(-likeness(candidate), sorted(candidate.lower()) != letters, candidate) for candidate in known]
    ranked = sorted(scored, key=lambda entry: entry[:2])
    return [candidate for score, _, candidate in ranked[:count] if score < -0.4]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The mend of an unknown name: ``nearest: a, b``, or where the names are listed."""
    near = nearest(name, known)
    return "nearest: " + ", ".join(near) if near else "`twofold list` lists the ids"
