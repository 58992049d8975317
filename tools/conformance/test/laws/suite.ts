import type { SubjectKind, Tier } from '@lethe/laws';
import type { Runner, SuiteOptions } from '@lethe/laws/vitest';
import { afterAll, describe, it } from 'vitest';

/**
 * Part of the inputs and draws of each kind that `npm test` takes: every mutant of the kind dies at it under
 * all seeds (`npm run mutants -- --kind KIND --effort PART`). It changes what a suite may miss, never its
 * false alarms. Kinds whose laws sample lose mutants below 1, and are not listed.
 */
const efforts: Partial<Record<SubjectKind, number>> = {
  accountant: 0.5,
  clip: 0.25,
  curator: 0.1,
  domain: 0.1,
  event: 0.25,
  ledger: 0.1,
  loss: 0.25,
  lowerBound: 0.25,
  mean: 0.1,
  optimizer: 0.1,
  prefixSum: 0.1,
  solver: 0.1,
  store: 0.1,
};

const { LETHE_EFFORT: effort, LETHE_SEED: seed, LETHE_TIERS: tiers } = process.env;

/**
 * How the suite of a kind is run. `LETHE_EFFORT` is `full` for every input and draw, or a part of them for
 * all kinds; `LETHE_SEED` another seed than that of the suites; `LETHE_TIERS` the only tiers.
 */
export const optionsFor = (kind: SubjectKind): SuiteOptions => {
  const effortOf = () => {
    if (effort === undefined) return efforts[kind] ?? 1;
    return effort === 'full' ? 1 : Number(effort);
  };
  return {
    effort: effortOf(),
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
