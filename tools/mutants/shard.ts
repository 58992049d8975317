import { describe, expect, it } from 'vitest';
import { mutants, seeds } from './src/corpus.ts';
import { kill } from './src/kill.ts';

/** Every `of`-th mutant on every seed, so that two processors share the work. */
export function describeMutants(part: number, of: number): void {
  describe.each(mutants.filter((_, i) => i % of === part))('$id: $title', (mutant) => {
    it.each(seeds)('is found under seed %s', async (seed) => {
      expect(await kill(mutant, seed)).toMatchObject({ law: expect.any(String) as string });
    });
  });
}
