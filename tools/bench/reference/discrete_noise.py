"""The nearest that numpy has to noise on the integers. None of it is exact: all of it begins with doubles."""
import numpy as np


def whole_laplaces(form, size):
    """Two geometric numbers, or a Laplace number that is rounded; 'real' does not round."""
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


CASES = dict(whole_laplaces=whole_laplaces, whole_normals=whole_normals, skellams=skellams)
