import type { Adjacency, Query, Vector, Batch } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { normOf } from '../../engines/norms.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, refusals, unlessRefused } from './outcomes.js';
import { meanOf, noiseOf, membershipQuery } from './probes.js';
import { around, descentFor, exactly, exponential } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const dimension = 3;
const at = Float64Array.of(1, 0, 0);
const rows = [
  [1, 0, 0],
  [0, 1, 0],
];

/** Queries whose sensitivity relies on a fact. */
const relying = (fixture: Fixture): readonly (readonly [string, Query])[] => [
  [
    'a mean of certified gradients',
    meanOf(fixture.allRecords, 'gaussian', { at, bound: { by: 'certificate', fact: 'lipschitz' } }),
  ],
  [
    'a risk',
    { ask: 'value', statistic: { of: 'risk' }, at, batch: fixture.allRecords, noise: noiseOf('gaussian') },
  ],
  [
    'a difference of risks',
    {
      ask: 'value',
      statistic: { of: 'risk-difference', reference: at },
      at,
      batch: fixture.allRecords,
      noise: noiseOf('gaussian'),
    },
  ],
  [
    'a gradient norm',
    {
      ask: 'value',
      statistic: { of: 'gradient-norm', bound: { by: 'certificate', fact: 'lipschitz' } },
      at,
      batch: fixture.allRecords,
      noise: noiseOf('gaussian'),
    },
  ],
  [
    'a choice',
    {
      ask: 'choose',
      candidates: { by: 'list', points: [at] },
      statistic: { of: 'risk' },
      batch: fixture.allRecords,
      selector: exponential,
      target: { epsilon: 1 },
    },
  ],
  [
    'a descent',
    {
      ask: 'descend',
      start: new Float64Array(dimension),
      domain: around(10),
      batch: fixture.allRecords,
      steps: [{ count: fixture.allRecords.normaliser, stepSize: 0.5, batchSize: 1 }],
      release: 'average',
      noiseOn: 'answer',
      bound: { by: 'certificate', fact: 'lipschitz' },
      noise: noiseOf('gaussian'),
    },
  ],
  [
    'a minimiser',
    {
      ask: 'minimiser',
      lambda: 1,
      centre: new Float64Array(dimension),
      domain: around(10),
      batch: fixture.allRecords,
      solver: descentFor(60),
      tolerance: 1e-6,
      bound: { by: 'certificate', fact: 'lipschitz' },
      norm: 2,
      noise: noiseOf('gaussian'),
    },
  ],
  [
    'a stream of certified gradients',
    {
      ask: 'open',
      prefixSum: { kind: 'prefixSum', name: 'laws/increments', params: {} },
      steps: 1,
      dimension,
      bound: { by: 'certificate', fact: 'lipschitz' },
      noise: noiseOf('gaussian'),
      participation: { times: 1, gap: 1 },
      normaliser: 2,
    },
  ],
];

export const factValidity = defineLaw({
  id: 'curator/fact-scope',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'Sensitivities use only facts about every record: a query that relies on a fact about the ' +
    'population, or on a missing fact, is refused without a charge.',
  power: 'a release that relies on a fact about the population, or on a missing one',
  cells: underEach,
  check: (subject, env) => firstOf(restings(subject, defined(env.cell.adjacency))),
});

function* restings(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const [whose, loss] of [
    ['a fact about the population', 'typical'],
    ['a missing fact', 'plain'],
  ] as const) {
    for (const [k, [what]] of relying(openFixture(subject, { rows, adjacency })).entries()) {
      const fixture = openFixture(subject, { rows, adjacency, loss });
      yield unlessRefused(
        `${what} that relies on ${whose}`,
        () => fixture.ask(relying(fixture)[k][1]),
        refusals,
      );
      yield fixture.curator.spent().kind === 'core/free' && fixture.curator.recorded() === 0
        ? undefined
        : { what: `${what} that relies on ${whose} was charged` };
    }
  }
}

export const factEnforced = defineLaw({
  id: 'curator/fact-enforced',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'A fact about every record is enforced on every record, or the query is refused: ' +
    'gradients beyond a certified constant and losses beyond a certified range are clipped.',
  power: 'a single record with a contribution above the certified constant, at 1 to 10^100 times it',
  cells: underEach,
  check: (subject, env) => firstOf(enforced(subject, defined(env.cell.adjacency))),
});

