"""Records made by a formula, so that both sides work on the same numbers.

Feature k of the matrix, counted row by row, is a hash of k brought to mean 0 and variance 1/d: rows have norm about 1.
"""
import math

import numpy as np

FEATURES, TRUTH, POINT, LABELS = 1, 2, 3, 4


def centred(start, count, salt):
    """Numbers in (-1/2, 1/2), exactly those of data.mjs."""
    k = np.arange(start, start + count, dtype=np.uint32)
    k *= np.uint32(0x9E3779B1)
    k ^= np.uint32(salt * 0x3C6EF372 & 0xFFFFFFFF)
    k ^= k >> np.uint32(16)
    k *= np.uint32(0x85EBCA6B)
    k ^= k >> np.uint32(13)
    k *= np.uint32(0xC2B2AE35)
    k ^= k >> np.uint32(16)
    out = k.astype(np.float64)
    out += 0.5
    out *= 2.0**-32
    out -= 0.5
    return out


def features(n, d, rows=16_384):
    X = np.empty((n, d))
    scale = math.sqrt(12 / d)
    for a in range(0, n, rows):
        e = min(n, a + rows)
        np.multiply(centred(a * d, (e - a) * d, FEATURES).reshape(e - a, d), scale, out=X[a:e])
    return X


def columns(n, d):
    """The same with contiguous columns: feature k is numbered column by column."""
    X = np.empty((d, n))
    scale = math.sqrt(12 / d)
    for j in range(d):
        np.multiply(centred(j * n, n, FEATURES), scale, out=X[j])
    return X.T


class Records:
    """Features, and the derived data of rows for a clipped logistic gradient; not timed."""

    def __init__(self, n, d, clip=1.0, by_columns=False):
        self.n, self.d, self.by_columns = n, d, by_columns
        self.X = X = columns(n, d) if by_columns else features(n, d)
        chance = 1 / (1 + np.exp(-(X @ (10 * centred(0, d, TRUTH)))))
        y = (centred(0, n, LABELS) + 0.5 < chance).astype(np.float64)
        self.w = 4 * centred(0, d, POINT)
        self.half_minus_y = 0.5 - y
        self.limit = clip / np.sqrt(np.einsum('ij,ij->i', X, X))
