"""A statement as it was given, in the words of the command line."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass

from theorems.statement.proposition import Proposition, proposition
from theorems.statement.reading.coherent import check_used


@dataclass(frozen=True)
class Request:
    """A statement as it was given: its text, hypotheses, definitions, law and limit."""

    text: str
    hypotheses: str = ""
    where: str = ""
    law: str = "walk"
    limit: str = ""

    def read(self) -> Proposition:
        """The proposition; StatementError where it cannot be read, or does not use one of its definitions."""
        check_used(self.text, self.where)
        return self.put()

    def put(self) -> Proposition:
        """The proposition of one of several quantities, which need not use all definitions."""
        return proposition(self.text, self.hypotheses, self.where, self.law, self.limit)

    @property
    def id(self) -> str:
        """An id that depends on the statement alone."""
        parts = (self.text, self.hypotheses, self.where, self.law, self.limit)
        digest = hashlib.blake2b("\n".join(" ".join(part.split()) for part in parts).encode(), digest_size=4)
        return f"check.{digest.hexdigest()}"

    def command(self, effort: str, seed: int) -> str:
        """The command that repeats the check."""
        words = ["twofold", "check", self.text]
        options = (("--for", self.hypotheses), ("--where", self.where), ("--as", self.limit))
        for option, value in (*options, ("--law", self.law if self.law != "walk" else "")):
            words += [option, value] if value else []
        words += ["--effort", effort] if effort != "standard" else []
        words += ["--seed", str(seed)] if seed else []
        return shlex.join(words)
