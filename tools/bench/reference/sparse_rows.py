"""Clipped logistic gradients of sparse rows in scipy.sparse; each case makes rows of the shape it is told."""
import numpy as np

from linear import hold


class Rows:
    def __init__(self, n, d, entries):
        from scipy.sparse import csr_array  # needed here only
        rng = np.random.default_rng(1)
        columns = np.sort((d * rng.random((n, entries)) ** 3).astype(np.int64), axis=1)
        values = np.full(n * entries, 1 / np.sqrt(entries))
        starts = np.arange(0, n * entries + 1, entries)
        self.X = csr_array((values, columns.ravel(), starts), shape=(n, d))
        self.half_minus_y = np.where(rng.random(n) < 0.5, -0.5, 0.5)
        self.limit = np.ones(n)


known = {}


def rows_of(size):
    key = (size['n'], size['d'], size['entries'])
    if key not in known:
        known.clear()
        known[key] = Rows(*key)
    return known[key]


def step(form, size):
    """A run of DP-SGD from zeros, with one draw of rows for each step: gradient, noise, step."""
    records, batch, d = rows_of(size), size['batch'], size['d']
    rng = np.random.default_rng()

    def once():
        w = np.zeros(d)
        for _ in range(size['steps']):
            rows = np.sort(rng.choice(size['n'], batch, replace=False, shuffle=False))
            B = records.X[rows]
            m = hold(B @ w, records.half_minus_y[rows], records.limit[rows], -records.limit[rows])
            total = B.T @ m
            total += rng.standard_normal(d)
            total *= 0.1 / batch
            np.subtract(w, total, out=w)
        return w
    return once


def mean(form, size):
    """The noisy mean of all rows."""
    records, d = rows_of(size), size['d']
    rng, w = np.random.default_rng(), np.zeros(size['d'])

    def once():
        m = hold(records.X @ w, records.half_minus_y, records.limit, -records.limit)
        total = records.X.T @ m
        total += rng.standard_normal(d)
        return total
    return once


CASES = {'sparse-step': step, 'sparse-mean': mean}
