import { describe, expect, it } from 'vitest';
import { mutants, seeds } from './src/corpus.js';
import { kill } from './src/kill.js';

/**
 * `npm test` uses the first seed only, and the effort of its suites: what they would miss shows here.
 * `LETHE_SEEDS=all`, like `npm run mutants`, uses all seeds and full effort.
 */
const isFull = process.env['LETHE_SEEDS'] === 'all';
const tried = isFull ? seeds : seeds.slice(0, 1);

/** Every `of`-th mutant on each of those seeds, to share the work between processors. */
export function describeMutants(part: number, of: number): void {
  describe.each(mutants.filter((_, i) => i % of === part))('$id: $title', (mutant) => {
    it.each(tried)('is detected under seed %s', async (seed) => {
      expect(await kill(mutant, seed, isFull ? 1 : 'suite')).toMatchObject({
        law: expect.any(String) as string,
      });
    });
  });
}
