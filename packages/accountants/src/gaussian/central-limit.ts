import {
  type AccountingContext,
  assertOptions,
  defineAccountant,
  type DominatingPair,
  type Interval,
  type PrivacyLossDistribution,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { findRoot, logNormalCdf, normalCdf } from '@lethe/numerics';
import * as z from 'zod';
import { requireWithin } from '../accountant/certify.js';
import { characterised, understand } from '../accountant/understand.js';
import { createResolver } from '../events/resolve.js';

/** Mean and variance of the finite losses, and the probability of a finite loss. */
interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly sound: number;
}

/** Cells a twentieth of an octave wide, from 2^-60 to 2^40 on both sides of 0. */
const edges = ((): Float64Array => {
  const sizes = Array.from({ length: 2001 }, (_, i) => 2 ** (-60 + i / 20));
  return Float64Array.from([-Infinity, ...sizes.map((size) => -size).toReversed(), 0, ...sizes, Infinity]);
})();

function momentsOf(distribution: PrivacyLossDistribution): Moments {
  if (distribution.massesInto === undefined)
    throw new Unsupported(
      'the central-limit accountant needs the masses of the privacy-loss distribution, ' +
        'and this event has only a profile',
      {},
    );
  const p = new Float64Array(edges.length - 1);
  const q = new Float64Array(edges.length - 1);
  distribution.massesInto(p, q, edges);
  let [mass, mean, square] = [0, 0, 0];
  for (let i = 0; i < p.length; i++) {
    if (!(p[i] > 0 && q[i] > 0)) continue;
    const loss = Math.min(edges[i + 1], Math.max(edges[i], Math.log(p[i] / q[i])));
    mass += p[i];
    mean += p[i] * loss;
    square += p[i] * loss * loss;
  }
  if (mass === 0) return { mean: 0, variance: 0, sound: 1 - distribution.infinite };
  return {
    mean: mean / mass,
    variance: Math.max(0, square / mass - (mean / mass) ** 2),
    sound: 1 - distribution.infinite,
  };
}

function sumOf({ factors }: DominatingPair): Moments {
  return factors
    .map(({ distribution, count }) => ({ ...momentsOf(distribution), count }))
    .reduce<Moments>(
      (sum, { mean, variance, sound, count }) => ({
        mean: sum.mean + count * mean,
        variance: sum.variance + count * variance,
        sound: sum.sound * sound ** count,
      }),
      { mean: 0, variance: 0, sound: 1 },
    );
}

/** `E (1 − e^(ε − L))₊` of a normal loss. */
function normalDelta({ mean, variance, sound }: Moments, epsilon: number): number {
  if (variance === 0) return 1 - sound + sound * Math.max(0, -Math.expm1(epsilon - mean));
  const deviation = Math.sqrt(variance);
  const excess =
    normalCdf((mean - epsilon) / deviation) -
    Math.exp(epsilon - mean + variance / 2 + logNormalCdf((mean - epsilon - variance) / deviation));
  return Math.min(1, Math.max(0, 1 - sound + sound * excess));
}

function study(
  input: PrivacyEvent,
  context: AccountingContext,
): { readonly all: readonly Moments[]; readonly assumptions: readonly string[] } {
  const { event, adjacency, resolve, assumptions } = understand(input, context);
  const pairs = characterised(event, 'pair', { ...context, adjacency }, createResolver, resolve);
  return { all: pairs.map(sumOf), assumptions };
}

const guess = (estimate: number, upper: number, assumptions: readonly string[]): Interval => ({
  lower: 0,
  estimate,
  upper,
  certificate: 'estimate',
  method: 'central-limit',
  assumptions,
});

/**
 * Estimate as if the total loss were normal. It is no guarantee: for many releases at a low sampling rate it
 * is too low, by a tenth of ε and more. Use it as a first guess, or to compare with published estimates.
 */
export const centralLimit = defineAccountant({
  name: 'central-limit',
  summary: 'Estimates from the mean and variance of the total loss, as if it were normal; no guarantee.',
  source: { id: 'bu-dong-long-su-2020', item: 'Theorem 5, by the moments of any dominating pair' },
  claims: [],
  params: z.strictObject({}),
  wants: ['pair'],
  epsilon(event, query) {
    assertOptions(query, 'central-limit.epsilon');
    const { delta, ...context } = query;
    requireWithin('delta', delta, 1);
    const { all, assumptions } = study(event, context);
    const most = (epsilon: number): number =>
      Math.max(0, ...all.map((moments) => normalDelta(moments, epsilon)));
    const largestLikely = Math.max(0, ...all.map(({ mean, variance }) => mean + 40 * Math.sqrt(variance)));
    if (most(0) <= delta) return guess(0, Infinity, assumptions);
    if (delta === 0 || !(largestLikely < Infinity) || most(largestLikely) > delta)
      return guess(Infinity, Infinity, assumptions);
    return guess(
      findRoot((epsilon) => Math.max(-800, Math.log(most(epsilon) / delta)), 0, largestLikely).upper,
      Infinity,
      assumptions,
    );
  },
  delta(event, query) {
    assertOptions(query, 'central-limit.delta');
    const { epsilon, ...context } = query;
    requireWithin('epsilon', epsilon, Infinity);
    const { all, assumptions } = study(event, context);
    return guess(
      Math.max(
        0,
        ...all.map((moments) => (epsilon === Infinity ? 1 - moments.sound : normalDelta(moments, epsilon))),
      ),
      1,
      assumptions,
    );
  },
});
