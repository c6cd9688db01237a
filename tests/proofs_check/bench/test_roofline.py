"""What the machine allows: instructions counted in loops whose counts are known, and the limits made of them."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from proofs_check.bench import device, roofline

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
    rows = device.rows([(40, 128), (512, 64)])
    assert len(rows) == 6
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
