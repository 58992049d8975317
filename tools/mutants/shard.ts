import { describe, expect, it } from 'vitest';
import { mutantsByDay } from './src/by-day.js';
import { mutants, seeds } from './src/corpus.js';
import { kill } from './src/kill.js';

/** `npm test` uses the first seed only; `LETHE_SEEDS=all`, like `npm run mutants`, uses all. */
const tried = process.env['LETHE_SEEDS'] === 'all' ? seeds : seeds.slice(0, 1);
const isFull = process.env['LETHE_EFFORT'] === 'full';
const chosen = isFull ? mutants : mutantsByDay;
/** By day that of the suites of a day, which must find them. */
const effort = isFull ? 1 : 'suite';

/** Every `of`-th mutant on each of those seeds, to share the work between processors. */
export function describeMutants(part: number, of: number): void {
  for (const mutant of chosen.filter((_, i) => i % of === part))
    describe(`${mutant.id}: ${mutant.title}`, () => {
      it.each(tried)('is detected under seed %s', async (seed) => {
        expect(await kill(mutant, seed, effort)).toMatchObject({ law: expect.any(String) as string });
      });
    });
}