function* enforced(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const size of [1.01, 30, 1e6, 1e100])
    for (const sign of [1, -1]) {
      const fixture = openFixture(subject, {
        rows: [[sign * size, size, 0]],
        labels: [sign * size],
        adjacency,
        loss: 'boastful',
      });
      const share = (what: string, found: number, allowed: number): Violation | undefined =>
        found <= allowed * (1 + 2 ** -40)
          ? undefined
          : {
              what: `one record contributes ${found} to ${what}; the certified constant allows ${allowed}`,
              measured: found,
              allowed,
            };
      yield share(
        'a mean of gradients certified at 1',
        normOf(
          'l2',
          exactly(
            fixture.ask<Vector>(
              meanOf(fixture.allRecords, 'silent', { at, bound: { by: 'certificate', fact: 'lipschitz' } }),
            ),
          ),
        ),
        1,
      );
      yield share(
        'a mean of 2 and −1 gradients certified at 1',
        normOf(
          'l2',
          exactly(
            fixture.ask<Vector>(
              meanOf(fixture.allRecords, 'silent', {
                at,
                of: {
                  terms: [
                    { weight: 2, at },
                    { weight: -1, at: at.map((x) => -x) },
                  ],
                },
                bound: { by: 'certificate', fact: 'lipschitz' },
              }),
            ),
          ),
        ),
        3,
      );
      const risk = exactly(
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'risk' },
          at,
          batch: fixture.allRecords,
          noise: noiseOf('silent'),
        }),
      );
      yield share('a risk in the range 0 to 1', Math.max(risk, -risk * 1e3), 1);
      yield share(
        'a difference of risks in the range 0 to 1',
        Math.abs(
          exactly(
            fixture.ask<number>({
              ask: 'value',
              statistic: { of: 'risk-difference', reference: at.map((x) => -x) },
              at,
              batch: fixture.allRecords,
              noise: noiseOf('silent'),
            }),
          ),
        ),
        1,
      );
    }
}

export const ownScale = defineLaw({
  id: 'curator/own-scale',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'The curator computes sensitivity and scale itself: fields that an optimizer adds to a token or to a ' +
    'query change neither noise nor charge nor members.',
  power: 'a scale, charge or membership that depends on one of 8 forged fields',
  cells: underEach,
  check: (subject, env) => firstOf(forged(subject, defined(env.cell.adjacency))),
});

function* forged(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const zeros = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  const honest = openFixture(subject, { rows: zeros, adjacency });
  const scale = honest.ask<Vector>(meanOf(honest.allRecords, 'ruler', { at }))[0];
  const event = JSON.stringify(honest.curator.spent());
  const tamper = (query: object, fields: object): Query => ({ ...query, ...fields }) as Query;
  const base = meanOf(honest.allRecords, 'ruler', { at });
  const forgeries: readonly (readonly [string, Query])[] = [
    [
      'a token with a normaliser of 1000',
      meanOf({ ...honest.allRecords, normaliser: 1000 }, 'ruler', { at }),
    ],
    ['a token with a forged scope', meanOf({ ...honest.allRecords, scope: 'run/0' }, 'ruler', { at })],
    [
      'a token with a forged size',
      meanOf(
        { ...honest.allRecords, size: honest.allRecords.size === 'exact' ? 'hidden' : 'exact' },
        'ruler',
        { at },
      ),
    ],
    ['a sensitivity', tamper(base, { sensitivity: 1e-9 })],
    ['a scale', tamper(base, { scale: 0, normaliser: 1000 })],
    [
      'a sensitivity beside the mean',
      tamper(base, { mean: { ...base.mean, sensitivity: 1e-9, scale: 1e-9 } }),
    ],
    [
      'a radius beside the parameters',
      tamper(base, {
        mean: { ...base.mean, params: { ...(base.mean.params as object), radius: 1e-9, norm: 'linf' } },
      }),
    ],
    ['an event', tamper(base, { event: { kind: 'core/free', v: 1 } })],
  ];
  for (const [what, query] of forgeries) {
    const fixture = openFixture(subject, { rows: zeros, adjacency });
    let answer: Vector;
    try {
      answer = fixture.ask<Vector>(query);
    } catch {
      continue;
    }
    yield answer.every((x) => x >= scale)
      ? undefined
      : {
          what: `${what} in a query lowers the scale of the noise`,
          measured: Math.min(...answer),
          allowed: scale,
        };
    yield JSON.stringify(fixture.curator.spent()) === event
      ? undefined
      : {
          what: `${what} in a query changes the charge`,
          witness: `${JSON.stringify(fixture.curator.spent())} in place of ${event}`,
        };
  }
  if (adjacency === 'add-remove') return;
  const fixture = openFixture(subject, {
    rows: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    adjacency,
  });
  const part = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: fixture.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: [1, 1] },
  })[0];
  const widened = fixture.ask<Vector>(
    membershipQuery({ ...part, normaliser: 3, stretch: { space: 'all', from: 0, to: 3 } } as typeof part, 3),
  );
  yield widened.filter((x) => x > 0).length === 1
    ? undefined
    : { what: 'a token with a forged range of slots reaches records outside its batch' };
}
