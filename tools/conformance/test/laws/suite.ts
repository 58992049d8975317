import type { SubjectKind, Tier } from '@lethe/laws';
import type { Runner, SuiteOptions } from '@lethe/laws/vitest';
import { afterAll, describe, it } from 'vitest';
import { kindEfforts, lawEfforts } from './efforts.js';

const { LETHE_EFFORT: effort, LETHE_SEED: seed, LETHE_TIERS: tiers } = process.env;

/**
 * How the suite of a kind is run. `LETHE_EFFORT` is `full` for every input and draw, or a part of them for
 * all kinds; `LETHE_SEED` another seed than that of the suites; `LETHE_TIERS` the only tiers.
 */
export const optionsFor = (kind: SubjectKind): SuiteOptions => {
  const given = effort === 'full' ? 1 : Number(effort);
  return {
    ...(effort === undefined ? { effort: kindEfforts[kind] ?? 1, efforts: lawEfforts } : { effort: given }),
    ...(seed === undefined ? {} : { seed }),
    ...(tiers === undefined ? {} : { tiers: tiers.split(',') as readonly Tier[] }),
  };
};

/** The runner of one test file. It prints the checks left out at the end, each reason once. */
export function lawRunner(): Runner {
  const reasons = new Map<string, number>();
  let left = 0;
  afterAll(() => {
    const why = [...reasons].map(([reason, count]) => `${reason}${count === 1 ? '' : ` (${count})`}`);
    if (left > 0) process.stdout.write(`laws: ${left} checks not made: ${why.join('; ')}\n`);
  });
  return {
    describe,
    it,
    note(text) {
      const reason = /: not checked \((.*)\)$/u.exec(text)?.[1];
      if (reason === undefined) return;
      left++;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
  };
}
