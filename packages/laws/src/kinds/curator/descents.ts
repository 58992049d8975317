import {
  defineLinearLoss,
  defineLoss,
  type Adjacency,
  type Batch,
  type CoreEvent,
  type DescendQuery,
  type Registry,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { distance, normOf } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under, type Fixture, type FixtureOptions } from './fixture.js';
import { firstOf, outcomeOf, refusals, unlessRefused } from './outcomes.js';
import { multiplier, noiseOf } from './probes.js';
import { none, plain, type Action } from './stand-ins/common.js';
import { around, ball, exactly, fixedSize, mechanismNamed } from './stand-ins/index.js';

type Row = FixtureOptions['rows'][number];
type Steps = DescendQuery['steps'];

const everyRecord = (value: number) => ({ value, scope: 'every-record', provenance: 'from-domain' }) as const;
/** Slopes of the stand-in losses, of slope at most 1 and curvature at most `smoothness`. */
const slopes = {
  /** Moves a point by a whole step, wherever it is. */
  straight: { slope: () => 1, value: (margin: number) => margin, smoothness: 0 },
  /** Curved as much as its smoothness says, up to margins of 1. */
  bent: {
    slope: (margin: number) => Math.max(-1, Math.min(1, margin)),
    value: (margin: number) => (Math.abs(margin) <= 1 ? margin ** 2 / 2 : Math.abs(margin) - 1 / 2),
    smoothness: 1,
  },
} as const;
type LossName = keyof typeof slopes;

const lossOf = (name: LossName) =>
  defineLinearLoss({
    ...plain,
    name: 'laws/plain',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: { rule: 'any number', accepts: () => true },
    linear: {
      value: (_params, margin) => slopes[name].value(margin),
      slope: (_params, margin) => slopes[name].slope(margin),
    },
    facts: (_params, { featureNorm }) =>
      featureNorm === undefined
        ? {}
        : {
            lipschitz: everyRecord(featureNorm),
            smoothness: everyRecord(slopes[name].smoothness * featureNorm ** 2),
          },
  });

interface Case {
  readonly loss: LossName;
  readonly radius: number;
  readonly steps: Steps;
  readonly start: readonly number[];
}
const alike = (count: number, stepSize: number, batchSize = 1): Steps => [{ count, stepSize, batchSize }];
const cases: readonly Case[] = [
  { loss: 'straight', radius: 8, steps: alike(4, 0.25), start: [0.5, 0, -0.5] },
  {
    loss: 'straight',
    radius: 8,
    steps: [...alike(2, 0.125, 2), ...alike(3, 0.5), ...alike(1, 0.75, 3)],
    start: [0, 0, 0],
  },
  { loss: 'bent', radius: 0.75, steps: alike(6, 2), start: [0.5, 0.25, 0] },
  { loss: 'bent', radius: 1, steps: [...alike(2, 2), ...alike(2, 1, 2), ...alike(1, 0.5)], start: [1, 1, 1] },
];
const recordsOf = (steps: Steps): number =>
  steps.reduce((sum, { count, batchSize }) => sum + count * batchSize, 0);
/** One step after the other: step size and number of records. */
const oneByOne = (steps: Steps): readonly { readonly stepSize: number; readonly batchSize: number }[] =>
  steps.flatMap(({ count, ...one }) => Array.from({ length: count }, () => one));

/** Records of length 1 that are not alike. */
const crowdOf = (count: number): readonly (readonly number[])[] =>
  Array.from({ length: count }, (_, i) => {
    const row = [Math.sin(1 + i), Math.cos(2 + 3 * i), Math.sin(5 * i)];
    const length = normOf('l2', row) * (1 + 2 ** -40);
    return row.map((x) => x / length);
  });

