import {
  defineClip,
  defineLoss,
  defineMean,
  defineSampler,
  type Adjacency,
  type Batch,
  type CoreEvent,
  type MinimiserQuery,
  type Query,
  type Registry,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, refusals, unlessRefused } from './outcomes.js';
import { clipTo, meanOf, multiplier, noiseOf } from './probes.js';
import { none, plain } from './stand-ins/common.js';
import { around, ball, descentFor, exactly, mechanismNamed } from './stand-ins/index.js';
import { openFixture, under, underEach, type Fixture, type FixtureOptions } from './fixture.js';

const dimension = 3;
const at = new Float64Array(dimension);
const rows = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

export const finiteAnswers = defineLaw({
  id: 'curator/finite-answers',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-8',
  statement:
    'At any scale a query is refused before its charge, or answered with finite numbers and positive ' +
    'noise: products of bounds and multipliers neither overflow nor underflow.',
  power: 'NaN, an infinity or no noise at any of 90 pairs of bound and multiplier, 10^−320 to 10^308',
  cells: underEach,
  check: (subject, env) => firstOf(extremes(subject, defined(env.cell.adjacency))),
});

function* extremes(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const huge = [
    [1.7e308, -1.7e308, 1e300],
    [1.7e308, 1.7e308, 0],
    [5e-324, 0, 0],
  ];
  for (const bound of [5e-324, 1e-300, 1e-160, 1e-3, 1, 1e10, 1e160, 1e279, 1e300, 1.7e308])
    for (const noiseMultiplier of [5e-324, 1e-300, 1e-160, 1, 1e10, 1e160, 1e279, 1e300, 1.7e308]) {
      const input = { bound, noiseMultiplier };
      const ask = (
        data: FixtureOptions['rows'],
        name: 'ruler' | 'gaussian',
      ): readonly [Fixture, ReturnType<typeof outcomeOf<Vector>>] => {
        const fixture = openFixture(subject, { rows: data, adjacency });
        return [
          fixture,
          outcomeOf(() =>
            fixture.ask<Vector>(
              meanOf(fixture.allRecords, name, { at, bound: clipTo(bound), target: { noiseMultiplier } }),
            ),
          ),
        ];
      };
      const [, ruled] = ask(
        rows.map(() => [0, 0, 0]),
        'ruler',
      );
      const [fixture, noisy] = ask(huge, 'gaussian');
      if ('refused' in noisy) {
        yield noisy.refused === 'untyped'
          ? {
              what:
                `a bound of ${bound} with ${noiseMultiplier} times its noise ` +
                `fails without a typed error: ${noisy.message}`,
              input,
            }
          : undefined;
        yield fixture.curator.spent().kind === 'core/free'
          ? undefined
          : {
              what:
                `a bound of ${bound} with ${noiseMultiplier} times its noise is charged and then ` +
                `refused: ${noisy.message}`,
              input,
            };
        continue;
      }
      yield noisy.value.every(Number.isFinite)
        ? undefined
        : {
            what:
              `a bound of ${bound} with ${noiseMultiplier} times its noise ` +
              'is answered by numbers that are not finite',
            input: { ...input, answer: Array.from(noisy.value, String) },
          };
      const least = noiseMultiplier * ((adjacency === 'replace-one' ? 2 : 1) * (bound / 3));
      const scale = 'value' in ruled ? Math.min(...exactly(ruled.value)) : 0;
      yield scale > 0 && scale >= least * (1 - 2 ** -40)
        ? undefined
        : {
            what:
              `a bound of ${bound} with ${noiseMultiplier} times its noise ` +
              `is answered with noise of scale ${scale}`,
            measured: scale,
            allowed: least,
            input,
          };
    }
}

