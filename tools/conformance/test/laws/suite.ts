import type { Blindness, LawId, LawReport, SubjectKind, Tier } from '@lethe/laws';
import type { Runner, SuiteOptions } from '@lethe/laws/vitest';
import { afterAll, describe, it } from 'vitest';
import { byDay, type LeftToNight } from './by-day.js';
import { kindEfforts, lawEfforts } from './efforts.js';

const { LETHE_EFFORT: effort, LETHE_SEED: seed, LETHE_TIERS: tiers } = process.env;

/** Whether a suite leaves nothing to the night. */
export const isFull = effort === 'full';

/**
 * How the suite of a kind is run, and what it leaves to the night. `LETHE_EFFORT` is `full` for every input
 * and draw, or a part of them for all kinds; `LETHE_SEED` another seed than that of the suites; `LETHE_TIERS`
 * the only tiers.
 */
export const optionsFor = (kind: SubjectKind, atNight: LeftToNight = {}): SuiteOptions => {
  const given = isFull ? 1 : Number(effort);
  return {
    ...(effort === undefined ? { effort: kindEfforts[kind] ?? 1, efforts: lawEfforts } : { effort: given }),
    ...(seed === undefined ? {} : { seed }),
    onBlind,
    ...(isFull ? {} : { choose: byDay(kind, atNight) }),
    ...(tiers === undefined ? {} : { tiers: tiers.split(',') as readonly Tier[] }),
  };
};

/** Sampling laws that hold without a test where they need none, by id, with the reason. */
const needNone: Readonly<Partial<Record<LawId, string>>> = {
  'event/scan': 'a claim that breaks off nowhere leaves nothing to draw for',
  'mean/bias-bound': 'randomness that can be listed is: the mean is a sum',
  'mean/unbiased': 'randomness that can be listed is: the mean is a sum',
  'mean/variance-bound': 'randomness that can be listed is: the variance is a sum',
  'selector/regret': 'declared probabilities give the expected regret as a sum',
};

/** A check that could not have failed with the draws of this suite is no check. */
function onBlind({ law }: LawReport, { asked, why }: Blindness): void {
  if (asked === 0 && Object.hasOwn(needNone, law)) return;
  throw new Error(`${law} holds, and could not have failed: ${why}; let it take more draws, or skip it`);
}

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
