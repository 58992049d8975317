import {
  defined,
  InvalidParameter,
  logAddExp,
  type Bounds,
  addDown,
  addUp,
  divideDown,
  divideUp,
  expDown,
  expm1Down,
  expm1Up,
  expUp,
  log1pDown,
  log1pUp,
  logDown,
  logUp,
  multiplyDown,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { familyOf, inFamily } from './family.js';

/**
 * Privacy-loss distribution of a release from a Poisson sample, in which one record is present with
 * probability `rate`.
 *
 * `remove`: `distribution` has the record in `P`; the result is `(1 − q)Q + qP` against `Q`, with loss
 * `log(1 − q + q e^ℓ)`. `add`: `distribution` has the record in `Q`; the result is `P` against
 * `(1 − q)P + qQ`, with loss `−log(1 − q + q e^−ℓ)`. Both losses increase with the loss `ℓ` of
 * `distribution`, so its cells are cells of the result.
 * @see Zhu, Dong, Wang 2022, Proposition 30.
 *
 * @param rate - In (0, 1].
 * @throws {InvalidParameter} for any other rate.
 */
export function presentInPoisson(
  distribution: PrivacyLossDistribution,
  rate: number,
  direction: 'remove' | 'add',
): PrivacyLossDistribution {
  if (!(rate > 0 && rate <= 1))
    throw new InvalidParameter(`the rate of a Poisson sample is ${rate}; it must be above 0 and at most 1`, {
      rate,
    });
  if (rate === 1) return distribution;
  const onlyInQ = missingOf(distribution);
  const present = direction === 'remove' ? removed(distribution, rate, onlyInQ) : added(distribution, rate);
  const family = familyOf(distribution);
  if (family === undefined) return present;
  const { key, mu, member } = family;
  return inFamily(present, {
    key: `${direction} ${rate} of ${key}`,
    mu,
    member: (other) => presentInPoisson(member(other), rate, direction),
  });
}

/**
 * Probability under `Q` of outcomes with probability 0 under `P`; `undefined` if the distribution has no
 * masses.
 */
function missingOf(distribution: PrivacyLossDistribution): number | undefined {
  if (distribution.massesInto === undefined) return undefined;
  const [p, q] = [new Float64Array(1), new Float64Array(1)];
  distribution.massesInto(p, q, Float64Array.of(-Infinity, Infinity));
  const missing = 1 - q[0];
  // A small value is a rounding error: few distributions have outcomes on one side only.
  return missing > (distribution.infinite > 0 ? 2 ** -51 : 2 ** -40) ? missing : 0;
}

function removed(
  distribution: PrivacyLossDistribution,
  rate: number,
  onlyInQ: number | undefined,
): PrivacyLossDistribution {
  const floor = Math.log1p(-rate);
  return {
    ...(distribution.grain === undefined ? {} : { grain: distribution.grain }),
    hockeyStick: (epsilon) => removedProfile(distribution, rate, epsilon),
    infinite: multiplyUp(rate, distribution.infinite),
    support: {
      least: onlyInQ === 0 ? outward(outerLoss(rate, distribution.support.least), -1) : log1pDown(-rate),
      most: outward(outerLoss(rate, distribution.support.most), 1),
    },
    ...(distribution.massesInto && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        defined(distribution.massesInto)(p, q, innerEdges(rate, edges, 1));
        for (let i = 0; i < p.length; i++) p[i] = (1 - rate) * q[i] + rate * p[i];
        if (!((onlyInQ ?? Number.NaN) > 0)) return;
        const cell = cellOf(edges, floor);
        if (cell === undefined) return;
        p[cell] += (1 - rate) * defined(onlyInQ);
        q[cell] += defined(onlyInQ);
      },
    }),
  };
}

function added(distribution: PrivacyLossDistribution, rate: number): PrivacyLossDistribution {
  const ceiling = -Math.log1p(-rate);
  return {
    ...(distribution.grain === undefined ? {} : { grain: distribution.grain }),
    hockeyStick: (epsilon) => addedProfile(distribution, rate, epsilon),
    infinite: 0,
    support: {
      least: outward(-outerLoss(rate, -distribution.support.least), -1),
      most:
        distribution.infinite > 0
          ? -log1pDown(-rate)
          : outward(-outerLoss(rate, -distribution.support.most), 1),
    },
    ...(distribution.massesInto && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        defined(distribution.massesInto)(p, q, innerEdges(rate, edges, -1));
        for (let i = 0; i < p.length; i++) q[i] = (1 - rate) * p[i] + rate * q[i];
        const cell = distribution.infinite > 0 ? cellOf(edges, ceiling) : undefined;
        if (cell === undefined) return;
        p[cell] += distribution.infinite;
        q[cell] += (1 - rate) * distribution.infinite;
      },
    }),
  };
}

