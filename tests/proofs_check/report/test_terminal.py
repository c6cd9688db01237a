"""What a reader sees, on terminals wide and narrow and in a pipe."""

from __future__ import annotations

import io
import os
import random
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from proofs_check.inputs.expect import Difference
from proofs_check.report import telling, terminal

Report = Any


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [80, 100, 109, 110, 160])
def test_everything_fits_the_terminal(width: int, sample_report: Report) -> None:
    out = Screen()
    console = Console(file=out, width=width, force_terminal=True, highlight=False)
    sample_report["claims"][3]["id"] = "bao2024.appC.lemma1-second-moment"
    sample_report["claims"][3]["symbolic"]["method"] = "Wick contraction and a normal form in trace words"
    for claim in sample_report["claims"]:
        claim["replay"] = "twofold verify"
    console.print(terminal.table(sample_report["claims"], width))
    terminal.rich_findings(sample_report, console)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert max(len(line) for line in shown.splitlines()) <= width
    for part in ("✓ verified", "✗ refuted", "? undecided", "! conflict", "! error", "└ corrected", "0.94% / 1.64M"):
        assert part in shown
    assert "lemma1-second-moment" in shown.replace("\n", "")


def test_a_replay_command_is_never_wrapped(sample_report: Report) -> None:
    out = Screen()
    command = "twofold verify bao2024.appA.eq15 --case '" + '{"i": 1, "W": [["1"]]}' * 9 + "'"
    sample_report["claims"][1]["replay"] = command
    terminal.rich_findings(sample_report, Console(file=out, width=80, force_terminal=True, highlight=False))
    assert command in re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())


def test_markup_in_a_text_is_only_text(sample_report: Report) -> None:
    out = Screen()
    sample_report["claims"][1]["reading"] = "every [bold]W[/] in [1, 2] :smile:"
    terminal.rich_findings(sample_report, Console(file=out, width=120, no_color=True, highlight=False))
    assert "every [bold]W[/] in [1, 2] :smile:" in out.getvalue()


def test_a_pipe_gets_rows_and_stderr_the_findings(sample_report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.watching([claim["id"] for claim in sample_report["claims"]]) as listeners:
        listeners.begin(5)
        for claim in sample_report["claims"]:
            listeners.finished(claim)
    terminal.show_report(sample_report, [Difference("bao2024.appA.eq11", "refuted", "verified")], 3)
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    lines = [line.split("\t") for line in captured.out.splitlines()]
    assert lines[0] == list(terminal.COLUMNS)
    assert [line[:2] for line in lines[1:]] == [[c["verdict"], c["id"]] for c in sample_report["claims"]]
    assert {len(line) for line in lines} == {len(terminal.COLUMNS)}
    assert "\nrefuted: bao2024.appA.eq15  (" in captured.err
    assert "Differs from --expect:\n  bao2024.appA.eq11: expected refuted, got verified\n" in captured.err
    assert captured.err.endswith(telling.summary(sample_report) + "\n")


def test_the_table_comes_after_the_details_and_the_next_step_last(
    sample_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    terminal.show_report(sample_report, [], None)
    told = screen.getvalue()
    assert told.index("counterexample") < told.index("Power: the smallest error") < told.index("Judged 5 claims")
    assert told.index("Judged 5 claims") < told.index("Next: twofold show bao2024.appA.eq15")


def test_a_cell_holds_neither_tab_nor_line_end(make_claim: Callable[..., Report]) -> None:
    claim = make_claim(
        symbolic={"status": "proved", "method": "two\tcolumns\nand lines", "evidence": [], "exact": None}
    )
    assert terminal.plain_row(claim).split("\t")[6] == "proved: two columns and lines"


def test_quiet_leaves_the_sentence(sample_report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.watching(["bao2024.appA.eq11"], quiet=True) as listeners:
        listeners.begin(1)
        listeners.finished(sample_report["claims"][0])
    terminal.show_report(sample_report, [], None, quiet=True)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", telling.summary(sample_report) + "\n")


def test_a_colourless_terminal_is_honoured(sample_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    for no_color in (False, True):
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        if no_color:
            monkeypatch.setenv("NO_COLOR", "1")
        terminal.show_report(sample_report, [], None)
        # 32 and 31 are green and red.
        assert bool(re.search(r"\x1b\[(1;)?3[12]m", screen.getvalue())) != no_color


def rows(ids: list[str], order: list[Report]) -> list[str]:
    """The lines of a stream after each claim of ``order``, verdict and id."""
    out = io.StringIO()
    stream = terminal.PlainRows(out, ids)
    stream.begin(len(ids))
    for claim in order:
        stream.finished(claim)
    stream.close()
    return [" ".join(line.split()[:2]) for line in out.getvalue().splitlines()[1:]]


def test_rows_come_in_the_order_of_the_catalogue(sample_report: Report) -> None:
    claims = sample_report["claims"]
    ids = [claim["id"] for claim in claims if not claim["id"].endswith(".corrected")]
    expected = [f"{claim['verdict']} {claim['id']}" for claim in claims]
    for seed in range(20):
        shuffled = random.Random(seed).sample(claims, len(claims))
        assert rows(ids, shuffled) == expected


def test_a_row_is_there_as_soon_as_its_claim_is(sample_report: Report) -> None:
    claims = sample_report["claims"]
    out = io.StringIO()
    stream = terminal.PlainRows(out, [claims[0]["id"], claims[1]["id"], claims[3]["id"]])
    stream.finished(claims[0])
    assert out.getvalue().count("\n") == 1
    stream.finished(claims[1])
    assert out.getvalue().count("\n") == 1, "the correction is still to come"
    stream.finished(claims[2])
    assert out.getvalue().count("\n") == 3


def test_a_reader_that_leaves_does_not_end_the_run(sample_report: Report) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    stream = terminal.PlainRows(Gone(), [sample_report["claims"][0]["id"]])
    stream.begin(1)
    stream.finished(sample_report["claims"][0])
    stream.close()


def test_a_live_panel_shows_progress_and_goes(sample_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, out = Screen(), Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    with terminal.watching([claim["id"] for claim in sample_report["claims"]]) as listeners:
        listeners.begin(5)
        for claim in sample_report["claims"]:
            listeners.claim(claim["id"])
            listeners.step(claim["id"], 1, 3)
            listeners.finished(claim)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert "✗ refuted    bao2024.appA.eq15" in shown
    assert "5/5" in shown
    # The last thing on stderr erases the panel.
    assert screen.getvalue().endswith("\x1b[2K")
    assert out.getvalue() == ""


def test_the_time_left_is_known_of_claims_that_take_minutes(sample_report: Report) -> None:
    panel = terminal.LivePanel(Console(file=Screen()))
    clock = iter(range(0, 100_000, 100))
    panel.progress.get_time = lambda: float(next(clock))
    panel.begin(9)
    for claim in sample_report["claims"][:3]:
        panel.finished(claim)
    (task,) = panel.progress.tasks
    assert task.time_remaining is not None


def test_nothing_on_stderr_where_it_is_no_terminal(sample_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    error = io.StringIO()
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with terminal.watching([]) as listeners:
        listeners.begin(0)
        listeners.finished(sample_report["claims"][0])
    assert error.getvalue() == ""


def test_a_pipe_is_told_from_a_file(tmp_path: Any) -> None:
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w") as pipe, open(tmp_path / "f", "w") as file:
        assert terminal._is_pipe(pipe)
        assert not terminal._is_pipe(file)
    assert not terminal._is_pipe(io.StringIO())
