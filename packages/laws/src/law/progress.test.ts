import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defineLaw } from './law.js';
import { slowProgress } from './progress.js';
import { planChecks, runCheck } from './run.js';
import type { Subject } from './subject.js';

it('is said when a check takes long, and not more often than asked', async () => {
  let now = 0;
  const said: string[] = [];
  const law = defineLaw<'store'>({
    id: 'store/slow',
    kind: 'store',
    tier: 'search',
    statement: 'takes a second an input',
    power: 'none',
    check: (_subject, env) =>
      env.forAll(
        fc.integer(),
        () => {
          now += 1000;
          return undefined;
        },
        { runs: 30, examples: [1, 2] },
      ),
  });
  const subject: Subject<'store'> = {
    kind: 'store',
    name: 'none',
    claims: [],
    open: () => {
      throw new Error('not opened');
    },
  };
  const [check] = planChecks([law], subject);
  const progress = (first: number) =>
    slowProgress((text) => void said.push(text), { first, every: 10_000, clock: () => now });
  await runCheck(check, { progress: progress(5000) });
  expect(said).toEqual(['5 of 32 inputs, 5 s', '15 of 32 inputs, 15 s', '25 of 32 inputs, 25 s']);
  said.length = 0;
  await runCheck(check, { progress: progress(60_000) });
  expect(said).toEqual([]);
});
