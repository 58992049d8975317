import { defineSampler, type SamplerSpec } from '@lethe/core';
import * as z from 'zod';
import { assertSlots } from './slots.js';

/**
 * `size` independent draws from all slots, with the curator's secret randomness; the size is public. A slot
 * drawn several times counts as often in every sum. A record occurs
 * `K ~ Binomial(size, 1/slots)` times in the batch and, given `K = k`, its neighbours differ at `k` positions
 * of it. So the accountant may amplify by `P(K ≥ 1)`, but has to charge `k` occurrences as a group: the
 * divergence of `k` replacements in a row, mixed over `k`, where the positions may be in different parts of
 * the batch. Sensitivities inside are those of one position.
 *
 * Unsupported under add-remove, where the number of slots is private. The event inside must be private under
 * replace-one, also when the run's adjacency is zero-out: where the record was not drawn, another one was.
 *
 * @param params - `size`: positions drawn, at most 2²⁴; may exceed the number of slots.
 */
export const fixedSizeWithReplacement = defineSampler({
  name: 'fixed-size-with-replacement',
  summary: 'A fixed number of draws from all slots, repeats allowed.',
  source: { id: 'balle-barthe-gaboardi-2018', item: 'Theorem 10' },
  params: z.strictObject({
    size: z
      .int()
      .positive()
      .max(2 ** 24),
  }),
  claims: [
    { property: 'marginals', statement: 'the positions are independent and uniform' },
    { property: 'size', statement: 'size, whatever the randomness, repeats counted' },
    { property: 'positions', statement: 'ascending, with repetitions' },
    { property: 'coins', statement: 'all that a draw depends on besides size and slots' },
    {
      property: 'amplification',
      statement:
        'core/fixed-size with replacement under replace-one and zero-out, ' +
        'with an inner event private under replace-one; unsupported under add-remove',
    },
  ],
  examples: [{ size: 3 }, { size: 1 }],
  size: 'exact',
  amplification({ size }, slots) {
    assertSlots(slots, 1);
    const sampler: SamplerSpec = { kind: 'core/fixed-size', n: slots, size, replacement: true };
    return {
      'replace-one': { sampler, inner: 'replace-one' },
      'zero-out': { sampler, inner: 'replace-one' },
    };
  },
  normaliser({ size }, slots) {
    assertSlots(slots, 1);
    return size;
  },
  draw({ size }, slots, random) {
    assertSlots(slots, 1);
    const drawn = new Uint32Array(size);
    for (let i = 0; i < size; i++) drawn[i] = random.integer(slots);
    return drawn.toSorted();
  },
});
