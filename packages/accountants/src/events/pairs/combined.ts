import { defined, InvalidParameter, addDown, addUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { cellOf } from './present.js';

/**
 * Mixture of privacy-loss distributions with a revealed component: profiles and probabilities are weighted
 * averages.
 *
 * @param weights - At least 0; they sum to 1 within 1e-9.
 * @throws {InvalidParameter} otherwise.
 */
export function mixtureOfLossDistributions(
  weights: readonly number[],
  distributions: readonly PrivacyLossDistribution[],
): PrivacyLossDistribution {
  const total = weights.reduce((sum, weight) => sum + (weight >= 0 ? weight : NaN), 0);
  if (weights.length !== distributions.length || !(Math.abs(total - 1) <= 1e-9))
    throw new InvalidParameter(
      `the weights of ${distributions.length} distributions are ${weights.join(', ')}; ` +
        'give one for each, at least 0, that add up to 1',
      { weights },
    );
  const parts = distributions
    .map((distribution, i) => ({ distribution, weight: weights[i] }))
    .filter(({ weight }) => weight > 0);
  const grain = Math.max(...parts.map(({ distribution }) => distribution.grain ?? 2 ** -44));
  return {
    grain: grain + 2 ** -50,
    hockeyStick(epsilon) {
      let [lower, upper] = [0, 0];
      for (const { distribution, weight } of parts) {
        const one = distribution.hockeyStick(epsilon);
        lower = addDown(lower, multiplyDown(weight, one.lower));
        upper = addUp(upper, multiplyUp(weight, one.upper));
      }
      return { lower: Math.min(1, lower), upper: Math.min(1, upper) };
    },
    infinite: Math.min(
      1,
      parts.reduce(
        (sum, { distribution, weight }) => addUp(sum, multiplyUp(weight, distribution.infinite)),
        0,
      ),
    ),
    support: {
      least: Math.min(...parts.map(({ distribution }) => distribution.support.least)),
      most: Math.max(...parts.map(({ distribution }) => distribution.support.most)),
    },
    ...(parts.every(({ distribution }) => distribution.massesInto !== undefined) && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        p.fill(0);
        q.fill(0);
        const [oneP, oneQ] = [new Float64Array(p.length), new Float64Array(q.length)];
        for (const { distribution, weight } of parts) {
          defined(distribution.massesInto)(oneP, oneQ, edges);
          for (let i = 0; i < p.length; i++) {
            p[i] += weight * oneP[i];
            q[i] += weight * oneQ[i];
          }
        }
      },
    }),
  };
}

/**
 * Combines the positive losses of one distribution and the negative losses of another; the remaining mass has
 * loss 0. The profile is that of `positive` for ε ≥ 0 and that of `negative` for ε < 0.
 *
 * Both profiles must agree at 0.
 */
export function splicedLossDistribution(
  positive: PrivacyLossDistribution,
  negative: PrivacyLossDistribution,
): PrivacyLossDistribution {
  const [above, below] = [positive.massesInto?.bind(positive), negative.massesInto?.bind(negative)];
  let rest: number | undefined;
  const atZero = (): number => {
    if (rest !== undefined) return rest;
    const [p, q] = [new Float64Array(1), new Float64Array(1)];
    defined(above)(p, q, Float64Array.of(Number.MIN_VALUE, Infinity));
    const more = p[0];
    defined(below)(p, q, Float64Array.of(-Infinity, 0));
    const left = 1 - positive.infinite - more - p[0];
    rest = left > 2 ** -44 ? left : 0;
    return rest;
  };
  return {
    grain: Math.max(positive.grain ?? 2 ** -44, negative.grain ?? 2 ** -44),
    hockeyStick: (epsilon) => (epsilon >= 0 ? positive : negative).hockeyStick(epsilon),
    infinite: positive.infinite,
    support: { least: Math.min(0, negative.support.least), most: Math.max(0, positive.support.most) },
    ...(above &&
      below && {
        massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
          const [oneP, oneQ] = [new Float64Array(p.length), new Float64Array(q.length)];
          below(
            p,
            q,
            edges.map((edge) => Math.min(edge, 0)),
          );
          above(
            oneP,
            oneQ,
            edges.map((edge) => Math.max(edge, Number.MIN_VALUE)),
          );
          for (let i = 0; i < p.length; i++) {
            p[i] += oneP[i];
            q[i] += oneQ[i];
          }
          const cell = cellOf(edges, 0);
          if (cell === undefined) return;
          p[cell] += atZero();
          q[cell] += atZero();
        },
      }),
  };
}