const drawn = (positions: readonly number[]): Registry => [
  defineSampler({
    ...plain,
    name: 'laws/broken',
    params: none,
    size: 'exact',
    normaliser: () => 2,
    draw: () => Uint32Array.from(positions),
    amplification: () => ({
      'replace-one': { sampler: null, inner: 'replace-one' },
      'zero-out': { sampler: null, inner: 'zero-out' },
    }),
  }),
];
const box = defineClip({
  ...plain,
  name: 'laws/box',
  params: none,
  norm: 'linf',
  isProjection: false,
  factor: null,
  radius: () => 1,
  clipInPlace: () => undefined,
  biasBound: () => 0,
  varianceBound: () => 0,
});
/** Writes one coordinate, and only at records that have a first feature. */
const sparse = defineLoss({
  ...plain,
  name: 'laws/plain',
  params: none,
  capabilities: {},
  linear: null,
  facts: () => ({}),
  labels: { rule: 'any', accepts: () => true },
  value: () => 0,
  gradientInto(_params, out, _at, { features }) {
    if (features[0] !== 0) out[0] = 1;
  },
});

export const brokenPlugins = defineLaw({
  id: 'curator/broken-plugins',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'Sensitivities hold for plugins that violate their contracts: draws with repeated records, with ' +
    'records outside the batch or in the wrong order, and bounds in another norm are refused; the ' +
    'gradient of each record starts at zero.',
  power:
    'an answer from a draw with a record twice or from outside the batch, ' +
    'or a gradient that contains that of another record',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(broken(subject, defined(env.cell.adjacency))),
});

function* broken(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const [what, positions] of [
    ['a record twice', [1, 1]],
    ['a record outside the batch', [1, 3]],
    ['records out of order', [2, 0]],
  ] as const) {
    const fixture = openFixture(subject, { rows, adjacency, plugins: drawn(positions) });
    yield unlessRefused(
      `a mean over a draw of ${what}`,
      () => {
        const batch = fixture.ask<Batch>({
          ask: 'draw',
          sampler: { kind: 'sampler', name: 'laws/broken', params: {} },
          from: fixture.allRecords,
        });
        return fixture.ask(meanOf(batch, 'silent', { at }));
      },
      refusals,
    );
  }
  const boxed = openFixture(subject, { rows, adjacency, plugins: [box] });
  const bound = { by: 'clip', clip: { kind: 'clip', name: 'laws/box', params: {} } } as const;
  yield unlessRefused(
    'ℓ2 noise on records bounded in ℓ∞',
    () => boxed.ask(meanOf(boxed.allRecords, 'gaussian', { at, bound })),
    refusals,
  );
  yield unlessRefused(
    'a gradient norm of records bounded in ℓ∞',
    () =>
      boxed.ask({
        ask: 'value',
        statistic: { of: 'gradient-norm', bound },
        at,
        batch: boxed.allRecords,
        noise: noiseOf('gaussian'),
      }),
    refusals,
  );
  const left = openFixture(subject, { rows, adjacency, plugins: [sparse] });
  const [first] = exactly(
    left.ask<Vector>(meanOf(left.allRecords, 'silent', { at, bound: { by: 'clip', clip: ball(9) } })),
  );
  yield Math.abs(first - 1 / 3) <= 2 ** -50
    ? undefined
    : { what: 'the gradient of one record is added to the next', measured: first, allowed: 1 / 3 };
}

/** A mean that records its input, fails with probability 0.001, and whose value is spoilt on request. */
function spyMean(
  seen: (readonly [number, readonly number[]])[],
  contexts: unknown[],
  spoil: boolean,
): Registry {
  return [
    defineMean({
      ...plain,
      name: 'laws/spy',
      params: none,
      trust: 'central',
      privacyRestsOn: 'clip',
      mechanism: () => mechanismNamed('ruler'),
      norm: () => 'l2',
      sensitivity: (_params, { slots }) => ({ 'replace-one': 2 / slots, 'zero-out': 1 / slots }),
      begin: (_params, { dimension: d, slots }, random) => {
        contexts.push([d, slots, random.kind]);
        return {
          add: (slot, gradient) => {
            seen.push([slot, Array.from(gradient)]);
          },
          value: () => new Float64Array(d).fill(spoil ? Number.NaN : 0),
          finish: (noised) => exactly(noised).map((x) => x + 1000),
        };
      },
      event: (_params, event): CoreEvent<'core/failing'> => ({
        kind: 'core/failing',
        v: 1,
        delta: 0.001,
        event,
      }),
      biasBound: () => 0,
      varianceBound: () => 0,
    }),
  ];
}

