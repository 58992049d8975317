"""Coordinate descent on a logistic model with cached margins, one step along every column.

Each entry r x_j with r = s(m) - y is held to +-clip, summed, and noised; margins follow by one column.
"""
import numpy as np


def held_sum(m, x, half_minus_y, clip, r, t):
    """s(m) - y = tanh(m/2)/2 + (1/2 - y)."""
    np.multiply(m, 0.5, out=r)
    np.tanh(r, out=r)
    r *= 0.5
    r += half_minus_y
    np.multiply(r, x, out=t)
    np.clip(t, -clip, clip, out=t)
    return t.sum()


def coordinate_pass(records, form, size):
    """'whole', or 'blocks-k': 2^k rows at a time, so that their data stay in cache."""
    n, d, X, half = records.n, records.d, records.X, records.half_minus_y
    clip, step_size, noisy = size['clip'], size['stepSize'], size['noisy']
    rows = n if form == 'whole' else 2 ** int(form.split('-')[1])
    rng = np.random.default_rng()
    r, t = np.empty(rows), np.empty(rows)

    def once():
        w, m = np.zeros(d), np.zeros(n)
        noise = rng.standard_normal(d) * (noisy * clip)
        for j in range(d):
            x, g = X[:, j], 0.0
            for a in range(0, n, rows):
                e = min(n, a + rows)
                g += held_sum(m[a:e], x[a:e], half[a:e], clip, r[:e - a], t[:e - a])
            step = -step_size / n * (g + noise[j])
            w[j] += step
            for a in range(0, n, rows):
                e = min(n, a + rows)
                np.multiply(x[a:e], step, out=t[:e - a])
                m[a:e] += t[:e - a]
        return w
    return once


CASES = dict(coordinate_pass=coordinate_pass)
