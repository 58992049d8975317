import { defineSampler, type SamplerSpec } from '@lethe/core';
import { logBinomial, poissonSample, sampleWithoutReplacement } from '@lethe/numerics';
import * as z from 'zod';
import { ascending } from './ascending.js';
import { assertSlots } from './slots.js';

/**
 * A Poisson sample of rate `rate`, reduced to a uniform subset of `most` records if it is larger, which
 * bounds the memory. By the curator's secret randomness; the
 * size is hidden, and means divide by its expectation.
 *
 * A drawn record may displace another one. Under zero-out and replace-one the same slots are drawn
 * for both neighbours, so the accountant may amplify, with an inner event of the same adjacency; under
 * add-remove, where the number of slots is private, it is unsupported.
 *
 * @param params - `rate`: probability of being drawn, in (0, 1]. `most`: positions kept at most.
 */
export const truncatedPoisson = defineSampler({
  name: 'truncated-poisson',
  summary: 'Each record by its own secret draw, but never more than a maximum.',
  source: { id: 'ganesh-2025', item: 'truncated Poisson subsampling' },
  params: z.strictObject({
    rate: z.number().positive().max(1),
    most: z
      .int()
      .positive()
      .max(2 ** 31),
  }),
  claims: [
    {
      property: 'marginals',
      statement:
        'positions are drawn independently with probability rate; of more than most, ' +
        'every subset of that size is kept equally likely',
    },
    { property: 'positions', statement: 'ascending, at most most; possibly none' },
    { property: 'normaliser', statement: 'the mean size, E min(Binomial(slots, rate), most)' },
    { property: 'coins', statement: 'all that a draw depends on besides rate, most and slots' },
    {
      property: 'amplification',
      statement:
        'core/truncated-poisson under replace-one and zero-out, with an inner event of the same ' +
        'adjacency and the size hidden; unsupported under add-remove',
    },
  ],
  examples: [
    { rate: 0.5, most: 3 },
    { rate: 0.02, most: 10 },
    { rate: 1, most: 2 },
    { rate: 0.2, most: 1 },
  ],
  size: 'hidden',
  amplification({ rate, most }, slots) {
    assertSlots(slots, 1);
    const sampler: SamplerSpec = { kind: 'core/truncated-poisson', n: slots, rate, most };
    return { 'replace-one': { sampler, inner: 'replace-one' }, 'zero-out': { sampler, inner: 'zero-out' } };
  },
  normaliser({ rate, most }, slots) {
    assertSlots(slots, 1);
    return meanSize(slots, rate, most);
  },
  draw({ rate, most }, slots, random) {
    assertSlots(slots, 0);
    const drawn = poissonSample(random, slots, rate);
    if (drawn.length <= most) return drawn;
    return ascending(sampleWithoutReplacement(random, drawn.length, most), drawn.length).map(
      (place) => drawn[place],
    );
  },
});

/**
 * `E min(Binomial(n, q), m) = nq − E max(0, Binomial(n, q) − m)`, or
 * `m − E max(0, m − Binomial(n, q))`: whichever sum has fewer terms.
 */
function meanSize(n: number, q: number, m: number): number {
  if (q === 1 || m >= n) return Math.min(m, n * q);
  const mode = n * q;
  const odds = q / (1 - q);
  const probability = (k: number): number =>
    Math.exp(logBinomial(n, k) + k * Math.log(q) + (n - k) * Math.log1p(-q));
  let missing = 0;
  if (m <= mode) {
    for (
      let k = m - 1, p = k >= 0 ? probability(k) : 0;
      k >= 0 && p > 1e-18;
      p *= k / ((n - k + 1) * odds), k--
    )
      missing += (m - k) * p;
    return m - missing;
  }
  for (let k = m + 1, p = probability(k); k <= n && p > 1e-18; p *= ((n - k) / (k + 1)) * odds, k++)
    missing += (k - m) * p;
  return n * q - missing;
}
