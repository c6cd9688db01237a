"""Block seeds: distinct within a case, a function of their names alone, and of no more bits than torch reads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
import torch

from montecarlo import seeds

Scheme = Callable[[bytes, int], int]


def first_draw(seed: int) -> tuple[float, ...]:
    generator = torch.Generator()
    generator.manual_seed(seed)
    return tuple(torch.randn(16, generator=generator).tolist())


def shares_a_stream(scheme: Scheme, cases: list[bytes], blocks: int) -> bool:
    """Whether two of the blocks would be drawn alike by the CPU generator, which reads 32 bits of a seed."""
    used = [scheme(case, block) % 2**32 for case in cases for block in range(blocks)]
    return len(set(used)) < len(used)


def test_torch_reads_only_32_bits_of_a_cpu_seed() -> None:
    """The reason for the permutation; where this fails, torch has come to read more and the seeds may grow."""
    assert first_draw(5) == first_draw(5 + 2**32)
    assert first_draw(5) != first_draw(6)


def test_no_two_blocks_of_a_case_share_a_seed() -> None:
    case = seeds.case_digest(0, "bao2024.appA.eq15", "key")
    assert not shares_a_stream(seeds.block_seed, [case], 2**17)


def test_colliding_schemes_are_caught() -> None:
    def hashed(case: bytes, block: int) -> int:
        return int.from_bytes(hashlib.blake2b(block.to_bytes(8, "big"), key=case, digest_size=4).digest(), "big")

    def high_bits(case: bytes, block: int) -> int:
        return int.from_bytes(case[:4], "big") << 32 | block

    one, two = seeds.case_digest(0, "a", "k"), seeds.case_digest(0, "b", "k")
    assert shares_a_stream(hashed, [one], 2**18)
    assert shares_a_stream(high_bits, [one, two], 4)
    assert not shares_a_stream(seeds.block_seed, [one, two], 4)


def test_the_seeds_are_a_permutation_that_can_be_undone() -> None:
    """Undoing the rounds in reverse gives the index back, so the map is one to one on all 2^32 blocks."""
    case = seeds.case_digest(7, "claim", "key")
    for block in (0, 1, 2, 12345, 2**31, 2**32 - 1):
        seed = seeds.block_seed(case, block)
        left, right = seed >> 16, seed & 0xFFFF
        for turn in reversed(range(seeds._ROUNDS)):
            message = bytes((turn,)) + left.to_bytes(2, "big")
            mixed = int.from_bytes(hashlib.blake2b(message, key=case, digest_size=2).digest(), "big")
            left, right = right ^ mixed, left
        assert left << 16 | right == block
        assert 0 <= seed < 2**32


def test_every_part_of_the_name_counts_and_the_parts_are_kept_apart() -> None:
    names = [(0, "a", "k"), (1, "a", "k"), (0, "b", "k"), (0, "a", "l"), (0, "ak", ""), (0, "a.corrected", "k")]
    assert len({seeds.case_digest(*name) for name in names}) == len(names)
    assert seeds.case_digest(0, "a", "k") == seeds.case_digest(0, "a", "k")


@pytest.mark.parametrize("block", [-1, 2**32])
def test_a_block_outside_the_stream_is_refused(block: int) -> None:
    with pytest.raises(ValueError, match=r"block = .*expected 0 <= block < 2\*\*32"):
        seeds.block_seed(bytes(32), block)
