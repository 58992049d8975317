"""δ(ε) of T steps of the Poisson-sampled Gaussian mechanism, to 30 digits, without any accountant.

With P = (1 − q) N(0, 1) + q N(1/σ, 1), Q = N(0, 1), and M(s) the moment generating function of the privacy
loss log dP/dQ under P, the curve of the removal of a record is the inverse Laplace transform

    δ(ε) = 1/(2πi) ∫ M(s)^T exp(−s ε) / (s (s + 1)) ds    along Re s = λ > 0,

taken here by trapezoids, which converge geometrically for λ near the saddle point: neither halving --step nor a
somewhat different --line changes the digits. The curve of
an addition exchanges P and Q, and is smaller for small sampling rates. Needs mpmath.

    python3 sampled_gaussian.py --q 0.001 --sigma 0.8 --steps 100000 4.50887 4.646564 4.646636
"""

import argparse
from mpmath import mp, mpc, mpf


def nodes(q, sigma, width=mpf("0.04")):
    """Weights of N(0, 1) on a grid, and the loss at each of its points."""
    shift = 1 / sigma
    for i in range(int(-14 / width), int(45 / width) + 1):
        x = i * width
        weight = width * mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
        yield weight, mp.log1p(q * mp.expm1(shift * x - shift**2 / 2))


def delta(grid, steps, epsilon, at, step, digits):
    """The integral at one ε, along Re s = `at`."""

    def log_moment(s):
        return mp.log(mp.fsum(weight * mp.exp((1 + s) * loss) for weight, loss in grid))

    front = steps * log_moment(at) - at * epsilon
    total, height, quiet = mpf(0), mpf(0), 0
    k = 0
    while quiet < 4:
        s = mpc(at, k * step)
        value = mp.exp(steps * log_moment(s) - s * epsilon - front) / (s * (s + 1))
        total += value.real if k else value.real / 2
        height = max(height, abs(value))
        quiet = quiet + 1 if abs(value) < height * mpf(10) ** -digits else 0
        k += 1
    return total * step / mp.pi * mp.exp(front)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--q", type=mpf, required=True, help="sampling rate")
    options.add_argument("--sigma", type=mpf, required=True, help="noise multiplier")
    options.add_argument("--steps", type=int, required=True)
    options.add_argument("--line", type=mpf, default=mpf(5), help="real part of the line of integration")
    options.add_argument("--step", type=mpf, default=mpf("0.1"), help="distance of the trapezoids")
    options.add_argument("--digits", type=int, default=30)
    options.add_argument("epsilon", type=mpf, nargs="+")
    given = options.parse_args()
    mp.dps = given.digits + 10
    grid = list(nodes(given.q, given.sigma))
    for epsilon in given.epsilon:
        found = delta(grid, given.steps, epsilon, given.line, given.step, given.digits)
        print(f"delta({mp.nstr(epsilon, 12)}) = {mp.nstr(found, 12)}", flush=True)


if __name__ == "__main__":
    main()
