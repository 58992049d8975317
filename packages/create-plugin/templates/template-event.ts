import { defineEvent, type RandomSource } from '@lethe/core';
import { divideUp, multiplyUp } from '@lethe/numerics';
import * as z from 'zod';

const schema = z.strictObject({
  kind: z.literal('lethe/template-event'),
  v: z.literal(1),
  range: z
    .number()
    .nonnegative()
    .describe('How far apart the log-ratios of any two outputs can lie, for any neighbours.'),
});

/**
 * Probability of the first of two outputs whose log-ratios are `above` and `above − range`, on either
 * neighbour.
 */
function chanceOf(range: number, above: number, side: 0 | 1): number {
  if (range === 0) return 1 / 2;
  const there = Math.expm1(above - range) / (Math.exp(above - range) - Math.exp(above));
  return side === 1 ? there : there * Math.exp(above);
}

/**
 * A release of bounded range: between neighbours, the log-ratios of any two outputs differ by at most
 * `range`. Since some output is no likelier on one side and some on the other, it is pure with ε = range; and
 * it is zero-concentrated with ρ = range²/8, a quarter of what follows from that. Say here what is true of
 * yours under which adjacency, and cite it.
 */
export const templateEvent = defineEvent({
  name: 'lethe/template-event',
  version: 1,
  summary: 'A release whose privacy loss spans a bounded range.',
  source: { id: 'lethe', item: 'template' },
  schema,
  examples: [{ kind: 'lethe/template-event', v: 1, range: 1 }],
  claims: [
    {
      property: 'characterised',
      statement: 'pure with ε = range, zero-concentrated with ρ = range²/8, under every adjacency',
    },
    { property: 'derived', statement: 'the ρ is less than what follows from the ε' },
  ],
  characterise: {
    pure: ({ range }) => range,
    zcdp: ({ range }) => divideUp(multiplyUp(range, range), 8),
  },
  // Mechanisms that attain the cost: laws compare their outputs with the numbers above.
  realise: [1 / 8, 1 / 2, 7 / 8].map((share) => ({
    draw: ({ range }: { range: number }, _adjacency: unknown, side: 0 | 1, random: RandomSource) =>
      Float64Array.of(Number(random.uniform() < chanceOf(range, share * range, side))),
  })),
});
