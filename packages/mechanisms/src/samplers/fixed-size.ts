import { defineSampler, InvalidParameter, type SamplerSpec } from '@lethe/core';
import { sampleWithoutReplacement } from '@lethe/numerics';
import * as z from 'zod';
import { ascending } from './ascending.js';
import { assertSlots } from './slots.js';

function inside(size: number, slots: number): number {
  assertSlots(slots, 0);
  if (size > slots)
    throw new InvalidParameter(`${size} of ${slots} slots were asked for; ask for at most ${slots}`, {
      size,
      slots,
    });
  return size;
}

/**
 * A uniform subset of `size` slots, by the curator's secret randomness; the size is public. Neighbouring
 * batches differ by the replacement of one record by another, so the event inside must be private under
 * replace-one, also if the run's adjacency is zero-out. Unsupported under add-remove, where the number of
 * slots is private.
 *
 * @param params - `size`: positions drawn, at most the number of slots.
 */
export const fixedSize = defineSampler({
  name: 'fixed-size',
  summary: 'A uniform subset of fixed size.',
  source: { id: 'balle-barthe-gaboardi-2018', item: 'Theorem 9' },
  params: z.strictObject({ size: z.int().positive() }),
  claims: [
    { property: 'marginals', statement: 'every subset of the size is equally likely' },
    { property: 'size', statement: 'size, whatever the randomness' },
    { property: 'positions', statement: 'ascending, none twice' },
    { property: 'coins', statement: 'all that a draw depends on besides size and slots' },
    {
      property: 'amplification',
      statement:
        'core/fixed-size without replacement under replace-one and zero-out, ' +
        'with an inner event private under replace-one; unsupported under add-remove',
    },
  ],
  examples: [{ size: 3 }, { size: 1 }],
  size: 'exact',
  amplification({ size }, slots) {
    const sampler: SamplerSpec = {
      kind: 'core/fixed-size',
      n: slots,
      size: inside(size, slots),
      replacement: false,
    };
    return {
      'replace-one': { sampler, inner: 'replace-one' },
      'zero-out': { sampler, inner: 'replace-one' },
    };
  },
  normaliser: ({ size }, slots) => inside(size, slots),
  draw: ({ size }, slots, random) =>
    ascending(sampleWithoutReplacement(random, slots, inside(size, slots)), slots),
});
