import * as shipped from '@lethe/algorithms';
import { coordinateDescentChecks, coordinateDescentSubject } from '@lethe/claims/coordinate-descent';
import { federatedChecks, federatedSubject } from '@lethe/claims/federated';
import { heavyTailsChecks, heavyTailsSubject } from '@lethe/claims/heavy-tails';
import { recursiveGradientsChecks, recursiveGradientsSubject } from '@lethe/claims/recursive-gradients';
import { sparseGradientsChecks, sparseGradientsSubject } from '@lethe/claims/sparse-gradients';
import { environmentOf, type ClaimCheck, type Finding } from '@lethe/laws';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endAtFirstViolation } from '../../packages/laws/test/first-violation.js';
import { switched, withBug } from './src/switched.js';

/** A bug in the sources of a planner, and the check of the paper's ledger that finds it. */
interface Bug {
  readonly id: string;
  readonly title: string;
  readonly killedBy: string;
}

/** The checks of each paper, about shipped functions or replacements of them. */
const papers: readonly (readonly [subject: object, checks: (replaced: object) => readonly ClaimCheck[]])[] = [
  [coordinateDescentSubject, coordinateDescentChecks],
  [federatedSubject, federatedChecks],
  [heavyTailsSubject, heavyTailsChecks],
  [recursiveGradientsSubject, recursiveGradientsChecks],
  [sparseGradientsSubject, sparseGradientsChecks],
];

const all = process.env['LETHE_SEEDS'] === 'all';
/** Checks that take more than a tenth of a second on a bug, but for one bug each, are left to the night. */
const slow = new Set([
  'ghazi/literal-loop',
  'lowy/composed-rounds',
  'lowy/planned-constants',
  'lowy/planned-event',
  'maranjyan/planned-constants',
  'reshef-levy/comparison-plan',
  'lowy/form-of-rounds',
]);

const runOf = async ({ id, run }: ClaimCheck): Promise<Finding> => run(environmentOf({ law: id }));

const bugs = JSON.parse(
  readFileSync(new URL('src/switched/planners.json', import.meta.url), 'utf8'),
) as readonly Bug[];

/** Every check, about the functions that ship, loaded once with switches in their sources. */
const loaded = (async (): Promise<ReadonlyMap<string, ClaimCheck>> => {
  const module = await switched<Readonly<Record<string, unknown>>>('algorithms/src/index.ts', 'planners');
  const originals: Readonly<Record<string, unknown>> = shipped;
  return new Map(
    papers.flatMap(([subject, checksOf]) => {
      const replaced = Object.entries(subject).flatMap(([name, value]) =>
        value === originals[name] ? [[name, module[name]] as const] : [],
      );
      return checksOf(Object.fromEntries(replaced)).map((check) => [check.id, check] as const);
    }),
  );
})();

describe('mutants of planners', () => {
  endAtFirstViolation();
  const tried = bugs.filter(
    ({ killedBy }, i) =>
      all || !slow.has(killedBy) || bugs.findIndex((bug) => bug.killedBy === killedBy) === i,
  );
  it.each(tried.map((bug) => [`${bug.id}: ${bug.title}`, bug] as const))(
    '%s',
    async (_, { id, killedBy }) => {
      const check = (await loaded).get(killedBy);
      if (check === undefined) throw new Error(`no check is named ${killedBy}`);
      expect(await withBug(id, () => runOf(check))).toMatchObject({ verdict: 'fails' });
    },
  );

  const relied = all ? [...new Set(bugs.map(({ killedBy }) => killedBy))] : [];
  it.each(relied)('%s holds while no bug is on', async (id) => {
    const check = (await loaded).get(id);
    expect(check && (await runOf(check))).toMatchObject({ verdict: 'holds' });
  });
});
