import { memoryStore, type Vector } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under, type Fixture } from './fixture.js';
import { firstOf, muSquared } from './outcomes.js';
import { meanOf, multiplier } from './probes.js';

const adjacency = 'zero-out';
const dimension = 3;
const rows = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 1],
];
/** Queries of the run, the part whose noise is compared, and the count that another process goes on from. */
const most = 1600;
const part = 300;
const resumedAt = 200;
/** Of the variance of 900 draws to that of 900 others; passed by chance less than once in 10¹⁰. */
const widest = 1.6;

/** What is wrong with the count or the cost after so many queries. */
function miscounted({ curator, ledger, run }: Fixture, count: number): Violation | undefined {
  if (curator.recorded() !== count)
    return { what: `after ${count} queries the curator reports ${curator.recorded()}`, measured: count };
  for (const [whose, event] of [
    ['the total of the ledger', ledger.total()],
    ['what the curator says it spent', curator.spent()],
    ['the charge of the run', ledger.chargedBy(run)],
  ] as const) {
    const releases = muSquared(event, adjacency) * multiplier ** 2;
    if (!(Math.abs(releases - count) < 1e-6 * count))
      return {
        what: `after ${count} equal releases ${whose} is that of ${releases.toPrecision(6)}`,
        measured: releases,
        allowed: count,
      };
  }
  return undefined;
}

/** Variance about the mean, over the entries of answers. */
function varianceOf(answers: readonly Vector[]): number {
  const sum = new Float64Array(dimension);
  for (const answer of answers) for (let j = 0; j < dimension; j++) sum[j] += answer[j] / answers.length;
  return answers.reduce(
    (total, answer) => total + answer.reduce((sum_, entry, j) => sum_ + (entry - sum[j]) ** 2, 0),
    0,
  );
}

function* asked(subject: Subject<'curator'>): Generator<Violation | undefined> {
  const store = memoryStore();
  const at = new Float64Array(dimension);
  let fixture = openFixture(subject, { rows, adjacency, store });
  const answers: Vector[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < most; index++) {
    if (index === resumedAt) {
      yield miscounted(fixture, index);
      fixture = openFixture(subject, { rows, adjacency, store });
    }
    const { answer } = fixture.curator.answer(index, meanOf(fixture.allRecords, 'gaussian', { at }));
    answers.push(answer as Vector);
    seen.add(String(answer));
    if (seen.size <= index)
      yield { what: `the noise of query ${index} is that of an earlier one`, witness: String(answer) };
  }
  yield miscounted(fixture, most);
  const [early, late] = [answers.slice(0, part), answers.slice(-part)].map(varianceOf);
  yield early < widest * late && late < widest * early
    ? undefined
    : {
        what:
          `the variance of the last ${part} of ${most} equal releases is ${late / early} times ` +
          'that of the first',
        measured: late / early,
        allowed: widest,
      };
}

/** A run of many queries pays for each. */
export const manyQueries = defineLaw<'curator'>({
  id: 'curator/many-queries',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'In a long run each release is charged and recorded, has noise of its own, and as much at the end ' +
    'as at the beginning, also where another process goes on.',
  power:
    `one charge that is missing among ${most}; ` +
    `a standard deviation 0.75 times as large for the last ${part}`,
  cells: under(adjacency),
  check: (subject) => firstOf(asked(subject)),
});
