import {
  defineSampler,
  gaussianEvent,
  renyiEvent,
  sampledEvent,
  type Adjacency,
  type Amplification,
  type SamplerSpec,
} from '@lethe/core';
import { divideUp, logSumExp } from '@lethe/numerics';
import * as z from 'zod';
import { byBatch } from './ascending.js';
import { assertPublicSlots, assertSlots } from './slots.js';
import { binsRenyi } from './streams/bins-renyi.js';
import { columnSquares } from './streams/matrix.js';
import { binMeans, binProducts } from './streams/bin-means.js';
import { scoreAt, scoreOfSplit, splitEvent, splitsOfBins } from './streams/bins-as-allocation.js';

/** Covers the rounding of a square. */
const up = 1 + 2 ** -50;

const underEvery = (sampler: SamplerSpec): { readonly [A in Adjacency]: Amplification } => ({
  'replace-one': { sampler, inner: 'replace-one' },
  'add-remove': { sampler, inner: 'add-remove' },
  'zero-out': { sampler, inner: 'zero-out' },
});

/**
 * Random allocation. As a partition, every record goes to exactly one of `steps` batches, independently and
 * uniformly. Sizes are hidden: means divide by the expected size `slots / steps`. The accountant may amplify
 * the partition as a whole by `core/random-allocation` under every adjacency, with an inner event of the same
 * adjacency: removing a record changes its own batch only. This differs from Poisson sampling: the step of a
 * record is secret, but it is certain that one step has it.
 *
 * A single draw, outside a partition, is one such batch: a Poisson
 * sample of rate `1/steps`, independent of every other draw.
 *
 * Of a stream, step `i` takes the batch `i mod steps`: balls in bins. With independent noise its cost is that
 * of a partition. For a prefix sum of any band, without a negative entry, it is at most that of one Gaussian
 * release beside a partition (`splitsOfBins`), or of Rényi divergences of whole orders, whichever is
 * likely less; and less than both can be verified by sampling.
 * Under replace-one it costs at most two steps through an absent record, or what public batches would.
 *
 * @param params - `steps`: number of batches, at most 2²⁰.
 */
