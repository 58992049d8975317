"""Clipped logistic gradients and what is built from them, in the forms numpy is fastest at.

The gradient of row x is (s(m) - y) x with m = <x, w>, so its norm is |s(m) - y| |x| and no per-row gradient is formed.
"""
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def hold(m, half_minus_y, limit, negative_limit):
    """Turns margins into clipped slopes, in place: s(m) - y = tanh(m/2)/2 + (1/2 - y), clipped to +-limit."""
    m *= 0.5
    np.tanh(m, out=m)
    m *= 0.5
    m += half_minus_y
    np.minimum(m, limit, out=m)
    np.maximum(m, negative_limit, out=m)
    return m


def add_gradient(total, records, low, high, w, rows, work):
    """Adds the gradient of rows [low, high) to total, `rows` of them at a time, so that a block is read from memory once."""
    X, half, limit, negative = records.X, records.half_minus_y, records.limit, records.negative_limit
    for a in range(low, high, rows):
        e = min(high, a + rows)
        m = np.dot(X[a:e], w, out=work[:e - a])
        total += np.dot(hold(m, half[a:e], limit[a:e], negative[a:e]), X[a:e])
    return total


def rows_of(form, d, most):
    """'whole', or 'blocks-k' and 'pool-k': blocks of 2^k numbers."""
    return most if form == 'whole' else max(1, min(most, 2 ** int(form.split('-')[1]) // d))


def gradient(records, form, size):
    n, d, w = records.n, records.d, records.w
    rows = rows_of(form, d, n)
    if not form.startswith('pool'):
        work = np.empty(rows)
        return lambda: add_gradient(np.zeros(d), records, 0, n, w, rows, work)
    pool = ThreadPoolExecutor(2)
    halves = [(0, n // 2, np.empty(rows)), (n // 2, n, np.empty(rows))]

    def half(part):
        return add_gradient(np.zeros(d), records, part[0], part[1], w, rows, part[2])
    return lambda: sum(pool.map(half, halves))


def margins(records, form, size):
    out = np.empty(records.n)
    return lambda: np.dot(records.X, records.w, out=out)


def accumulation(records, form, size):
    r, out = records.half_minus_y, np.empty(records.d)
    return lambda: np.dot(r, records.X, out=out)


def norms(records, form, size):
    X, out = records.X, np.empty(records.n)
    if form == 'vecdot':
        return lambda: np.sqrt(np.vecdot(X, X, out=out), out=out)
    return lambda: np.sqrt(np.einsum('ij,ij->i', X, X, out=out), out=out)


def mask(rng, n, rate):
    return np.flatnonzero(rng.random(n) < rate)


def choice(rng, n, rate):
    """The same distribution: first the number of rows, then the rows."""
    return rng.choice(n, rng.binomial(n, rate), replace=False, shuffle=False)


def epoch(records, form, size):
    """DP-SGD over Poisson batches, with a clip of 1 and a noise multiplier of 1."""
    n, d, X = records.n, records.d, records.X
    steps, expected, step_size = size['steps'], size['batch'], size['stepSize']
    sample = {'choice': choice, 'mask': mask}[form]
    rng = np.random.default_rng()
    room = int(expected + 20 * np.sqrt(expected)) + 20
    block, work = np.empty((room, d)), np.empty(room)

    def once():
        w = np.zeros(d)
        for _ in range(steps):
            rows = sample(rng, n, expected / n)
            B = X.take(rows, axis=0, out=block[:len(rows)], mode='clip')
            m = np.dot(B, w, out=work[:len(rows)])
            limit = records.limit.take(rows)
            total = np.dot(hold(m, records.half_minus_y.take(rows), limit, -limit), B)
            total += rng.standard_normal(d)
            total *= step_size / expected
            w -= total
        return w
    return once


def one_pass(records, form, size):
    """One step on each of `rounds` batches of consecutive rows."""
    n, d = records.n, records.d
    rounds, step_size = size['rounds'], size['stepSize']
    batch = n // rounds
    rows = rows_of(form, d, batch)
    pool = ThreadPoolExecutor(2) if form.startswith('pool') else None
    works = [np.empty(rows) for _ in range(1 if pool is None else 2)]
    rng = np.random.default_rng()

    def once():
        w = np.zeros(d)

        def part(k, low, high):
            return add_gradient(np.zeros(d), records, low, high, w, rows, works[k])
        for t in range(rounds):
            low, high = t * batch, (t + 1) * batch
            middle = (low + high) // 2
            total = part(0, low, high) if pool is None else sum(pool.map(part, (0, 1), (low, middle), (middle, high)))
            total += rng.standard_normal(d)
            total *= step_size / batch
            w -= total
        return w
    return once


def reading(records, form, size):
    """Reads every feature `times` times, with as little work as numpy can do."""
    flat, out, w = records.X.reshape(-1), np.empty(records.n), records.w
    once = {
        'sum': lambda: np.add.reduce(flat),
        'squares': lambda: np.dot(flat, flat),
        'product': lambda: np.dot(records.X, w, out=out),
    }[form]
    return lambda: [once() for _ in range(size['times'])][-1:]


CASES = dict(reading=reading, gradient=gradient, margins=margins, accumulation=accumulation, norms=norms, epoch=epoch, one_pass=one_pass)