/** The listing: what is released of the steps on these records, with the given noise. */
function listing(
  { loss, radius, steps, start }: Case,
  rows: readonly Row[],
  release: DescendQuery['release'],
  noises?: readonly Vector[],
): Vector {
  const inside = (point: readonly number[]): number[] => {
    const length = normOf('l2', point);
    return length > radius ? point.map((entry) => (entry / length) * radius) : [...point];
  };
  let x = inside(start);
  const points: number[][] = [];
  let from = 0;
  for (const [t, { stepSize, batchSize }] of oneByOne(steps).entries()) {
    points.push(x);
    const gradient = x.map((_, j) => noises?.[t][j] ?? 0);
    for (const row of rows.slice(from, from + batchSize)) {
      if (row === null) continue;
      const slope = slopes[loss].slope(row.reduce((sum, entry, j) => sum + entry * x[j], 0));
      row.forEach((entry, j) => (gradient[j] += (slope * entry) / batchSize));
    }
    from += batchSize;
    x = inside(x.map((entry, j) => entry - stepSize * gradient[j]));
  }
  if (release === 'last') return Float64Array.from(x);
  return Float64Array.from(x, (_, j) => points.reduce((sum, point) => sum + point[j], 0) / points.length);
}

/** What a nulled record of step `t` moves, for `L = 1`; the greatest is the sensitivity. */
function movesOf(steps: Steps, release: DescendQuery['release'], noiseOn: DescendQuery['noiseOn']): number[] {
  const all = oneByOne(steps);
  return all.map(({ stepSize, batchSize }, t) => {
    const move = stepSize / batchSize;
    if (noiseOn === 'steps')
      return move / Math.sqrt(all.slice(t).reduce((sum, { stepSize: later }) => sum + later ** 2, 0));
    return release === 'last' ? move : (move * (all.length - 1 - t)) / all.length;
  });
}

const query = ({ allRecords }: Fixture, one: Case, change: Partial<DescendQuery>): DescendQuery => ({
  ask: 'descend',
  start: Float64Array.from(one.start),
  domain: around(one.radius),
  batch: allRecords,
  steps: one.steps,
  release: 'last',
  noiseOn: 'answer',
  bound: { by: 'certificate', fact: 'lipschitz' },
  noise: noiseOf('silent'),
  ...change,
});

export const descent = defineLaw({
  id: 'curator/descend',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A descent releases the last point of its listing, or the average, with noise for L max_t (η_t/B_t) ' +
    'w_t, or the last point with noise on each step; no nulled record moves it by more, and one attains ' +
    'it. It is refused, uncharged, for losses, steps, bounds and batches on which points may move apart.',
  power:
    'a scale too small by 10⁻⁹, a projection, step or record that is left out or taken twice, noise that ' +
    'steps share, and a step above 2 over the smoothness',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(checks(subject, defined(env.cell.adjacency))),
});

function* checks(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  yield* refusing(subject, adjacency);
  for (const one of cases) {
    for (const release of ['last', 'average'] as const) yield* onAnswer(subject, adjacency, one, release);
    yield* onSteps(subject, adjacency, one);
  }
}

const opened = (
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  { loss }: Case,
  rows: readonly Row[],
  change: Partial<FixtureOptions> = {},
): Fixture =>
  openFixture(subject, {
    rows,
    adjacency,
    dimension: 3,
    domain: { featureNorm: 1 },
    plugins: [lossOf(loss)],
    ...change,
  });
/** A record in place of another, and records that are all null. */
const otherOf = (adjacency: Adjacency, row: readonly number[]): readonly number[] =>
  (adjacency === 'replace-one' ? row.map((entry) => -entry) : null) as readonly number[];
const nobodyOf = (crowd: readonly Row[]): readonly Row[] => crowd.map(() => null);
const timesOf = (adjacency: Adjacency): number => (adjacency === 'replace-one' ? 2 : 1);

/** Rounding of steps is allowed for in the scale: this much of it at most, in these cases. */
const slack = 1e-9;

