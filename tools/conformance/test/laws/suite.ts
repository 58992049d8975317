import type { LawId, SubjectKind, Tier } from '@lethe/laws';
import type { Runner, SuiteOptions } from '@lethe/laws/vitest';
import { afterAll, describe, it } from 'vitest';

/**
 * Part of the inputs and draws of each kind that `npm test` takes: every mutant of the kind dies at it under
 * all seeds (`npm run mutants -- --kind KIND --effort PART`), but for those of {@link lawEfforts}.
 * It changes what a suite may miss, never its false alarms.
 */
const efforts: Partial<Record<SubjectKind, number>> = {
  accountant: 0.125,
  clip: 0.1,
  curator: 0.1,
  domain: 0.1,
  event: 0.1,
  ledger: 0.1,
  localRandomiser: 0.25,
  loss: 0.1,
  lowerBound: 0.1,
  mean: 0.1,
  mechanism: 0.25,
  optimizer: 0.1,
  prefixSum: 0.1,
  release: 0.25,
  sampler: 0.25,
  selector: 0.25,
  sketch: 0.25,
  solver: 0.1,
  store: 0.1,
};
/** The same for laws with a mutant that lives at the part of its kind: they sample, or try few inputs. */
const lawEfforts: Readonly<Partial<Record<LawId, number>>> = {
  'accountant/queries': 0.5,
  'clip/memoryless': 0.25,
  'event/witness': 0.25,
  'localRandomiser/simulation': 1,
  'localRandomiser/unbiased': 1,
  'localRandomiser/variance-bound': 1,
  'loss/facts': 0.25,
  'lowerBound/regime': 0.25,
  'mean/bias-bound': 0.5,
  'mean/variance-bound': 0.25,
  'mechanism/every-scale': 1,
  'mechanism/long-calls': 1,
  'mechanism/noise-law': 1,
  'optimizer/utility': 0.25,
  'release/hockey-stick': 1,
  'sampler/deal-frequencies': 1,
  'sampler/marginals': 1,
  'selector/among-many': 1,
  'selector/choice': 1,
  'selector/many': 1,
  'sketch/frequencies': 1,
  'solver/certified-distance': 0.25,
};

const { LETHE_EFFORT: effort, LETHE_SEED: seed, LETHE_TIERS: tiers } = process.env;

/**
 * How the suite of a kind is run. `LETHE_EFFORT` is `full` for every input and draw, or a part of them for
 * all kinds; `LETHE_SEED` another seed than that of the suites; `LETHE_TIERS` the only tiers.
 */
export const optionsFor = (kind: SubjectKind): SuiteOptions => {
  const given = effort === 'full' ? 1 : Number(effort);
  return {
    ...(effort === undefined ? { effort: efforts[kind] ?? 1, efforts: lawEfforts } : { effort: given }),
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
