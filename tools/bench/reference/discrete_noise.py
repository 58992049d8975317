"""The closest numpy functions to integer noise, staircase noise and selection. None is exact: all start from doubles."""
import numpy as np


def whole_laplaces(form, size):
    """Two geometric numbers, or a rounded Laplace number; 'real' does not round."""
    rng, count, scale = np.random.default_rng(), size['count'], size['scale']
    p = -np.expm1(-1 / scale)
    return dict(
        geometric=lambda: rng.geometric(p, count) - rng.geometric(p, count),
        rounded=lambda: np.rint(rng.laplace(0, scale, count)),
        real=lambda: rng.laplace(0, scale, count),
    )[form]


def whole_normals(form, size):
    rng, count, scale = np.random.default_rng(), size['count'], size['scale']
    out = np.zeros(count)

    def real():
        rng.standard_normal(out=out)
        np.multiply(out, scale, out=out)
        return out
    return dict(real=real, rounded=lambda: np.rint(real(), out=out))[form]


def skellams(form, size):
    rng, count, rate = np.random.default_rng(), size['count'], size['scale'] ** 2 / 2
    return lambda: rng.poisson(rate, count) - rng.poisson(rate, count)


def staircases(form, size):
    """Staircase noise of sensitivity 1 by its definition: a sign, a geometric step, and a uniform position on it."""
    rng, count, epsilon = np.random.default_rng(), size['count'], size['epsilon']
    gamma = 1 / (1 + np.exp(epsilon / 2))
    upper = gamma / (gamma + (1 - gamma) * np.exp(-epsilon))

    def once():
        tread = rng.geometric(-np.expm1(-epsilon), count) - 1
        low = rng.random(count) < upper
        place = np.where(low, gamma, 1 - gamma) * rng.random(count) + np.where(low, 0, gamma)
        return (tread + place) * (1 - 2 * rng.integers(0, 2, count))
    return once


def choices(form, size):
    """The exponential mechanism by Gumbel noise."""
    rng, count, epsilon = np.random.default_rng(), size['count'], size['epsilon']
    utilities = np.arange(count) % 7.0
    return lambda: np.argmax(epsilon / 2 * utilities + rng.gumbel(size=count))


CASES = dict(whole_laplaces=whole_laplaces, whole_normals=whole_normals, skellams=skellams, staircases=staircases, choices=choices)
