import { sensitivityUnder, type Run } from '@lethe/core';
import { sumParameters, wordWidth, type Width } from '@lethe/mechanisms';
import * as z from 'zod';

/** What a plan with one stream of whole numbers says of it. */
const wholeStream = z.object({
  rounds: z.number(),
  noiseMultiplier: z.number(),
  clip: z.object({ params: z.object({ radius: z.number(), spacing: z.number() }) }),
});

/**
 * Bits of the words of a run's secure sums: 32 where its plan says that no sum wraps, else 64. Wrapping would
 * cost utility, and never privacy.
 */
export function wordsOf({ plan, problem: { trust, slots, adjacency } }: Run): Width {
  const read = wholeStream.safeParse(plan);
  if (!read.success || trust.model !== 'secure-aggregation') return 64;
  const { rounds, noiseMultiplier, clip } = read.data;
  const steps = clip.params.radius / clip.params.spacing;
  const sensitivity = sensitivityUnder(
    { 'replace-one': 2 * steps, 'zero-out': steps },
    adjacency,
    'the addends of a sum',
  );
  const records = slots.reduce((sum, one) => sum + one, 0);
  return wordWidth(sumParameters(trust), records * steps, noiseMultiplier * Math.sqrt(rounds) * sensitivity);
}
