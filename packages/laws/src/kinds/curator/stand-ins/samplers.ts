import {
  defineSampler,
  gaussianEvent,
  repeatedEvent,
  sampledEvent,
  Unsupported,
  type Adjacency,
  type Amplification,
  type RandomSource,
  type Ref,
  type Sampler,
} from '@lethe/core';
import { permutation, poissonSample, sampleWithoutReplacement } from '@lethe/numerics';
import * as z from 'zod';
import { plain } from './common.js';

const eachStep = defineSampler({
  ...plain,
  name: 'laws/poisson',
  params: z.strictObject({ rate: z.number().positive().max(1) }),
  size: 'hidden',
  amplification({ rate }) {
    const under = (inner: Adjacency): Amplification => ({ sampler: { kind: 'core/poisson', rate }, inner });
    return {
      'replace-one': under('replace-one'),
      'add-remove': under('add-remove'),
      'zero-out': under('zero-out'),
    };
  },
  normaliser: ({ rate }, slots) => rate * slots,
  draw: ({ rate }, slots, random) => poissonSample(random, slots, rate),
  // For streams with independent noise.
  stream: {
    participation: (_params, steps) => ({ times: steps, gap: 1 }),
    normaliser: ({ rate }, slots) => rate * slots,
    event({ rate }, { steps, sigma, bandwidth }) {
      if (bandwidth > 1) throw new Unsupported('noise is correlated', {});
      const release = gaussianEvent(sigma, { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 });
      const event = repeatedEvent(sampledEvent({ kind: 'core/poisson', rate }, release), steps);
      return { 'replace-one': event, 'add-remove': event, 'zero-out': event };
    },
    begin:
      ({ rate }, slots, _steps, random) =>
      () =>
        poissonSample(random, slots, rate),
    logRatio({ rate }, { sigma, bandwidth }) {
      if (bandwidth > 1) throw new Unsupported('noise is correlated', {});
      return (sums) =>
        sums.reduce((sum, y) => sum + Math.log(1 - rate + rate * Math.exp((y - 0.5) / sigma ** 2)), 0);
    },
  },
});

/** Samplers: Poisson, and one of a fixed size without amplification under add-remove. */
export const samplers: readonly Sampler[] = [
  eachStep,
  // Whatever the sums, its densities are these.
  defineSampler({
    ...plain,
    name: 'laws/overstated',
    params: z.strictObject({ logRatio: z.number() }),
    size: 'hidden',
    amplification: () => ({}),
    normaliser: (_params, slots) => slots / 2,
    draw: (_params, slots, random) => poissonSample(random, slots, 0.5),
    stream: {
      participation: (_params, steps) => ({ times: steps, gap: 1 }),
      normaliser: (_params, slots) => slots / 2,
      event: () => ({}),
      begin: (_params, slots, _steps, random) => () => poissonSample(random, slots, 0.5),
      logRatio:
        ({ logRatio }) =>
        () =>
          logRatio,
    },
  }),
  defineSampler({
    ...plain,
    name: 'laws/fixed',
    params: z.strictObject({ size: z.int().positive() }),
    size: 'exact',
    amplification({ size }, slots) {
      const sampler = { kind: 'core/fixed-size' as const, n: slots, size, replacement: false };
      return {
        'replace-one': { sampler, inner: 'replace-one' },
        'zero-out': { sampler, inner: 'replace-one' },
      };
    },
    normaliser: ({ size }) => size,
    draw: ({ size }, slots, random) => sampleWithoutReplacement(random, slots, size).toSorted(),
  }),
  dealer('exact', (parts, slots, random) => {
    const size = Math.floor(slots / parts);
    const order = permutation(random, slots);
    return Array.from({ length: parts }, (_, k) => order.slice(k * size, (k + 1) * size).toSorted());
  }),
  dealer('hidden', (parts, slots, random) => {
    const owner = Array.from({ length: slots }, () => random.integer(parts));
    return Array.from({ length: parts }, (_, k) =>
      Uint32Array.from(owner.flatMap((part, i) => (part === k ? [i] : []))),
    );
  }),
];

/**
 * Partitions of all records into batches: of equal sizes, or
 * by an independent choice for each record. No amplification.
 */
function dealer(
  size: Sampler['size'],
  draw: (parts: number, slots: number, random: RandomSource) => readonly Uint32Array[],
): Sampler {
  const same: ReturnType<Sampler['amplification']> = {
    'replace-one': { sampler: null, inner: 'replace-one' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  };
  const amplification =
    size === 'exact'
      ? () => same
      : () => ({ ...same, 'add-remove': { sampler: null, inner: 'add-remove' as const } });
  const share = (slots: number, parts: number): number =>
    size === 'exact' ? Math.floor(slots / parts) : slots / parts;
  return defineSampler({
    ...plain,
    name: `laws/deal-${size}`,
    params: z.strictObject({ parts: z.int().positive() }),
    size,
    amplification,
    normaliser: ({ parts }, slots) => share(slots, parts),
    draw: ({ parts }, slots, random) => draw(parts, slots, random)[0],
    partition: {
      normalisers: ({ parts }, slots) => Array.from({ length: parts }, () => share(slots, parts)),
      amplification,
      draw: ({ parts }, slots, random) => draw(parts, slots, random),
    },
  });
}
/** A plain reference. */
export const poisson = (rate: number): Ref<'sampler'> => ({
  kind: 'sampler',
  name: 'laws/poisson',
  params: { rate },
});
/** A sampler of streams with independent noise. */
export const drawAtEachStep = poisson(0.5);
/** A plain reference. */
export const overstated = (logRatio: number): Ref<'sampler'> => ({
  kind: 'sampler',
  name: 'laws/overstated',
  params: { logRatio },
});
/** A plain reference. */
export const fixedSize = (size: number): Ref<'sampler'> => ({
  kind: 'sampler',
  name: 'laws/fixed',
  params: { size },
});
/** A plain reference. */
export const partition = (size: Sampler['size'], parts: number): Ref<'sampler'> => ({
  kind: 'sampler',
  name: `laws/deal-${size}`,
  params: { parts },
});
