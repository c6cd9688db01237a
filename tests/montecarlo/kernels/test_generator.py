"""The generator: known answers, the errors of its polynomials, tails, and the statistics of what it draws.

The chance of any false alarm among the statistics, were the seeds not fixed, is below 1e-6 (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import pytest
from mpmath import mp
from numpy.typing import NDArray
from scipy.stats import chi2, norm
from sympy import isprime

pytest.importorskip("numba")

from tests.montecarlo.kernels.draws import draw, draw_bits, transform
from tests.montecarlo.kernels.interpreted import philox

KEY = 0x0123456789ABCDEF
WALKS, POSITIONS = 1 << 11, 1 << 8
#: Statistics looked at below, all together.
LOOKS = 400
BOUND = float(norm.isf(1e-6 / LOOKS / 2))
Words = NDArray[np.uint32]


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_the_reference_gives_the_published_answers(counter: str, key: str, answer: str) -> None:
    numbers = [[int(word, 16) for word in words.split()] for words in (counter, key, answer)]
    assert philox(numbers[0], numbers[1], 32) == numbers[2]


def xoshiro(state: list[int]) -> Iterator[int]:
    """xoshiro128++ as its authors state it."""

    def turned(x: int, bits: int) -> int:
        return (x << bits | x >> (32 - bits)) & 0xFFFFFFFF

    s = list(state)
    while True:
        yield (turned((s[0] + s[3]) & 0xFFFFFFFF, 7) + s[0]) & 0xFFFFFFFF
        shifted = (s[1] << 9) & 0xFFFFFFFF
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = turned(s[3], 11)


def test_xoshiro_is_that_of_others() -> None:
    """PHP's own test of xoshiro128++ from the state 1, 2, 3, 4: the word after 102400 others."""
    assert next(islice(xoshiro([1, 2, 3, 4]), 102400, None)) == int.from_bytes(bytes.fromhex("fa3c872c"), "little")


