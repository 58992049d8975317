import { describe, expect, it } from 'vitest';
import { mutants, seeds } from './src/corpus.js';
import { kill } from './src/kill.js';

/** `npm test` tries the first seed alone; `LETHE_SEEDS=all`, as `npm run mutants`, tries every one. */
const tried = process.env['LETHE_SEEDS'] === 'all' ? seeds : seeds.slice(0, 1);

/** Every `of`-th mutant on each of those seeds, so that two processors share the work. */
export function describeMutants(part: number, of: number): void {
  describe.each(mutants.filter((_, i) => i % of === part))('$id: $title', (mutant) => {
    it.each(tried)('is found under seed %s', async (seed) => {
      expect(await kill(mutant, seed)).toMatchObject({ law: expect.any(String) as string });
    });
  });
}
