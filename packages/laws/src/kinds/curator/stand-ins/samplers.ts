import { defineSampler, poissonSample, sampleWithoutReplacement, type Adjacency, type Amplification, type Ref, type Sampler } from '@lethe/core';
import { z } from 'zod';
import { plain } from './common.js';

/** Samplers: one with a secret coin for each record, one of a fixed size, which has no amplification under add-remove. */
export const samplers: readonly Sampler[] = [
  defineSampler({
    ...plain, name: 'laws/poisson', params: z.strictObject({ rate: z.number().positive().max(1) }), size: 'hidden',
    amplification({ rate }) {
      const under = (inner: Adjacency): Amplification => ({ sampler: { kind: 'core/poisson', rate }, inner });
      return { 'replace-one': under('replace-one'), 'add-remove': under('add-remove'), 'zero-out': under('zero-out') };
    },
    normaliser: ({ rate }, slots) => rate * slots,
    draw: ({ rate }, slots, random) => poissonSample(random, slots, rate),
  }),
  defineSampler({
    ...plain, name: 'laws/fixed', params: z.strictObject({ size: z.int().positive() }), size: 'exact',
    amplification({ size }, slots) {
      const sampler = { kind: 'core/fixed-size' as const, n: slots, size, replacement: false };
      return { 'replace-one': { sampler, inner: 'replace-one' }, 'zero-out': { sampler, inner: 'replace-one' } };
    },
    normaliser: ({ size }) => size,
    draw: ({ size }, slots, random) => sampleWithoutReplacement(random, slots, size).toSorted(),
  }),
];
/** A reference by hand. */
export const poisson = (rate: number): Ref<'sampler'> => ({ kind: 'sampler', name: 'laws/poisson', params: { rate } });
/** A reference by hand. */
export const fixedSize = (size: number): Ref<'sampler'> => ({ kind: 'sampler', name: 'laws/fixed', params: { size } });
