"""Seeds of blocks: a pure function of (run seed, claim id, case, block index).

torch's CPU generator is a Mersenne twister that reads only the low 32 bits of its seed. Hashing a block straight to
32 bits would make two of 2^14 blocks of one case share a seed in 3 cases of 100, so the blocks of a case are
numbered through a keyed permutation of the 32-bit integers instead: within a case no two blocks can share a seed.
"""

from __future__ import annotations

import hashlib
import json

BITS = 32
#: Blocks that one case can have; also the number of seeds that the CPU generator can tell apart.
BLOCKS = 1 << BITS
_HALF = BITS // 2
_ROUNDS = 6


def case_digest(run_seed: int, claim_id: str, key: str) -> bytes:
    """The 256-bit name of a case's stream; JSON keeps the three parts apart."""
    return hashlib.blake2b(json.dumps([run_seed, claim_id, key]).encode(), digest_size=32).digest()


def block_seed(digest: bytes, block: int) -> int:
    """The seed of one block, in [0, 2^32): a Feistel permutation, keyed by the case, of the block's index.

    Raises ValueError where the index is outside [0, 2^32).
    """
    if not 0 <= block < BLOCKS:
        raise ValueError(f"block = {block}; expected 0 <= block < 2**{BITS}; ask for fewer walks")
    left, right = block >> _HALF, block & ((1 << _HALF) - 1)
    for turn in range(_ROUNDS):
        message = bytes((turn,)) + right.to_bytes(_HALF // 8, "big")
        mixed = int.from_bytes(hashlib.blake2b(message, key=digest, digest_size=_HALF // 8).digest(), "big")
        left, right = right, left ^ mixed
    return left << _HALF | right