export const meanContract = defineLaw({
  id: 'curator/mean-contract',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'A mean that is not a sum of scaled vectors gets every slot of the batch once, in order, ' +
    'null records as zeros, and the public size. Noise at the scale of its sensitivity is added to its ' +
    'value before finish. The charge is its own event around that of the noise.',
  power:
    'a record left out, doubled or out of order; an event without ' +
    'the cost of the mean; a released value that is not a number',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(contracts(subject, defined(env.cell.adjacency))),
});

function* contracts(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const coordinates of [undefined, Uint32Array.of(2, 0)])
    for (const spoil of [false, true]) {
      const seen: (readonly [number, readonly number[]])[] = [];
      const contexts: unknown[] = [];
      const plugins = spyMean(seen, contexts, spoil);
      const open = (): Fixture =>
        openFixture(subject, {
          rows: [[1, 2, 3], null, [4, 5, 6]] as FixtureOptions['rows'],
          adjacency,
          plugins,
        });
      const before = open();
      const fixture = open();
      const query: Query = {
        ask: 'mean',
        of: { terms: [{ weight: 1, at }], ...(coordinates === undefined ? {} : { coordinates }) },
        batch: fixture.allRecords,
        mean: { kind: 'mean', name: 'laws/spy', params: {} },
        target: { noiseMultiplier: multiplier },
      };
      // A run that uses a plugin for the first time tries it at a record of its own, for its mark.
      before.ask(query);
      contexts.length = 0;
      seen.length = contexts.length;
      const answer = fixture.ask<Vector>(query);
      const wanted =
        coordinates === undefined
          ? [
              [0, [1, 2, 3]],
              [1, [0, 0, 0]],
              [2, [4, 5, 6]],
            ]
          : [
              [0, [3, 1]],
              [1, [0, 0]],
              [2, [6, 4]],
            ];
      yield JSON.stringify(seen) === JSON.stringify(wanted)
        ? undefined
        : {
            what: 'the mean is not given each slot once, in order, with the gradient asked for',
            input: { given: seen, wanted },
          };
      yield JSON.stringify(contexts) === JSON.stringify([[coordinates?.length ?? 3, 3, 'seeded']])
        ? undefined
        : { what: 'the mean gets another size', input: contexts };
      const scale = (multiplier * (adjacency === 'replace-one' ? 2 : 1)) / 3;
      yield answer.every((x) => Math.abs(x - 1000 - scale) <= 2 ** -30)
        ? undefined
        : {
            what:
              `the mean's value ${spoil ? '(not a number, so 0) ' : ''}is not ` +
              'noised at its own scale and then finished',
            input: { answer: Array.from(answer, String) },
            allowed: 1000 + scale,
          };
      const event = fixture.curator.spent() as { readonly kind: string; readonly delta?: number };
      yield event.kind === 'core/failing' && event.delta === 0.001
        ? undefined
        : {
            what:
              'the release of a mean that may fail is charged as ' +
              `${JSON.stringify(event)}, without its own cost`,
          };
    }
}

const lambda = 0.5;
const tolerance = 1e-9;
const minimiser = (fixture: Fixture, change: Partial<MinimiserQuery> = {}): MinimiserQuery => ({
  ask: 'minimiser',
  lambda,
  centre: at,
  domain: around(2),
  batch: fixture.allRecords,
  solver: descentFor(400),
  tolerance,
  bound: { by: 'certificate', fact: 'lipschitz' },
  norm: 2,
  noise: noiseOf('ruler'),
  ...change,
});