def order_is_full(step: Callable[[list[int]], list[int]]) -> bool:
    """Whether a linear map of four words has one orbit of all states but 0, by the order of a state under it."""
    primes = [3, 5, 17, 257, 641, 65537, 274177, 6700417, 67280421310721]
    whole = (1 << 128) - 1
    assert math.prod(primes) == whole and all(isprime(p) for p in primes)

    def moved(state: int) -> int:
        words = step([state >> 32 * k & 0xFFFFFFFF for k in range(4)])
        return sum(word << 32 * k for k, word in enumerate(words))

    def image(columns: list[int], state: int) -> int:
        found = 0
        while state:
            found ^= columns[(state & -state).bit_length() - 1]
            state &= state - 1
        return found

    powers = [[moved(1 << bit) for bit in range(128)]]
    while len(powers) < 128:
        powers.append([image(powers[-1], column) for column in powers[-1]])

    def after(steps: int) -> int:
        state = 1
        for bit in range(128):
            if steps >> bit & 1:
                state = image(powers[bit], state)
        return state

    return after(whole) == 1 and all(after(whole // p) != 1 for p in primes)


@pytest.mark.parametrize(("shift", "turn", "full"), [(9, 11, True), (9, 10, False)])
def test_all_states_but_0_lie_on_one_orbit(shift: int, turn: int, full: bool) -> None:
    """Of the generator's constants that is so; of others close by it is not."""

    def step(s: list[int]) -> list[int]:
        c, d = s[2] ^ s[0], s[3] ^ s[1]
        turned = (d << turn | d >> (32 - turn)) & 0xFFFFFFFF
        return [s[0] ^ d, s[1] ^ c, c ^ (s[1] << shift & 0xFFFFFFFF), turned]

    assert order_is_full(step) == full
    # of the reference, which goes on from the state after this as it goes on from this
    for begun in np.random.default_rng(0).integers(0, 1 << 32, (10, 4)).tolist():
        later = list(islice(xoshiro(begun), 1, 6))
        assert (list(islice(xoshiro(step(begun)), 5)) == later) == full


@pytest.mark.parametrize("key", [0, KEY, (1 << 64) - 1])
@pytest.mark.parametrize("block", [0, 5, (1 << 32) - 1, (1 << 40) + 5])
def test_the_words_are_those_of_the_reference(key: int, block: int) -> None:
    found = draw_bits(key, block, 19, 11)
    for walk in (0, 1, 15, 16, 18):
        state = philox([walk, block & 0xFFFFFFFF, block >> 32, 0], [key & 0xFFFFFFFF, key >> 32], 32)
        assert found[walk].tolist() == list(islice(xoshiro(state), 11))


def test_a_number_depends_on_its_place_alone() -> None:
    whole = draw(KEY, 3, 50, 101)
    assert np.array_equal(draw(KEY, 3, 17, 101), whole[:17])
    assert np.array_equal(draw(KEY, 3, 50, 30), whole[:, :30])
    assert not np.array_equal(draw(KEY, 4, 50, 101), whole)
    assert not np.array_equal(draw(KEY + 1, 3, 50, 101), whole)


def test_the_normals_are_those_of_the_words() -> None:
    words = draw_bits(KEY, 1, 16, 64)
    sine, cosine = transform(words[:, 0::2].ravel(), words[:, 1::2].ravel())
    found = draw(KEY, 1, 16, 64)
    assert np.array_equal(found[:, 0::2].ravel(), sine) and np.array_equal(found[:, 1::2].ravel(), cosine)


def exact(radius: Words, angle: Words) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What Box and Muller make of two words, float64."""
    r = np.sqrt(-2 * np.log((radius.astype(np.float64) + 0.5) * 2.0**-32))
    t = np.pi * angle.view(np.int32).astype(np.float64) * 2.0**-32
    return r * np.sin(t), np.where(angle & 1, -1.0, 1.0) * r * np.cos(t)


def grid() -> tuple[Words, Words]:
    """Radius words dense at both ends and in between, each with angles dense at both ends and around 0."""
    ends = np.unique(np.concatenate([np.arange(64), np.geomspace(64, 2**31, 1000)]).astype(np.uint64))
    radius = np.concatenate([ends, 2**32 - 1 - ends]).astype(np.uint32)
    angle = np.concatenate([np.linspace(0, 2**32 - 1, 500), 2**31 + np.arange(-8, 8), np.arange(8)]).astype(np.uint32)
    pairs = np.meshgrid(radius, angle, indexing="ij")
    return pairs[0].ravel(), pairs[1].ravel()


def bound(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """The stated error of a normal whose pair has the radius r: of the polynomials, and of u in float32 near 1."""
    return 4e-7 * r + 2.0**-24 / r


def test_the_transform_is_within_its_stated_error() -> None:
    radius, angle = grid()
    r = np.hypot(*exact(radius, angle))
    for found, true in zip(transform(radius, angle), exact(radius, angle), strict=True):
        assert (np.abs(found - true) < bound(r)).all()
        assert (np.abs(found * (1 + 1e-6) - true) > bound(r)).any()


def test_moments_are_off_by_no_more_than_stated() -> None:
    """E r^2 = 2 and E r^4 = 8, over the middles of 2^22 cells and, in the first cell, over all words."""
    cells = ((np.arange(1, 1 << 22, dtype=np.uint64) << np.uint64(10)) + np.uint64(512)).astype(np.uint32)
    first = np.arange(1 << 10, dtype=np.uint32)
    sums = np.zeros(2)
    for words, weight in ((cells, 2.0**-22), (first, 2.0**-32)):
        r = np.abs(transform(words, np.zeros_like(words))[1].astype(np.float64))
        sums += weight * np.array([(r**2).sum(), (r**4).sum()])
    assert abs(sums[0] / 2 - 1) < 5e-7 and abs(sums[1] / 8 - 1) < 1e-6


def test_the_oracle_is_right() -> None:
    """float64 against 50 digits, at the words where cancellation is worst."""
    radius = np.array([0, 1, 2**31, 2**32 - 2, 2**32 - 1], np.uint32)
    angle = np.array([0, 2**31 - 1, 2**31, 2**32 - 1, 12345], np.uint32)
    sine, cosine = exact(radius, angle)
    with mp.workdps(50):
        for place in range(len(radius)):
            r = mp.sqrt(-2 * mp.log((int(radius[place]) + mp.mpf("0.5")) / 2**32))
            t = mp.pi * int(angle.view(np.int32)[place]) / mp.mpf(2) ** 32
            sign = -1 if int(angle[place]) & 1 else 1
            assert abs(r * mp.sin(t) - sine[place]) < 1e-8 * r
            assert abs(sign * r * mp.cos(t) - cosine[place]) < 1e-8 * r


@pytest.mark.parametrize("x", [4.2, 4.5, 5.0, 5.5, 5.8])
def test_the_tails_are_those_of_the_normal_law(x: float) -> None:
    """Beyond x, all radius words of the tail are gone through, each with the measure of its angles."""
    radius = np.arange(1 << 20, dtype=np.uint32)
    r = np.abs(transform(radius, np.zeros_like(radius))[1].astype(np.float64))
    assert r[-1] < 4.2
    beyond = r[r > x]
    found = (2 / np.pi * np.arccos(x / beyond)).sum() * 2.0**-32
    assert abs(found / (2 * norm.sf(x)) - 1) < 1e-2
    assert r.max() > 6.6


def test_a_tail_that_is_cut_off_is_seen() -> None:
    """24-bit uniform numbers end at 5.9: what the test above looks at is off by far more than it allows."""
    r = np.sqrt(-2 * np.log((np.arange(1 << 12) + 0.5) * 2.0**-24))
    beyond = r[r > 5.5]
    found = (2 / np.pi * np.arccos(5.5 / beyond)).sum() * 2.0**-24
    assert abs(found / (2 * norm.sf(5.5)) - 1) > 2e-2


def statistics(z: NDArray[np.float32], words: Words) -> dict[str, float]:
    """Each in standard errors: moments, tails, correlations along a walk and across walks, counts of bits and bytes."""
    x = z.astype(np.float64)
    n = x.size
    found = {
        "mean": x.mean() * n**0.5,
        "variance": (np.mean(x**2) - 1) / (2 / n) ** 0.5,
        "skewness": np.mean(x**3) / (15 / n) ** 0.5,
        "kurtosis": (np.mean(x**4) - 3) / (96 / n) ** 0.5,
    }
    for edge in (-3.0, -1.0, 0.0, 1.0, 3.0):
        p = norm.sf(edge)
        found[f"above {edge}"] = (np.mean(x > edge) - p) / (p * (1 - p) / n) ** 0.5
    for lag in (1, 2, 3, 4, 5, 8, 16):
        for axis, name in ((1, "lag"), (0, "walks")):
            a = np.take(x, range(x.shape[axis] - lag), axis)
            b = np.take(x, range(lag, x.shape[axis]), axis)
            found[f"{name} {lag}"] = np.mean(a * b) * a.size**0.5
            found[f"{name} {lag} of squares"] = np.mean((a**2 - 1) * (b**2 - 1)) / 2 * a.size**0.5
    for bit in range(32):
        found[f"bit {bit}"] = (np.mean((words >> np.uint32(bit)) & np.uint32(1)) - 0.5) * 2 * words.size**0.5
    for byte in range(4):
        counts = np.bincount(((words >> np.uint32(8 * byte)) & np.uint32(255)).ravel(), minlength=256)
        square = float(((counts - words.size / 256) ** 2).sum() / (words.size / 256))
        found[f"byte {byte}"] = float(norm.isf(max(chi2.sf(square, 255), 1e-300)))
    return {name: float(value) for name, value in found.items()}


@pytest.fixture(scope="module")
def sample() -> tuple[NDArray[np.float32], Words]:
    return draw(KEY, 9, WALKS, POSITIONS), draw_bits(KEY, 9, WALKS, POSITIONS)


def alarms(z: NDArray[np.float32], words: Words) -> list[str]:
    return [name for name, value in statistics(z, words).items() if abs(value) > BOUND]


def test_the_numbers_are_independent_normals(sample: tuple[NDArray[np.float32], Words]) -> None:
    assert len(statistics(*sample)) < LOOKS
    assert not alarms(*sample)


def test_faults_are_seen(sample: tuple[NDArray[np.float32], Words]) -> None:
    z, words = sample
    twice = z.copy()
    twice[1::16] = twice[0::16]
    assert "walks 1" in alarms(twice, words)
    again = z.copy()
    again[:, 4::8] = again[:, 0::8]
    assert "lag 4" in alarms(again, words)
    assert "variance" in alarms(z * np.float32(1.02), words)
    assert "mean" in alarms(z + np.float32(0.02), words)
    unsigned = z.copy()
    unsigned[:, 1::2] = np.abs(unsigned[:, 1::2])
    assert "above 0.0" in alarms(unsigned, words)
    assert "bit 7" in alarms(z, words | (words >> np.uint32(3)) & np.uint32(128))
    paired = z.copy()
    paired[:, 1::2] = z[:, 0::2] * np.sign(z[:, 1::2])
    assert "lag 1 of squares" in alarms(paired, words)
