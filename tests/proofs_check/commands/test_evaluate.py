"""`twofold eval`: values against numpy at matrices of one's own, and every bad file or setting told in one line."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs_check.commands import cli

Array = np.ndarray[Any, np.dtype[np.float64]]


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def drawn(here: Path) -> tuple[Array, Array]:
    """A W that is not symmetric and an anisotropic Sigma, in W.npy and S.npy."""
    rng = np.random.default_rng(3)
    W, half = rng.standard_normal((3, 3)), rng.standard_normal((3, 3))
    np.save(here / "W.npy", W)
    np.save(here / "S.npy", half @ half.T)
    np.save(here / "m.npy", np.array([0.5, -1.0, 2.0]))
    return W, half @ half.T


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, list[float]]]:
    """What eval prints: quantity -> row (printed, derived, limit, simulated) -> the numbers in it."""
    capsys.readouterr()
    assert cli.main(["eval", *arguments, "--effort", "quick"]) == 0
    table: dict[str, dict[str, list[float]]] = {}
    quantity = ""
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("  "):
            name, _, text = line.strip().partition(" ")
            numbers = re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w/])", text.split("(")[0].split("=")[-1])
            table.setdefault(quantity, {})[name] = [float(number) for number in numbers]
        else:
            quantity = line.strip()
    return table


def holds(row: dict[str, list[float]], value: float) -> bool:
    centre, low, high = row["simulated"][:3]
    return low <= value <= high and low <= centre <= high


def test_a_mean_at_a_matrix_that_is_not_symmetric(
    drawn: tuple[Array, Array], capsys: pytest.CaptureFixture[str]
) -> None:
    W, Sigma = drawn
    files = ("--w", "W.npy", "--sigma", "S.npy")
    row = told(capsys, "bao2024.appA.eq15", "--set", "i=3", *files)["moment"]
    value = float(np.trace(W @ Sigma))
    assert row["derived"] == [pytest.approx(3 * value, rel=1e-8)]
    assert row["printed"] == [pytest.approx(2 * value, rel=1e-8)]
    assert holds(row, 3 * value)
    assert not holds(row, 2 * value)
    zero = told(capsys, "bao2024.appA.eq15", "--set", "i=3", "--set", "start=zero", *files)["moment"]
    assert zero["derived"] == [pytest.approx(2 * value, rel=1e-8)]
    assert holds(zero, 2 * value)
    plain = told(capsys, "bao2024.appA.eq15", "--set", "i=3", "--w", "W.npy")["moment"]
    assert plain["derived"] == [pytest.approx(3 * float(np.trace(W)), rel=1e-8)]


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_variance_of_lemma_1_is_that_of_a_sum_over_the_kernel(
    symmetric: bool, drawn: tuple[Array, Array], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    W, Sigma = drawn
    if symmetric:
        W = W + W.T
        np.save(here / "W.npy", W)
    T, i, lam = 6, 2, 1.5
    # Cov(x_a^T W x_T, x_b^T W x_T) for Cov(x_s, x_t) = min(s, t) Sigma, by Isserlis
    step = np.arange(1, T + 1, dtype=float)
    kernel = np.minimum.outer(step, step)
    gamma = np.full(T, -1.0 / T**2)
    gamma[i - 1] += 1.0 / T
    straight = float(np.trace(W @ Sigma @ W.T @ Sigma)) * kernel * kernel[-1, -1]
    crossed = float(np.trace(W @ Sigma @ W @ Sigma)) * np.outer(kernel[:, -1], kernel[-1, :])
    expected = float(gamma @ (straight + crossed) @ gamma) / lam**2
    settings = ("--set", f"T={T}", "--set", f"i={i}", "--set", "lam=3/2", "--w", "W.npy", "--sigma", "S.npy")
    row = told(capsys, "bao2024.sec4.lemma1-variance", *settings)["variance"]
    assert row["derived"] == [pytest.approx(expected, rel=1e-7)]
    assert holds(row, expected)


def test_a_gaussian_vector_with_a_mean(drawn: tuple[Array, Array], capsys: pytest.CaptureFixture[str]) -> None:
    W, Sigma = drawn
    m = np.array([0.5, -1.0, 2.0])
    expected = float(np.trace(W @ Sigma) + m @ W @ m)
    arguments = ("--w", "W.npy", "--sigma", "S.npy", "--m", "m.npy")
    (row,) = told(capsys, "bao2024.appA.eq11", *arguments).values()
    assert row["derived"] == [pytest.approx(expected, rel=1e-8)]
    assert row["printed"] == [pytest.approx(expected, rel=1e-8)]
    assert holds(row, expected)


def test_a_claim_without_randomness_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    rows = told(capsys, "bao2024.sec2.softmax-taylor", "--set", "T=7", "--set", "i=2")
    assert rows["diagonal"]["derived"] == [pytest.approx(1 / 7 - 1 / 49, rel=1e-5)]
    assert rows["off_diagonal"]["simulated"][0] == pytest.approx(-1 / 49, rel=1e-5)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert cli.main(["eval", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("twofold: error: ")
    assert len(said.err) < 400
    return said.err


EYE = np.eye(3)


def cut(path: Path) -> None:
    np.save(path, EYE)
    path.write_bytes(path.read_bytes()[:-8])


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "vector": (lambda path: np.save(path, np.ones(3)), "a square matrix"),
    "scalar": (lambda path: np.save(path, np.array(3.0)), "a square matrix"),
    "rectangle": (lambda path: np.save(path, np.ones((2, 3))), "(2, 3)"),
    "cube": (lambda path: np.save(path, np.ones((2, 2, 2))), "a square matrix"),
    "empty": (lambda path: np.save(path, np.ones((0, 0))), "a square matrix"),
    "nan": (lambda path: np.save(path, EYE * np.nan), "finite"),
    "inf": (lambda path: np.save(path, np.array([[np.inf]])), "finite"),
    "beyond": (lambda path: np.save(path, EYE.astype(np.longdouble) * np.longdouble("1e400")), "finite"),
    "complex": (lambda path: np.save(path, EYE * 1j), "complex128"),
    "bool": (lambda path: np.save(path, EYE > 0), "bool"),
    "text": (lambda path: np.save(path, np.array([["1"]])), "real numbers"),
    "record": (lambda path: np.save(path, np.zeros(3, dtype=[("a", "f8")])), "real numbers"),
    "wide": (lambda path: np.save(path, np.eye(513)), "d <= 512"),
    "notes": (lambda path: path.write_text("1 0\n0 1\n"), ".npy"),
    "nothing": (lambda path: path.write_bytes(b""), ".npy"),
    "cut": (cut, ".npy"),
    "folder": (lambda path: path.mkdir(), ".npy"),
    "missing": (lambda path: None, "No such file"),
}


@pytest.mark.parametrize("flag", ["--w", "--sigma"])
@pytest.mark.parametrize("kind", FILES)
def test_a_bad_array_is_one_line(kind: str, flag: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, part = FILES[kind]
    make(here / "bad.npy")
    said = refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", flag, "bad.npy")
    assert f"{flag} 'bad.npy'" in said
    assert part in said


@pytest.mark.parametrize("flag", ["--w", "--sigma"])
@pytest.mark.parametrize("size", [1e308, 1e250])
def test_numbers_too_large_to_work_with_are_one_line(
    flag: str, size: float, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(here / "good.npy", EYE)
    np.save(here / "huge.npy", np.full((3, 3), size))
    other = "--sigma" if flag == "--w" else "--w"
    said = refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", flag, "huge.npy", other, "good.npy")
    assert f"{flag} 'huge.npy'" in said


@pytest.mark.parametrize(("d", "told"), [(4, ""), (300, "this takes about 6 s")])
def test_the_time_of_large_matrices_is_told_beforehand(
    d: int, told: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(here / "W.npy", np.eye(d))
    monkeypatch.setattr("proofs_check.commands.evaluate.explored", lambda *_: [])
    assert cli.main(["eval", "bao2024.appA.eq15", "--set", "i=2", "--w", "W.npy"]) == 0
    said = capsys.readouterr().err
    assert told in said and bool(said) == bool(told)


def test_several_arrays_in_one_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(here / "both.npz", W=EYE, Sigma=EYE)
    assert ".npz" in refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", "--w", "both.npz")


@pytest.mark.parametrize(
    ("matrix", "part"),
    [([[1.0, 0.5], [0.0, 1.0]], "(S + S.T)/2"), ([[1.0, 2.0], [2.0, 1.0]], "-1"), ([[-1.0]], "positive semidefinite")],
)
def test_sigma_is_a_covariance(
    matrix: list[list[float]], part: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(here / "S.npy", np.array(matrix))
    np.save(here / "W.npy", np.eye(len(matrix)))
    said = refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", "--w", "W.npy", "--sigma", "S.npy")
    assert "--sigma 'S.npy'" in said
    assert part in said


def test_sizes_that_differ(here: Path, drawn: object, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(here / "S2.npy", np.eye(2))
    said = refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", "--w", "W.npy", "--sigma", "S2.npy")
    assert "--sigma 'S2.npy': expected d = 3" in said


@pytest.mark.parametrize("form", ["array", "pickle"])
def test_nothing_is_unpickled(form: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark, path = here / "run", here / "bomb.npy"
    if form == "array":
        np.save(path, np.array([[Bomb(mark)]], dtype=object), allow_pickle=True)
    else:
        path.write_bytes(pickle.dumps(Bomb(mark)))
    for flag in ("--w", "--sigma"):
        assert "bomb.npy" in refusal(capsys, "bao2024.appA.eq15", "--set", "i=2", flag, "bomb.npy")
    assert not mark.exists()
    # the bomb is live: numpy sets it off where pickles are allowed
    np.load(path, allow_pickle=True)
    assert mark.exists()


SETTINGS = [
    ([], "add --set i="),
    (["i"], "NAME=VALUE"),
    (["=3"], "NAME=VALUE"),
    (["i=2", "i=2"], "each name once"),
    (["i="], "integer from 1"),
    (["i=0"], "integer from 1"),
    (["i=-1"], "integer from 1"),
    (["i=1.5"], "integer from 1"),
    (["i=٣"], "integer from 1"),
    (["i=1e2"], "integer from 1"),
    (["i=" + "9" * 5000], "integer from 1"),
    (["i=100000"], "integer from 1"),
    (["i=2", "k=3"], "one of "),
    (["i=2", "W=3"], "--w FILE.npy"),
    (["i=2", "d=4"], "d = 3"),
    (["i=2", "start=one"], "start=sigma or start=zero"),
    (["i=2", "lam=2"], "one of "),
]


@pytest.mark.parametrize(("settings", "part"), SETTINGS, ids=lambda value: str(value)[:24])
def test_a_bad_setting_is_one_line(
    settings: list[str], part: str, drawn: object, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for setting in settings for word in ("--set", setting)]
    assert part in refusal(capsys, "bao2024.appA.eq15", *words, "--w", "W.npy")


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        (["T=8", "i=9", "lam=1"], "1 <= i <= T"),
        (["T=8", "i=3"], "--set lam="),
        (["T=8", "i=3", "lam=0"], "a positive number"),
        (["T=8", "i=3", "lam=-1/2"], "a positive number"),
        (["T=8", "i=3", "lam=nan"], "a positive number"),
        (["T=8", "i=3", "lam=1/0"], "a positive number"),
        (["T=8", "i=3", "lam=1e999999999"], "a positive number"),
        (["T=8", "i=3", "lam=1", "theta=1"], "theta"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_setting_of_a_limit_is_one_line(
    settings: list[str], part: str, drawn: object, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for setting in settings for word in ("--set", setting)]
    assert part in refusal(capsys, "bao2024.sec4.lemma1-variance", *words, "--w", "W.npy")


def test_claims_whose_print_names_no_left_side_are_evaluated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Matrices told entry by entry, of which the statement has one left side for all."""
    settings = ("--set", "dim=2", "--set", "inner=1", "--set", "seed=1")
    assert told(capsys, "bao2024.sec6.grad-scale-q", *settings)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["bao2024.appA.eq51"], "nearest: "),
        (["bao2024.*"], "the id of one claim"),
        # told before a file is read, and before the time that large matrices would take
        (["bao2024.sec4.eq5", "--w", "absent.npy"], "this one is a bound"),
        (["bao2024.appB.order19", "--w", "absent.npy"], "this one is about orders of growth"),
        (["choromanski2021.sec3.limit-trig", "--vector", "q=absent.npy"], "this one is about a limit"),
        (["bao2024.appA.eq15", "--set", "i=1", "--a", "m.npy", "--w", "W.npy"], "--a 'm.npy'"),
        (["bao2024.appA.eq11", "--m", "W.npy", "--w", "W.npy"], "a vector (d,)"),
        (["bao2024.sec4.gaussian-rho", "--set", "mu=1", "--set", "v=0"], "the hypotheses: mu in R, v > 0"),
        (["lampert2026.sec4.wendel", "--set", "dim=1", "--set", "points=3"], "expected a case with dim >= 2"),
        (["bao2024.sec4.gaussian-rho", "--set", "mu=1e-61"], "between 1e-60 and 1e+60"),
        *(
            (["bao2024.sec4.gaussian-rho", "--set", f"mu={text}"], "a number such as")
            for text in ("1e9999", "1_0", "٣")
        ),
        (["bao2024.appA.eq15", "--effort", "quik"], "nearest: quick"),
        (["bao2024.appA.eq15", "--seed", "x"], "--seed"),
        ([], "ID"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_other_arguments_are_one_line(
    arguments: list[str], part: str, drawn: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert part in refusal(capsys, *arguments)


@pytest.mark.parametrize(("settings", "message"), [(["i=2", "T=1"], "T >= 2"), (["i=9", "T=8"], "T >= 9")])
def test_a_case_that_no_simulation_takes_is_one_line(
    settings: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(here / "W.npy", np.eye(2))
    given = [word for setting in settings for word in ("--set", setting)]
    assert cli.main(["eval", "bao2024.appA.eq15", *given, "--w", "W.npy"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("lam", ["9" * 80, "9" * 400, "1/" + "9" * 70, "1/" + "9" * 400, "9" * 58, "1/" + "9" * 58])
def test_numbers_beyond_floating_point_are_one_line(lam: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(here / "W.npy", np.eye(2))
    given = ["--set", "i=2", "--set", "T=4", "--set", f"lam={lam}", "--w", "W.npy", "--effort", "quick"]
    status = cli.main(["eval", "bao2024.sec4.lemma1-variance", *given])
    err = capsys.readouterr().err
    assert status == 0 or (status == 2 and err.startswith("twofold: error: ") and err.count("\n") == 1)


@pytest.mark.parametrize("least", [-1e-9, -1e-11, -2e-12])
def test_a_small_negative_eigenvalue_is_told_with_its_projection(
    least: float, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["eval", "bao2024.appA.eq15", "--set", "i=1", "--w", "W.npy", "--sigma", "S.npy", "--effort", "quick"]
    np.save(here / "W.npy", np.eye(2))
    np.save(here / "S.npy", np.diag([1.0, least]))
    assert cli.main(given) == 2
    err = capsys.readouterr().err
    assert f"least eigenvalue is {least:.3g}" in err and "(U * v.clip(0)) @ U.T" in err
    v, U = np.linalg.eigh(np.diag([1.0, least]))
    np.save(here / "S.npy", (U * v.clip(0)) @ U.T)
    assert cli.main(given) == 0
