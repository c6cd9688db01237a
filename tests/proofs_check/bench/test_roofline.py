"""What the machine allows: instructions counted in loops whose counts are known, and the limits made of them."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from proofs_check.bench import device, device_joint, device_rows, roofline

ASSEMBLY = """
f:
	movq	%rdi, %rax
.LBB0_1:
.LBB0_2:
	vpmuludq	%zmm0, %zmm1, %zmm2
	vpxord	%zmm2, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm1, %zmm1
	vpsrlq	$32, %zmm1, %zmm1
	vpmuludq	%zmm0, %zmm1, %zmm2
	vmovdqu64	%zmm1, (%rax)
	addq	$64, %rax
	jne	.LBB0_2
.LBB0_3:
	vmovups	(%rax), %zmm3
	vfmadd213ps	%zmm1, %zmm2, %zmm3
	vsqrtps	%zmm3, %zmm3
	vmulps	%zmm3, %zmm4, %zmm5
	vpslld	$31, %zmm4, %zmm4
	vmovups	%zmm5, (%rbx)
	vmovups	%zmm5, 64(%rbx)
	jne	.LBB0_3
	jmp	.LBB0_1
"""


def test_instructions_are_counted_by_loop() -> None:
    """Two innermost loops: 5 integer a word stored; 3 floating and 1 integer for 2 normals, which take a root."""
    words, pairs = map(roofline.counted, roofline.innermost(ASSEMBLY))
    assert words == {"float": 0, "integer": 80, "roots": 0, "stored": 16}
    assert pairs == {"float": 48, "integer": 16, "roots": 16, "stored": 32}
    assert roofline.a_normal(ASSEMBLY) == {"float": 1.5, "integer": 0.5}


def test_of_two_loops_that_make_normals_the_better_one_counts() -> None:
    worse = ASSEMBLY.replace("_3", "_4").replace("\tvpslld", "\tvpxord\t%zmm3, %zmm4, %zmm4\n\tvpslld")
    assert roofline.a_normal(worse) == {"float": 1.5, "integer": 1.0}
    for both in (ASSEMBLY + worse, worse + ASSEMBLY):
        assert roofline.a_normal(both) == {"float": 1.5, "integer": 0.5}


def test_loops_that_are_not_as_known_give_nothing() -> None:
    assert roofline.a_normal(ASSEMBLY.replace("vsqrtps", "vmulps")) is None
    assert roofline.a_normal("f:\n\tret\n") is None


def test_one_instruction_more_shows() -> None:
    more = ASSEMBLY.replace("\tvmulps", "\tvaddps\t%zmm3, %zmm4, %zmm6\n\tvmulps")
    found = roofline.a_normal(more)
    assert found is not None
    assert found["float"] == 2.0


def test_limits() -> None:
    found = roofline.ceiling({"float": 10.0, "integer": 20.0}, {"float": 1.0, "integer": 4.0})
    assert found == {"side by side": 5.0, "in turn": pytest.approx(1 / 0.3)}
    assert roofline.ceiling(None, None) == {"side by side": None, "in turn": None}


def test_a_machine_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def absent(name: str, *given: Any, **further: Any) -> Any:
        if name.split(".")[0] == "numba":
            raise ModuleNotFoundError("No module named 'numba'", name="numba")
        return found(name, *given, **further)

    monkeypatch.setattr(roofline, "COPIED", 1 << 16)
    monkeypatch.setattr(builtins, "__import__", absent)
    limits = roofline.cpu()
    assert limits["status"] == "not measured: numba is not installed"
    assert limits["in turn"] is None
    assert limits["bandwidth"] > 0


JOINT = "joint, GPU, approximate"
SASS = """Function:scores_program
--:-:0:-:8	LDC R1, c[0x0][0x28];
LBB5:
--:-:-:-:1	IMAD.WIDE.U32 R30, R50, -0x326172a9, RZ;
LBB6:
--:-:-:-:1	IMAD.WIDE.U32 R30, R50, -0x326172a9, RZ;
--:-:-:-:1	@P1 LOP3.LUT R51, R51, UR19, R56, 0x96, !PT;
--:-:-:-:1	MUFU.SIN R1, R2;
--:-:-:-:1	MUFU.COS R1, R2;
--:-:-:-:5	@!P0 BRA LBB6;
--:-:-:-:5	@P0 BRA LBB5;
"""


def test_a_gpu_s_instructions_are_counted_in_its_innermost_loop() -> None:
    assert device.a_normal(SASS) == {"issued": 2.5, "special": 1.0, "local": 0.0}
    assert device.a_normal(SASS.replace("MUFU.SIN", "FADD")) is None


@pytest.mark.skipif(device.missing() is None, reason="there is a GPU")
def test_without_a_gpu_nothing_is_measured() -> None:
    rows = device_rows.rows([(40, 128), (512, 64)])
    assert [row["name"] for row in rows[:4]] == ["fused, GPU", "fused, GPU, approximate", "joint, GPU", JOINT]
    assert len(rows) == 8 and len(device_rows.rows([(40, 128)], ["joint"])) == 2
    assert all(row["status"].startswith("not measured: ") for row in rows)
    assert not any("normals a second" in row for row in rows)


@pytest.mark.slow
def test_the_gpu_s_program_compiles_without_a_gpu() -> None:
    """For compute capability 9.0: no register goes to memory, and no more instructions a normal than is said."""
    pytest.importorskip("triton", reason="Triton is an optional extra")
    found = device.a_normal(device.compiled(90, 8))
    assert found is not None
    assert found["local"] == 0
    assert found["issued"] < 21
    assert found["special"] == 2


NESTED = """Function:ends_program
--:-:0:-:8	LDC R1, c[0x0][0x28];
LBB0:
--:-:-:-:1	FADD R1, R1, R2;
LBB1:
--:-:-:-:1	MUFU.SQRT R1, R2;
--:-:-:-:1	FFMA R1, R2, R3, R1;
--:-:-:-:5	@!P0 BRA LBB1;
--:-:-:-:5	@P0 BRA LBB0;
--:-:-:-:5	STL [R1], RZ;
LBB2:
--:-:-:-:5	BRA LBB2;
"""


def test_a_loop_counts_as_often_as_it_runs() -> None:
    """3 instructions ten times, 2 more four times, 3 once; the loop that makes no normals is no loop of the program."""
    assert device_joint.program(NESTED, (10, 4)) == {"issued": 41, "special": 10, "local": 1}
    assert device_joint.program(NESTED, (10,)) is None
    assert device_joint.program(SASS.replace("MUFU", "FMUL"), (10, 4)) is None


def test_a_gpu_s_limits_hold_each_alone() -> None:
    walk = {"issued": 1280.0, "special": 16.0, "local": 0.0, "tensor": 40960.0, "memory": 100.0}
    facts = {"multiprocessors": 2, "clock": 1e9, "memory": 5e9}
    expected = {"issued": 2e8, "special": 2e9, "tensor": 2e8, "memory": 5e7}
    assert device_joint.limits(walk, facts, 90) == pytest.approx(expected)
    assert device_joint.limits(walk, facts, 75)["tensor"] is None
    assert device_joint.limits(walk | {"tensor": 0.0}, facts, 90)["tensor"] is None


def test_the_ceiling_of_tier_c_is_the_least_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = {"issued": 1280.0, "special": 16.0, "local": 0.0, "tensor": 40960.0, "memory": 100.0}
    facts = {"device": "one", "multiprocessors": 2, "clock": 1e9, "memory": 5e9}
    monkeypatch.setattr(device, "facts", lambda: (facts, 90))
    monkeypatch.setattr(device_joint, "a_walk", lambda *given: walk)
    found = device_joint.ceiling(40, 128, False)
    assert found["by"] == "store" and found["normals a second"] == pytest.approx(5e7 * 168)
    monkeypatch.setattr(device_joint, "a_walk", lambda *given: None)
    assert device_joint.ceiling(40, 128, False)["normals a second"] is None


@pytest.mark.slow
def test_tier_c_s_programs_compile_without_a_gpu() -> None:
    """For compute capability 9.0: tensor cores, nothing in local memory, and as many instructions as 4e9 walks take.

    An H200 has 132 multiprocessors of at most 1.98 GHz, so that it issues 8360 instructions for each of 4e9 walks a
    second; a GPU's own clock and number are used where there is one.
    """
    pytest.importorskip("triton", reason="Triton is an optional extra")
    ends, _ = device_joint.compiled(90, 128, False)
    assert "HGMMA" in ends
    for dense, approximate, most in ((True, False, 7100), (True, True, 4800), (False, False, 6100)):
        found = device_joint.a_walk(40, 128, approximate, 90, dense)
        assert found is not None
        assert found["local"] == 0
        assert found["issued"] < most
        assert (found["tensor"] > 0) is dense
    large = device_joint.a_walk(40, 1024, False, 90)
    assert large is not None and large["local"] == 0
