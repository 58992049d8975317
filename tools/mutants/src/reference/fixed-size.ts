import { defineSampler, InvalidParameter, sampleWithoutReplacement, type SamplerSpec } from '@lethe/core';
import { z } from 'zod';

/** A uniform subset of fixed size. Leaving one record out makes room for another, hence the inner adjacency. */
export const fixedSize = defineSampler({
  name: 'reference-fixed-size',
  summary: 'A uniform subset of fixed size.',
  source: { id: 'balle-barthe-gaboardi-2018', item: 'Section 3' },
  params: z.strictObject({ size: z.int().positive() }),
  claims: [
    { property: 'marginals', statement: 'every subset of the size is equally likely' },
    { property: 'size', statement: 'always the same' },
    { property: 'amplification', statement: 'by drawing without replacement; unsupported under add-remove' },
  ],
  examples: [{ size: 3 }],
  size: 'exact',
  amplification({ size }, slots) {
    const sampler: SamplerSpec = { kind: 'core/fixed-size', n: slots, size, replacement: false };
    return { 'replace-one': { sampler, inner: 'replace-one' }, 'zero-out': { sampler, inner: 'replace-one' } };
  },
  normaliser: ({ size }) => size,
  draw({ size }, slots, random) {
    if (size > slots) throw new InvalidParameter(`${size} of ${slots} slots were asked for; ask for fewer`, { size, slots });
    return sampleWithoutReplacement(random, slots, size).toSorted();
  },
});
