"""Changed prints that are true and that no rule here proves: why, and the numbers of an independent computation.

They count as equivalent where the referee leaves them undecided; verified or refuted they stand as found.
``test_by_hand.py`` computes both sides of each anew, without the referee.
"""

from __future__ import annotations

from proofs_check.report.selftest import BY_HAND

TRUE: dict[str, str] = {
    # P[Po(w) >= n] e^w <= (w/l)^l sum_{k >= n} l^k/k! for w < l <= n, as (w/l)^k <= (w/l)^l. It is left that
    # P[Po(l) >= n] <= P[Po(n) >= n] <= 19/20. With k = n - 1 - j: n^k e^-n/k! = p prod_{i <= j} (1 - i/n), where
    # p = n^n e^-n/n! >= e^(-1/12)/sqrt(2 pi n) (Stirling), and the product is >= 1 - j (j + 1)/(2 n) >= 1/2 for
    # j <= sqrt(n) - 1. These are at least sqrt(n)/2 terms, so P[Po(n) < n] >= e^(-1/12)/(4 sqrt(2 pi)) > 1/20.
    "choromanski2021.appF.eq33-tail print, upper: times 19/20": "P[Po(n) < n] > 1/20",
    # With r = |u + v|, w = r^2/2: for r >= 1 the changed side is below the printed one, which is proved. With r < 1 and
    # 1 - f(k, d) <= k (k - 1)/(d + 2) the ratio is >= 1 - w^2/(d + 2), and w < 1/2. For l >= 2 the changed side is
    # <= f(2, d) = 1 - 2/(d + 2). For l = 1 it is <= 1 - e^(-1/2) w^2/2, and e^(-1/2)/2 > 1/4 >= 1/(d + 2).
    "choromanski2021.appF.eq32 print, lower: norm(u + v)**2 -> norm(u + v)": "by 1 - f(k, d) <= k(k - 1)/(d + 2)",
    # With L = exp(-(|u|^2 + |v|^2)/2) the estimate is L times a number of z = u + v alone, and at a given x = theta L
    # what is taken off is x L^(m - 1) |z|^4 ..., the most where u = v, L = exp(-|z|^2/4). The corrected bound, which is
    # proved, takes off x^4 |z|^4 ...: enough for x^3 >= L^(m - 1). For smaller x it is known by numbers alone.
    "choromanski2021.sec3.thm3-ort print, upper: theta**4 -> theta": "for large theta proved, else by numbers",
}


def judged(name: str, result: str, how: str) -> tuple[str, str]:
    """What becomes of a mutant that was judged so."""
    if result == "survived" and how.startswith("undecided") and name in TRUE:
        return "equivalent", f"{BY_HAND}: {TRUE[name]}"
    return result, how
