"""Noise in numpy, into an existing array where possible."""
import numpy as np

import discrete_noise


def normals(form, size):
    """The default generator, or the fastest one of numpy."""
    rng = np.random.Generator({'PCG64': np.random.PCG64, 'SFC64': np.random.SFC64}[form]())
    out = np.zeros(size['count'])
    return lambda: rng.standard_normal(out=out)


def laplaces(form, size):
    rng, count = np.random.default_rng(), size['count']
    if form == 'laplace':
        return lambda: rng.laplace(size=count)
    out = np.zeros(count)

    def signed_exponentials():
        rng.standard_exponential(out=out)
        bits = np.unpackbits(np.frombuffer(rng.bytes(count // 8 + 1), np.uint8), count=count)
        out.view(np.uint64)[:] |= bits.astype(np.uint64) << np.uint64(63)
        return out
    return signed_exponentials


CASES = dict(normals=normals, laplaces=laplaces, **discrete_noise.CASES)
