import { defineEvent, type PrivacyEvent, type RandomSource, seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type Finding,
  planChecks,
  type RunOptions,
  type ReleaseSubject,
  runCheck,
  type Subject,
} from '../../law/index.js';
import { releaseLaws } from './index.js';
import { lawsAlone, smallEffort } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Data = readonly number[];
type Release = ReleaseSubject<Data>['release'];

const laplace = (random: RandomSource): number => random.laplaceInto(new Float64Array(1))[0];
const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
const sum = (data: Data): number => data.reduce((total, x) => total + x, 0);

/** The sum of three records in [0, 1] with Laplace noise of scale 1, twice. */
const noisySums: ReleaseSubject<Data> = {
  kind: 'release',
  name: 'noisy sums',
  adjacency: 'replace-one',
  event: pure(2),
  claims: [{ property: 'permutation', statement: 'order does not matter' }],
  pairs: [
    [
      [1, 0, 0],
      [0, 0, 0],
    ],
    [
      [1, 1, 1],
      [1, 0, 1],
    ],
  ],
  release: (data, { random }) => [sum(data) + laplace(random.fork(0)), sum(data) + laplace(random.fork(1))],
};

async function findings(
  subject: ReleaseSubject<Data>,
  only?: readonly string[],
  options: RunOptions = lawsAlone(only),
): Promise<readonly (readonly [string, Finding])[]> {
  const found: (readonly [string, Finding])[] = [];
  for (const check of planChecks(
    releaseLaws,
    subject as Subject<'release'>,
    only === undefined ? {} : { only },
  ))
    found.push([check.law.id, (await runCheck(check as never, options)).finding]);
  return found;
}

describe('a correct release', () => {
  it('satisfies every law, with a cell for each pair', async () => {
    const found = await findings(noisySums);
    expect(found.filter(([, { verdict }]) => verdict !== 'holds')).toEqual([]);
    expect(found).toHaveLength(2 * releaseLaws.length);
  });

  it('is tested by its density ratio if known', async () => {
    const logRatio = (y: ArrayLike<number>, [p, q]: readonly [Data, Data]): number =>
      [y[0], y[1]].reduce((all, x) => all + Math.abs(x - sum(q)) - Math.abs(x - sum(p)), 0);
    expect(
      (await findings({ ...noisySums, logRatio }, ['release/hockey-stick'], smallEffort)).map(
        ([, { verdict }]) => verdict,
      ),
    ).toEqual(['holds', 'holds']);
    const [, lying] = (
      await findings({ ...noisySums, logRatio, event: pure(1) }, ['release/hockey-stick'])
    )[0];
    expect(lying.verdict === 'fails' && lying.violation.witness).toMatch(/known ratio/u);
  });

  it('may release a constant, or the data without a claim', async () => {
    for (const more of [
      { release: () => [7] },
      { release: (data: Data) => [sum(data)], event: { kind: 'core/unprotected', v: 1 } as PrivacyEvent },
    ]) {
      expect(
        (await findings({ ...noisySums, claims: [], ...more })).filter(
          ([, { verdict }]) => verdict === 'fails',
        ),
      ).toEqual([]);
    }
  });

  it('may have its own event kind', async () => {
    const kind = defineEvent({
      name: 'test/twice',
      version: 1,
      summary: 'x',
      source: { id: 'test', item: 'x' },
      claims: [],
      schema: z.strictObject({ kind: z.literal('test/twice'), v: z.literal(1), epsilon: z.number() }),
      characterise: { pure: (event) => 2 * event.epsilon },
    });
    const subject = {
      ...noisySums,
      kinds: [kind],
      event: { kind: 'test/twice', v: 1, epsilon: 1 } as PrivacyEvent,
    };
    expect(
      (await findings(subject, ['release/hockey-stick'], smallEffort)).map(([, { verdict }]) => verdict),
    ).toEqual(['holds', 'holds']);
  });
});

let calls = 0;
const stream = seededRandom('a stream of the module');

const planted: readonly (readonly [string, Partial<ReleaseSubject<Data>>, RegExp])[] = [
  ['release/hockey-stick', { event: pure(1.2) }, /likelier on the (first|second) than e\^/u],
  [
    'release/hockey-stick',
    { release: (data, { random }) => (sum(data) > 0 ? [laplace(random)] : [laplace(random), 0]) },
    /lengths tell them apart/u,
  ],
  [
    'release/hockey-stick',
    {
      event: pure(1),
      release: (data, { random }) =>
        Array.from({ length: 6 }, () => Number(sum(data) / 2 + laplace(random) > 1)),
    },
    /likelier/u,
  ],
  [
    'release/atoms',
    {
      release: (data, { random }) =>
        sum(data) === 0 && random.integer(20) === 0 ? [0, 0] : noisySums.release(data, { key: '', random }),
    },
    /likelier on the second/u,
  ],
  [
    'release/permutation',
    {
      release: ((data, { random }) => [
        data[0] + laplace(random.fork(0)),
        sum(data) + laplace(random.fork(1)),
      ]) as Release,
    },
    /(reverse order|moved by one) have another distribution/u,
  ],
  [
    'release/deterministic-given-coins',
    { release: (data) => [sum(data) + laplace(stream)] },
    /something besides them decides/u,
  ],
  [
    'release/deterministic-given-coins',
    {
      release: (data, { random }) =>
        Array.from({ length: 1 + (calls++ % 3) }, () => sum(data) + laplace(random)),
    },
    /fixed length/u,
  ],
  [
    'release/fresh-coins',
    { release: (data, { random }) => [laplace(random), sum(data)] },
    /number 1 of the output is 1 on one data set and 0/u,
  ],
];

describe('the law of a planted bug fails, with its message', () => {
  it.each(planted)('%s', async (law, bug, message) => {
    const failed = (await findings({ ...noisySums, ...bug }, [law]))
      .map(([, finding]) => finding)
      .find(({ verdict }) => verdict === 'fails');
    expect(failed).toMatchObject({ verdict: 'fails' });
    if (failed?.verdict === 'fails') expect(failed.violation.what).toMatch(message);
  });
});