export const minimiserContract = defineLaw({
  id: 'curator/minimiser',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'Output perturbation requires a Lipschitz constant for every record on the domain of the query, ' +
    'convexity, and an a-priori error bound of the solver; without one of them it is refused.',
  power:
    'an answer that relies on another fact, another domain, a solver with a bound that is too large, ' +
    'or a centre where doubles are too coarse',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(minimisers(subject, defined(env.cell.adjacency))),
});

function* minimisers(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const domain = { featureNorm: 1, labelBound: 1, iterateNorm: 1e-3 };
  const open = (change: Partial<FixtureOptions> = {}): Fixture =>
    openFixture(subject, { rows: rows.map(() => [0, 0, 0]), adjacency, loss: 'square', domain, ...change });
  for (const far of [0.5, 2, 30]) {
    const fixture = open();
    const point = outcomeOf(() =>
      exactly(fixture.ask<Vector>(minimiser(fixture, { domain: around(far), solver: descentFor(2000) }))),
    );
    if ('refused' in point) {
      yield { what: `a minimiser over a ball of radius ${far} is refused: ${point.message}` };
      continue;
    }
    // The gradient of half the squared residual is at most |x| (|x| far + |y|) in the ball.
    const least = (multiplier * ((adjacency === 'replace-one' ? 2 : 1) * (far + 1))) / (lambda * 3);
    yield point.value.every((x) => x >= least * (1 - 2 ** -40))
      ? undefined
      : {
          what: `over a ball of radius ${far} the scale of the noise is that of another domain`,
          measured: Math.min(...point.value),
          allowed: least,
        };
  }
  const nonConvex = defineLoss({
    ...plain,
    name: 'laws/square',
    params: none,
    capabilities: {},
    linear: null,
    labels: { rule: 'any', accepts: () => true },
    value: () => 0,
    gradientInto: (_params, out) => {
      out.fill(0);
    },
    facts: () => ({
      lipschitz: { value: 1, scope: 'every-record', provenance: 'declared' },
      smoothness: { value: 1, scope: 'every-record', provenance: 'declared' },
    }),
  });
  const cases: readonly (readonly [string, Partial<MinimiserQuery>, Partial<FixtureOptions>])[] = [
    ['relies on another fact', { bound: { by: 'certificate', fact: 'smoothness' } }, {}],
    ['has a solver with a bound that is too large', { solver: descentFor(1) }, {}],
    ['has no regulariser', { lambda: 0 }, {}],
    ['has a regulariser that is NaN', { lambda: Number.NaN }, {}],
    ['has no tolerance', { tolerance: 0 }, {}],
    ['has a centre where doubles are too coarse', { centre: at.with(0, 2 ** 50), tolerance: 1e-9 }, {}],
    ['has a loss without declared convexity', {}, { plugins: [nonConvex] }],
    ['has records without a declared bound', {}, { domain: { labelBound: 1 } }],
  ];
  for (const [what, query, change] of cases) {
    const fixture = open(change);
    yield unlessRefused(`a minimiser that ${what}`, () => fixture.ask(minimiser(fixture, query)), refusals);
    yield fixture.curator.spent().kind === 'core/free'
      ? undefined
      : { what: `a minimiser that ${what} was charged` };
  }
  const hidden = open();
  const [part] = hidden.ask<readonly Batch[]>({
    ask: 'split',
    of: hidden.allRecords,
    order: 'stored',
    parts: { by: 'weight', weights: [0.5] },
  }) as [Batch];
  yield unlessRefused(
    'a minimiser over a batch of hidden size',
    () => hidden.ask(minimiser(hidden, { batch: part })),
    refusals,
  );
}