function* onAnswer(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  one: Case,
  release: DescendQuery['release'],
): Generator<Violation | undefined> {
  const crowd = crowdOf(recordsOf(one.steps));
  const open = (rows: readonly Row[]): Fixture => opened(subject, adjacency, one, rows);
  const pointOn = (rows: readonly Row[]): Vector => {
    const fixture = open(rows);
    return exactly(fixture.ask<Vector>(query(fixture, one, { release })));
  };
  const input = { ...one, release, adjacency };
  const ruled = open(nobodyOf(crowd));
  const centre = new Float64Array(3);
  const scale = Math.min(
    ...exactly(ruled.ask<Vector>(query(ruled, one, { release, start: centre, noise: noiseOf('ruler') }))),
  );
  const moves = movesOf(one.steps, release, 'answer');
  const sensitivity = timesOf(adjacency) * Math.max(...moves);
  yield scale >= multiplier * sensitivity && scale <= multiplier * sensitivity * (1 + slack)
    ? undefined
    : {
        what: 'the noise on a descent has another scale than multiplier × sensitivity',
        measured: scale,
        allowed: multiplier * sensitivity,
        input,
      };
  const spent = ruled.curator.spent() as Partial<CoreEvent<'core/gaussian'>>;
  yield spent.kind === 'core/gaussian' && spent.sigma === multiplier && spent.sensitivity?.[adjacency] === 1
    ? undefined
    : { what: `a descent is charged as ${JSON.stringify(spent)}, not as one Gaussian release`, input };
  const point = pointOn(crowd);
  const expected = listing(one, crowd, release);
  yield distance('l2', point, expected) <= 1e-13 * (1 + normOf('l2', expected))
    ? undefined
    : {
        what: 'what is released of a descent is not that of its listing',
        measured: distance('l2', point, expected),
        input: { ...input, released: [...point], listing: [...expected] },
      };
  const stepOf = oneByOne(one.steps).flatMap(({ batchSize }, t) =>
    Array.from({ length: batchSize }, () => t),
  );
  for (const [k, row] of crowd.entries()) {
    const apart = distance('l2', point, pointOn(crowd.with(k, otherOf(adjacency, row))));
    const allowed = timesOf(adjacency) * moves[stepOf[k]] * (1 + slack) + 1e-14;
    const isAttained = one.loss !== 'straight' || apart >= (1 - 3 * slack) * allowed - 1e-13;
    yield apart <= allowed && isAttained
      ? undefined
      : {
          what: `record ${k} moves what is released of a descent by another length than its step says`,
          measured: apart,
          allowed,
          input,
        };
  }
}

function* onSteps(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  one: Case,
): Generator<Violation | undefined> {
  const crowd = crowdOf(recordsOf(one.steps));
  const actions: Action[] = [];
  const fixture = opened(subject, adjacency, one, crowd, { observe: (action) => actions.push(action) });
  const change = { noiseOn: 'steps', noise: noiseOf('gaussian') } as const;
  const point = fixture.ask<Vector>(query(fixture, one, change));
  const input = { ...one, adjacency };
  const least = multiplier * timesOf(adjacency) * Math.max(...movesOf(one.steps, 'last', 'steps'));
  const scales = actions.flatMap((action) => (action.did === 'noise' ? [action.scale] : []));
  yield scales.length === oneByOne(one.steps).length &&
  scales.every((scale) => scale >= least && scale <= least * (1 + slack))
    ? undefined
    : {
        what:
          'the noise on the steps of a descent has other ' +
          'scales than multiplier × sensitivity, one a step',
        measured: Math.min(...scales),
        allowed: least,
        input: { ...input, scales },
      };
  const noises = actions.flatMap((action) =>
    action.did === 'noised' ? [action.after.map((entry, j) => entry - action.before[j])] : [],
  );
  yield new Set(noises.map((noise) => noise[0].toPrecision(9))).size === noises.length
    ? undefined
    : { what: 'steps of a descent share their noise', input };
  const expected = listing(one, crowd, 'last', noises);
  yield distance('l2', point, expected) <= 1e-4 * least
    ? undefined
    : {
        what: 'with noise on its steps, what is released of a descent is not the last point of its listing',
        measured: distance('l2', point, expected),
        input: { ...input, released: [...point], listing: [...expected] },
      };
}