export const randomAllocation = defineSampler({
  name: 'random-allocation',
  summary: 'Every record in exactly one of the steps of an epoch, by its own secret draw.',
  source: { id: 'chua-et-al-2025', item: 'balls-and-bins sampling' },
  params: z.strictObject({
    steps: z
      .int()
      .positive()
      .max(2 ** 20),
  }),
  claims: [
    {
      property: 'marginals',
      statement: 'a single draw takes each position independently with probability 1/steps',
    },
    { property: 'positions', statement: 'ascending; possibly none' },
    { property: 'normaliser', statement: 'slots/steps, the mean size' },
    { property: 'coins', statement: 'the only random input of draws and partitions' },
    {
      property: 'amplification',
      statement:
        'of a single draw, core/poisson at rate 1/steps under every adjacency, ' +
        'with an inner event of the same adjacency',
    },
    { property: 'partition', statement: 'steps disjoint batches' },
    { property: 'partition-coins', statement: 'the only random input of a partition' },
    {
      property: 'partition-amplification',
      statement:
        'core/random-allocation under every adjacency, ' +
        'with an inner event of the same adjacency and sizes hidden',
    },
    {
      property: 'partition-distribution',
      statement: 'every slot is in exactly one batch, each equally likely, independently of all others',
    },
    { property: 'partition-normalisers', statement: 'slots/steps for every batch, the mean size' },
    {
      property: 'stream',
      statement:
        'at most a Gaussian release beside a partition, or Rényi divergences of a mixture over the bins of ' +
        'one slot, exact at low orders',
    },
  ],
  examples: [{ steps: 2 }, { steps: 5 }, { steps: 1 }],
  size: 'hidden',
  amplification: ({ steps }) => underEvery({ kind: 'core/poisson', rate: divideUp(1, steps) }),
  normaliser({ steps }, slots) {
    assertPublicSlots(slots);
    return slots / steps;
  },
  draw({ steps }, slots, random) {
    assertSlots(slots, 0);
    const drawn: number[] = [];
    for (let slot = 0; slot < slots; slot++) if (random.integer(steps) === 0) drawn.push(slot);
    return Uint32Array.from(drawn);
  },
  partition: {
    normalisers({ steps }, slots) {
      assertPublicSlots(slots);
      return Array.from({ length: steps }, () => slots / steps);
    },
    amplification: ({ steps }) => underEvery({ kind: 'core/random-allocation', steps }),
    draw({ steps }, slots, random) {
      assertSlots(slots, 0);
      const stepOf = new Uint32Array(slots);
      const sizes = new Uint32Array(steps);
      for (let slot = 0; slot < slots; slot++) sizes[(stepOf[slot] = random.integer(steps))]++;
      return byBatch(stepOf, sizes);
    },
  },
  stream: {
    participation: (params, steps) => ({
      times: Math.ceil(steps / params.steps),
      gap: Math.min(params.steps, steps),
    }),
    normaliser: ({ steps }, slots) => slots / steps,
    event({ steps: bins }, stream) {
      const norm = stream.columnNorm({
        times: Math.ceil(stream.steps / bins),
        gap: Math.min(bins, stream.steps),
      });
      const release = gaussianEvent(stream.sigma, {
        'replace-one': 2 * norm,
        'add-remove': norm,
        'zero-out': norm,
      });
      if (bins === 1) return { 'replace-one': release, 'add-remove': release, 'zero-out': release };
      if (stream.bandwidth === 1 && stream.steps % bins === 0) {
        // The bins move different rows, all as far: one release from one of so many batches.
        const event = sampledEvent({ kind: 'core/random-allocation', steps: bins }, release);
        return { 'replace-one': event, 'add-remove': event, 'zero-out': event };
      }
      const products = binProducts(binMeans(stream, bins, 'random-allocation'));
      const { sigma } = stream;
      const divergences = binsRenyi({ products, sigma, largest: (norm / sigma) ** 2 * up }).map(
        ({ order, removed, added }) => ({ order, divergence: Math.max(removed, added) }),
      );
      const scored = splitsOfBins(products).map((split) => ({ split, score: scoreOfSplit(split, sigma) }));
      const best = scored.reduce((least, one) => (one.score < least.score ? one : least));
      // Splits turn out about 5 % below their score, since their whole curve is known.
      const isByOrders = divergences.some(
        ({ order, divergence }) => 1.05 * scoreAt(order, (order - 1) * divergence) < best.score,
      );
      const amplified = isByOrders
        ? renyiEvent(divergences, divideUp(norm, sigma))
        : splitEvent(best.split, sigma);
      // Two steps through an absent record cost about twice as much as one.
      const isLess = 2 * best.score < scoreOfSplit({ bins: 1, common: 0, own: 2 * norm }, sigma);
      return {
        'replace-one': isLess ? splitEvent(best.split, sigma) : release,
        'add-remove': amplified,
        'zero-out': amplified,
      };
    },
    begin({ steps: bins }, slots, _steps, random) {
      assertSlots(slots, 0);
      const binOf = new Uint32Array(slots);
      const sizes = new Uint32Array(bins);
      for (let slot = 0; slot < slots; slot++) sizes[(binOf[slot] = random.integer(bins))]++;
      const batches = byBatch(binOf, sizes);
      let step = 0;
      return () => batches[step++ % bins].slice();
    },
    logMoment({ steps: bins }, stream) {
      const means = binMeans(stream, bins, 'random-allocation');
      const squares = columnSquares(means);
      const terms = new Float64Array(bins);
      return (lambda) => {
        for (let j = 0; j < bins; j++) terms[j] = lambda * squares[j];
        return logSumExp(terms) - Math.log(bins);
      };
    },
    logRatio({ steps: bins }, stream) {
      const means = binMeans(stream, bins, 'random-allocation');
      const scale = 1 / (stream.sigma * stream.sigma);
      const squares = means.map((mean) => mean.reduce((sum, entry) => sum + entry * entry, 0));
      const terms = new Float64Array(bins);
      return (sums) => {
        for (let j = 0; j < bins; j++) {
          const mean = means[j];
          let product = 0;
          for (let row = 0; row < mean.length; row++) product += mean[row] * sums[row];
          terms[j] = (product - squares[j] / 2) * scale;
        }
        return logSumExp(terms) - Math.log(bins);
      };
    },
  },
});
