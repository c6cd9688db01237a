"""A cluster draws the same numbers as one machine, whatever happens to its workers, and says when it cannot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo import engine, registry
from montecarlo.accumulate import Sample
from montecarlo.empirical_checks import Simulation
from montecarlo.engine import Job, draw, run_job
from proofs_check.commands import cli
from proofs_check.inputs.errors import RunStopped, UsageError
from proofs_check.judging import cluster, remote
from proofs_check.judging import workers as on_this_machine
from proofs_check.judging.cluster import MIXED, Cluster, check_address, connected, work
from proofs_check.judging.options import Options, Silent
from proofs_check.judging.runner import run
from theorems.claims.catalogue import select

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
# of its event loops and sockets, which are not ours to close
pytestmark = pytest.mark.filterwarnings("ignore")

CLAIM = "bao2024.sec4.lemma1-mean"
CASE = {"d": 2, "T": 8, "i": 3, "W": [["1", "1/2"], ["0", "-1"]], "Sigma": [["1", "0"], ["0", "2"]], "lam": "2"}


def sample(walks: int = 400_000, **more: Any) -> Sample:
    found = registry.find(CLAIM)
    assert isinstance(found, Simulation)
    return draw(found, CASE, walks=walks, seed=5, claim_id=CLAIM, key="k", **more)


def same(one: Sample, two: Sample) -> bool:
    a, b = one["mean"], two["mean"]
    return (a.mean, a.variance, a.count) == (b.mean, b.variance, b.count) and np.array_equal(
        a.block_means, b.block_means
    )


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=60) as local:
        yield local


@pytest.fixture
def there(workers: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    # small tasks, so that there are many
    monkeypatch.setattr(cluster, "TASK_NORMALS", 1 << 18)
    with connected(workers.scheduler_address) as found:
        yield found


def test_the_numbers_are_those_of_one_machine(there: Cluster) -> None:
    assert same(sample(elsewhere=there), sample())


def test_verdicts_are_those_of_one_machine(there: Cluster) -> None:
    claims = list(select(["bao2024.appA.eq11", "bao2024.appA.eq15"]))
    far = run(claims, Options(effort="quick", elsewhere=there))["claims"]
    near = run(claims, Options(effort="quick"))["claims"]
    for row in (*far, *near):
        row["seconds"] = 0.0
    assert far == near and [row["verdict"] for row in near] == ["verified", "refuted", "verified"]


@pytest.fixture(scope="module")
def several() -> Iterator[list[Any]]:
    with pytest.MonkeyPatch.context() as few:
        # two of them are worth a worker here
        few.setattr(on_this_machine, "LEAST", 2)
        yield list(select([f"bao2024.appA.eq{n}" for n in (11, 12, 14, 15)]))


def without_times(report: Any) -> list[Any]:
    return [{**row, "seconds": 0.0} for row in report["claims"]]


@pytest.fixture(scope="module")
def near(several: list[Any]) -> list[Any]:
    return without_times(run(several, Options(effort="quick")))


@pytest.mark.slow
def test_claims_are_handed_out_whole(
    there: Cluster, several: list[Any], near: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[str] = []
    submit = there.client.submit

    def noted(function: Any, *given: Any, **named: Any) -> Any:
        handed.append(function.__module__.rsplit(".", 1)[1])
        return submit(function, *given, **named)

    monkeypatch.setattr(there.client, "submit", noted)
    assert without_times(run(several, Options(effort="quick", elsewhere=there))) == near
    assert handed == ["remote"] * len(several)


def test_a_claim_whose_worker_is_killed_is_judged_by_another(
    there: Cluster, several: list[Any], near: list[Any]
) -> None:
    killed: list[int] = []

    class Killing(Silent):
        def claim(self, name: str) -> None:
            if len(killed) < 1 and name == several[-1].id:
                process = next(iter(there.client.run(os.getpid).values()))
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    assert without_times(run(several, Options(effort="quick", elsewhere=there), Killing())) == near
    assert killed


def test_a_claim_that_kills_its_process_every_time_is_an_error(
    there: Cluster, several: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "judge", dies)
    report = run(several, Options(effort="quick", elsewhere=there))
    assert {row["verdict"] for row in report["claims"]} == {"error"}
    assert all("was killed" in row["reason"] for row in report["claims"])


def dies(name: str, options: Any, device: str, code: str) -> Any:
    raise ChildProcessError(f"the process that judged {name} was killed; is there enough memory?")


@pytest.mark.slow
def test_the_process_beside_a_worker_is_started_anew(several: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_BESIDE", SimpleNamespace())
    asked = (several[0].id, Options(effort="quick"), "cpu", cluster.identity()["code"])
    found = remote.judge(*asked)
    assert [report["verdict"] for report, _ in found] == ["verified"]
    remote._beside().kill()
    remote._beside().wait()
    assert [report["verdict"] for report, _ in remote.judge(*asked)] == ["verified"]
    with monkeypatch.context() as planted:
        planted.setattr(remote, "_beside", lambda: subprocess.Popen(["true"], stdin=-1, stdout=-1))
        with pytest.raises(ChildProcessError, match="was killed"):
            remote.judge(*asked)
    with pytest.raises(RuntimeError, match="other code"):
        remote.judge(*asked[:3], "other")
    remote._beside().kill()


def test_the_command(workers: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "r.json"
    arguments = ["verify", "bao2024.appA.eq11", "--effort", "quick", "--json", str(written)]
    assert cli.main([*arguments, "--cluster", workers.scheduler_address]) == 0
    assert json.loads(written.read_text())["run"]["device"] == "cpu"


def test_a_lost_scheduler_ends_the_run_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 2.0)
    quick = {"distributed.comm.timeouts.connect": "1s", "distributed.comm.retry.count": 0}
    with dask.config.set(quick):
        _lose_the_scheduler()


def _lose_the_scheduler() -> None:
    local = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=60)

    def lose(done: int, total: int) -> None:
        if done == 1:
            local.close()

    with pytest.raises(RunStopped, match="the scheduler was lost"), connected(local.scheduler_address) as found:
        sample(40_000_000, elsewhere=found, on_block=lose)


def test_a_run_that_lost_its_scheduler_keeps_what_it_has() -> None:
    def lost(job: Job, blocks: range, normals: int) -> Iterator[Any]:
        raise RunStopped("--cluster tcp://x:1: the scheduler was lost")
        yield

    fake: Any = lost
    fake.device, fake.threads = (lambda wanted: "cpu"), (lambda: 1)
    # the first claim has no randomness, so it needs no cluster
    claims = list(select(["bao2024.sec2.softmax-taylor", "bao2024.appA.eq11"]))
    report = run(claims, Options(effort="quick", elsewhere=fake))
    assert [row["verdict"] for row in report["claims"]] == ["verified"]
    assert report["run"]["partial"] and "scheduler was lost" in report["run"]["stopped"]


@pytest.mark.parametrize(
    "address",
    ["", "here", "tcp://", "tcp://host", "tcp://host:99999", "tcp://a b:1", "http://x:1", "\x00", "x" * 5000, "/"],
)
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_address(address)
    assert "\n" not in str(caught.value) and str(caught.value).startswith("--cluster ")


def test_nobody_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    written = tmp_path / "r.json"
    assert cli.main(["verify", CLAIM, "--cluster", "tcp://127.0.0.1:9", "--json", str(written)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("twofold: error: --cluster 'tcp://127.0.0.1:9': expected a Dask scheduler that answers")
    assert told.count("\n") == 1 and not written.exists()
    path = tmp_path / "scheduler.json"
    for text, told in (("{", "or the scheduler's file"), ('{"address": 3}', "or the scheduler's file")):
        path.write_text(text)
        assert cli.main(["verify", CLAIM, "--cluster", str(path)]) == 2
        assert told in capsys.readouterr().err
    path.write_text('{"address": "tcp://127.0.0.1:9", "type": "Scheduler"}')
    assert check_address(str(path)) == "tcp://127.0.0.1:9"


def test_workers_with_other_code_are_refused(workers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = cluster.identity()
    monkeypatch.setattr(cluster, "identity", lambda: {**here, "code": "other"})
    client = SimpleNamespace(wait_for_workers=lambda *a, **k: None, run=lambda *a, **k: {"tcp://w:1": here})
    with pytest.raises(UsageError, match="expected code other on every worker"):
        cluster._same_code(client, "tcp://x:1")  # type: ignore[arg-type]
    client.run = lambda *a, **k: {"tcp://w:1": OSError("gone")}
    cluster._same_code(client, "tcp://x:1")  # type: ignore[arg-type]
    client.run = lambda *a, **k: {"tcp://w:1": ModuleNotFoundError("montecarlo")}
    with pytest.raises(UsageError, match="Twofold to be installed on tcp://w:1"):
        cluster._same_code(client, "tcp://x:1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "found", "device"),
    [
        ("auto", [False, False], "cpu"),
        ("auto", [True, False], MIXED),
        ("auto", [True, True], "cuda"),
        ("cpu", [True, True], "cpu"),
        ("cuda", [True, True], "cuda"),
    ],
)
def test_the_device_is_the_workers(wanted: str, found: list[bool], device: str) -> None:
    client: Any = SimpleNamespace(run=lambda *_: dict(enumerate(found)))
    assert Cluster(client, "tcp://x:1").device(wanted) == device


def test_cuda_needs_it_on_every_worker() -> None:
    client: Any = SimpleNamespace(run=lambda *_: {"a": True, "b": False})
    with pytest.raises(UsageError, match="a CUDA device on every worker"):
        Cluster(client, "tcp://x:1").device("cuda")


def test_a_job_is_plain_data_and_draws_the_same_here() -> None:
    jobs: list[tuple[Job, range]] = []

    def noted(job: Job, blocks: range, normals: int) -> Iterator[Any]:
        jobs.append((job, blocks))
        yield from run_job(job, blocks)

    far: Any = noted
    near = sample()
    torch.set_num_threads(1)
    assert same(sample(elsewhere=far), near)
    ((job, blocks),) = jobs
    assert json.loads(job.case)["W"] == CASE["W"] and job.device == "cpu"
    code = cluster.identity()["code"]
    here = [row[0]["mean"].mean for row in work(job, blocks.start, blocks.start + 2, code)]
    assert here == [row[0]["mean"].mean for row in run_job(job, blocks[:2])]
    mixed = work(Job(**{**job.__dict__, "device": MIXED}), blocks.start, blocks.start + 1, code)
    assert mixed[0][0]["mean"].mean == here[0]
    with pytest.raises(RuntimeError, match="other code"):
        work(job, 0, 1, "another")


def test_a_case_that_is_no_plain_data_stays_here() -> None:
    def function(generator: Any, n: int, variance_of: Any) -> Any:
        return torch.rand(n, generator=generator) * variance_of

    sim = Simulation("test.free", function, bounded=(0.0, 1.0))
    assert engine._job(sim, {"variance_of": lambda x: x}, 0, "c", "k", "cpu", ()) is None
    assert engine._job(sim, {"variance_of": "1", "other_of": lambda x: x}, 0, "c", "k", "cpu", ()) is not None


def test_what_is_on_its_way_is_cancelled_at_the_end() -> None:
    cancelled: list[Any] = []
    block: Any = ({}, {})
    future = SimpleNamespace(result=lambda timeout: [block])
    client: Any = SimpleNamespace(
        submit=lambda *a, **k: future, nthreads=lambda: {"w": 1}, status="running", cancel=cancelled.extend
    )
    job = Job("s", "{}", 0, "c", "k", "cpu", ())
    with closing(Cluster(client, "tcp://x:1")(job, range(100), cluster.TASK_NORMALS)) as results:
        assert next(results) is block
    assert len(cancelled) == cluster.AHEAD


@pytest.mark.slow
def test_a_killed_worker_costs_its_blocks_and_nothing_else(there: Cluster) -> None:
    # the last test of the file: the worker that takes its place has not imported everything yet when all end
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if done >= total // 4 and not killed:
            process = next(iter(there.client.run(os.getpid).values()))
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    assert same(sample(2_000_000, elsewhere=there, on_block=kill), sample(2_000_000, threads=2))
    assert killed