function* refusing(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const [, , one] = cases;
  const crowd = crowdOf(6);
  const lossBut = (change: Partial<Parameters<typeof defineLoss>[0]>): Registry => [
    defineLoss({
      ...plain,
      name: 'laws/plain',
      params: none,
      capabilities: { convex: true },
      linear: null,
      labels: { rule: 'any', accepts: () => true },
      value: () => 0,
      gradientInto: (_params, out) => {
        out.fill(0);
      },
      facts: () => ({ lipschitz: everyRecord(1), smoothness: everyRecord(1) }),
      ...change,
    }),
  ];
  const clipped = { bound: { by: 'clip', clip: ball(0.5) } } as const;
  const refused: readonly (readonly [string, Partial<DescendQuery>, Partial<FixtureOptions>?])[] = [
    ['has a step above 2 over the smoothness', { steps: alike(6, 2 * (1 + 2 ** -40)) }],
    ['has a step of size 0', { steps: alike(6, 0) }],
    ['has a step of size NaN', { steps: alike(6, Number.NaN) }],
    ['has no steps', { steps: [] }],
    ['leaves out a record', { steps: alike(5, 1) }],
    ['reads records twice', { steps: alike(12, 1) }],
    ['has a part of a step', { steps: alike(2.5, 1, 2) }],
    ['relies on another fact', { bound: { by: 'certificate', fact: 'smoothness' } }],
    ['averages with noise on its steps', { release: 'average', noiseOn: 'steps' }],
    ['has a start that is NaN', { start: Float64Array.of(0, Number.NaN, 0) }],
    ['has a loss without declared convexity', {}, { plugins: lossBut({ capabilities: {} }) }],
    ['clips a loss that is not linear', clipped, { plugins: lossBut({}) }],
    ['has no smoothness', {}, { plugins: lossBut({ facts: () => ({ lipschitz: everyRecord(1) }) }) }],
    [
      'has a Lipschitz constant of the population only',
      {},
      {
        plugins: lossBut({
          facts: () => ({
            lipschitz: { value: 1, scope: 'population', provenance: 'declared' },
            smoothness: everyRecord(1),
          }),
        }),
      },
    ],
    ['has records without a declared bound', {}, { domain: {} }],
    [
      'has noise for a sensitivity in l1',
      { noise: { mechanism: mechanismNamed('laplace'), target: { noiseMultiplier: multiplier } } },
    ],
  ];
  for (const [what, change, other] of refused) {
    const fixture = opened(subject, adjacency, one, crowd, other);
    yield unlessRefused(`a descent that ${what}`, () => fixture.ask(query(fixture, one, change)), refusals);
    yield fixture.curator.spent().kind === 'core/free'
      ? undefined
      : { what: `a descent that ${what} was charged` };
  }
  // A clip bounds the records of linear models where the fact does not, and leaves their losses convex.
  const clippedOn = (rows: readonly Row[], change: Partial<DescendQuery> = {}): Vector => {
    const fixture = opened(subject, adjacency, one, rows);
    return exactly(fixture.ask<Vector>(query(fixture, one, { ...clipped, ...change })));
  };
  const ruler = { start: new Float64Array(3), noise: noiseOf('ruler') };
  const half = outcomeOf(() => Math.min(...clippedOn(nobodyOf(crowd), ruler)) / multiplier);
  const allowed = timesOf(adjacency) * Math.max(...movesOf(one.steps, 'last', 'answer')) * 0.5;
  if (!('value' in half)) yield { what: `a descent with a clip is refused: ${half.message}` };
  else {
    yield half.value >= allowed && half.value <= allowed * (1 + slack)
      ? undefined
      : { what: 'a descent with a clip has noise of another scale', measured: half.value, allowed };
    const point = clippedOn(crowd);
    for (const [k, row] of crowd.entries()) {
      const apart = distance('l2', point, clippedOn(crowd.with(k, otherOf(adjacency, row))));
      yield apart <= half.value
        ? undefined
        : { what: `record ${k} moves a descent with a clip too far`, measured: apart, allowed };
    }
  }
  const hidden = opened(subject, adjacency, one, crowd);
  const [weighed] = hidden.ask<readonly Batch[]>({
    ask: 'split',
    of: hidden.allRecords,
    order: 'stored',
    parts: { by: 'weight', weights: [0.5] },
  }) as [Batch];
  const drawn = hidden.ask<Batch>({ ask: 'draw', sampler: fixedSize(3), from: hidden.allRecords });
  for (const [what, batch] of [
    ['a batch of hidden size', weighed],
    ['a sample', drawn],
  ] as const)
    yield unlessRefused(
      `a descent over ${what}`,
      () => hidden.ask(query(hidden, one, { batch, steps: alike(3, 1) })),
      refusals,
    );
}