/** `H′(ε) = q·H(log(1 + (e^ε − 1)/q))`, and `1 − e^ε` if the logarithm is undefined. */
function removedProfile(distribution: PrivacyLossDistribution, rate: number, epsilon: number): Bounds {
  if (epsilon > 700) {
    const at = subtractUp(epsilon, logDown(rate));
    const near = distribution.hockeyStick(at).lower;
    return {
      lower: multiplyDown(rate, near),
      upper: multiplyUp(
        rate,
        distribution.hockeyStick(subtractDown(subtractDown(epsilon, logUp(rate)), 2 ** -1000)).upper,
      ),
    };
  }
  const [low, high] = [divideDown(expm1Down(epsilon), rate), divideUp(expm1Up(epsilon), rate)];
  const least = Math.max(0, -expm1Up(epsilon));
  if (high <= -1) return { lower: least, upper: -expm1Down(epsilon) };
  const lower = Math.max(least, multiplyDown(rate, distribution.hockeyStick(log1pUp(high)).lower));
  const upper =
    low <= -1
      ? Math.max(rate, -expm1Down(epsilon))
      : multiplyUp(rate, distribution.hockeyStick(log1pDown(low)).upper);
  return { lower, upper: Math.max(lower, upper) };
}

/**
 * `H′(ε) = sup c·P − e^ε q·Q = c·H(log(e^ε q/c))` with `c = 1 − e^ε(1 − q)`, and 0 if that is not positive.
 */
function addedProfile(distribution: PrivacyLossDistribution, rate: number, epsilon: number): Bounds {
  if (epsilon >= -log1pDown(-rate)) return { lower: 0, upper: 0 };
  const low = addDown(-expm1Up(epsilon), multiplyDown(rate, expDown(epsilon)));
  const high = addUp(-expm1Down(epsilon), multiplyUp(rate, expUp(epsilon)));
  const atHigh = low > 0 ? subtractUp(addUp(epsilon, logUp(rate)), logDown(low)) : Infinity;
  const atLow = high > 0 ? subtractDown(addDown(epsilon, logDown(rate)), logUp(high)) : Infinity;
  const least = Math.max(0, -expm1Up(epsilon));
  const lower = Math.max(least, low > 0 ? multiplyDown(low, distribution.hockeyStick(atHigh).lower) : 0);
  return {
    lower,
    upper: Math.max(
      lower,
      high > 0 ? Math.min(1, multiplyUp(high, distribution.hockeyStick(atLow).upper)) : 0,
    ),
  };
}

/** Losses of the inner distribution at the given losses of the sample; both are negated under `add`. */
function innerEdges(rate: number, edges: Float64Array, sign: 1 | -1): Float64Array {
  const inner = new Float64Array(edges.length);
  let last = -Infinity;
  for (let i = 0; i < edges.length; i++) {
    last = Math.max(last, sign * innerLoss(rate, sign * edges[i]));
    inner[i] = last;
  }
  return inner;
}

/** `u` with `log(1 − q + q e^u) = loss`, with an error small relative to the loss rather than to `u`. */
function innerLoss(rate: number, loss: number): number {
  if (loss > 700) return loss - Math.log(rate);
  const ratio = rate < 0.5 ? Math.expm1(loss) / rate : (Math.exp(loss) - (1 - rate)) / rate;
  if (ratio === Infinity) return loss - Math.log(rate) + Math.log(-Math.expm1(-loss));
  if (rate >= 0.5) return ratio > 0 ? Math.log(ratio) : -Infinity;
  return ratio > -1 ? Math.log1p(ratio) : -Infinity;
}

/** Index of the cell that contains a loss. */
export function cellOf(edges: Float64Array, loss: number): number | undefined {
  let low = 0;
  let high = edges.length - 1;
  if (!(edges[0] <= loss && (loss < edges[high] || edges[high] === Infinity))) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= loss) low = middle;
    else high = middle;
  }
  return low;
}

/** `log(1 − q + q e^u)`. */
function outerLoss(rate: number, u: number): number {
  if (Math.abs(u) < 1) return Math.log1p(rate * Math.expm1(u));
  return logAddExp(Math.log1p(-rate), Math.log(rate) + u);
}

const outward = (loss: number, side: 1 | -1): number =>
  Number.isFinite(loss) ? loss + side * 2 ** -46 * (1 + Math.abs(loss)) : loss;
