import type { PrivacyLossDistribution } from '@lethe/core';
import { addNormalCells } from './normal-cells.js';
import { sumOfNormalTerms } from './normal-terms.js';
import { profileBelow } from './reversed.js';
import type { Bounds } from '@lethe/numerics';

/**
 * Privacy-loss distribution of `(1 − q)N(0, 1) + qN(μ, 1)` against `(1 − q)N(0, 1) + qN(−μ, 1)`, for both
 * directions. It dominates Gaussian releases from a Poisson sample under replace-one, where the presence of
 * either record moves the release by at most `μ`.
 *
 * Loss and outcome are related by `μx = ℓ/2 + asinh(e^{μ²/2} (1 − q)/q · sinh(ℓ/2))`.
 *
 * @param rate - In (0, 1).
 * @param mu - Positive and finite.
 */
export function replacedInPoisson(rate: number, mu: number): PrivacyLossDistribution {
  const outcome = outcomeOf(rate, mu);
  return {
    grain: 2 ** -43,
    hockeyStick: (epsilon) =>
      epsilon < 0
        ? profileBelow(epsilon, (above) => profile(rate, mu, above, outcome))
        : profile(rate, mu, epsilon, outcome),
    infinite: 0,
    support: { least: -Infinity, most: Infinity },
    massesInto(p, q, edges) {
      p.fill(0);
      // Each half is relative to the midpoint between two means, for accuracy; cells of the other half are
      // empty in it.
      const half = mu / 2;
      const positive = edges.map((edge) => (edge > 0 ? outcome(edge) : -half));
      const negative = edges.map((edge) => (edge < 0 ? -outcome(-edge) : half));
      addNormalCells(p, positive, -half, 1 - rate);
      addNormalCells(p, negative, half, 1 - rate);
      q.set(p);
      addNormalCells(p, positive, half, rate);
      addNormalCells(q, positive, -mu - half, rate);
      addNormalCells(p, negative, mu + half, rate);
      addNormalCells(q, negative, -half, rate);
    },
  };
}

/** The outcome at a loss above 0, minus `μ/2`. */
function outcomeOf(rate: number, mu: number): (loss: number) => number {
  const odds = Math.log1p(-rate) - Math.log(rate);
  const square = (mu * mu) / 2;
  const factor = Math.exp(odds + square);
  return (loss) => {
    if (loss < 1400 && factor < 1e100) {
      const t = Math.expm1(loss / 2);
      const s = (factor * (t + t / (1 + t))) / 2;
      if (s < 1e8) return (loss / 2 + Math.log1p(s + (s * s) / (1 + Math.sqrt(1 + s * s)))) / mu - mu / 2;
    }
    // log 2sinh(ℓ/2)
    const sinh = loss / 2 + Math.log(-Math.expm1(-loss));
    const log = odds + sinh;
    return log + square > 18
      ? (loss / 2 + log + Math.log1p(Math.exp(-2 * (log + square)))) / mu
      : (loss / 2 + Math.asinh(Math.exp(log + square) / 2)) / mu - mu / 2;
  };
}

/** `q·T(x − μ) − (1 − q)(e^ε − 1)·T(x) − e^ε q·T(x + μ)` for `ε ≥ 0`. */
function profile(rate: number, mu: number, epsilon: number, outcome: (loss: number) => number): Bounds {
  if (epsilon === Infinity) return { lower: 0, upper: 0 };
  const z = epsilon === 0 ? -mu / 2 : outcome(epsilon);
  const half = mu / 2;
  return sumOfNormalTerms([
    { sign: 1, logSize: Math.log(rate), at: z - half },
    {
      sign: -1,
      logSize: epsilon === 0 ? -Infinity : Math.log1p(-rate) + epsilon + Math.log(-Math.expm1(-epsilon)),
      at: z + half,
    },
    { sign: -1, logSize: Math.log(rate) + epsilon, at: z + mu + half },
  ]);
}
