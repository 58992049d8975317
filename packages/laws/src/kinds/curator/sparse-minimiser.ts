import {
  defineDomain,
  defineLinearLoss,
  defineMechanism,
  type Adjacency,
  type CoreEvent,
  type MinimiserQuery,
  type Registry,
  type Vector,
} from '@lethe/core';
import { defined, wholeSpace } from '@lethe/numerics';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, refusals, unlessRefused } from './outcomes.js';
import { openFixture, under, type Fixture, type FixtureOptions } from './fixture.js';
import { noiseOf } from './probes.js';
import { none, plain } from './stand-ins/common.js';
import { around, descentFor, exactly } from './stand-ins/index.js';

/** `√(1 + m²) − 1` of the margin: slope and curvature are at most 1, and zero records stay where they are. */
const smooth = defineLinearLoss({
  ...plain,
  name: 'laws/plain',
  params: none,
  capabilities: { convex: true, nullRecord: true },
  labels: { rule: 'any number', accepts: () => true },
  linear: {
    value: (_params, margin) => Math.hypot(1, margin) - 1,
    slope: (_params, margin) => margin / Math.hypot(1, margin),
  },
  facts: (_params, { featureNorm, sparsity }) =>
    Object.fromEntries(
      Object.entries({
        lipschitz: featureNorm,
        smoothness: featureNorm === undefined ? undefined : featureNorm ** 2,
        sparsity,
      }).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name, { value, scope: 'every-record' as const, provenance: 'from-domain' as const }]],
      ),
    ),
});

/** As in the other stand-ins: an answer is the value, or the value and the scale, {@link exactly}. */
const magnified = 2 ** 64;
const laplaceOf = (name: 'sparse-silent' | 'sparse-ruler') =>
  defineMechanism({
    ...plain,
    name: `laws/${name}`,
    params: none,
    norm: 'l1',
    numerics: 'idealised',
    event: (_params, noiseMultiplier, relative): CoreEvent<'core/laplace'> => ({
      kind: 'core/laplace',
      v: 1,
      scale: noiseMultiplier,
      sensitivity: relative,
    }),
    multiplierFor: (_params, target) => ('epsilon' in target ? 1 / target.epsilon : 1),
    addNoise(_params, value, scale) {
      for (let j = 0; j < value.length; j++)
        value[j] = name === 'sparse-silent' ? value[j] * magnified : value[j] + magnified * scale;
    },
    standardDeviation: () => Math.SQRT2,
    cdf: (_params, x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
  });
const everywhere = defineDomain({
  ...plain,
  name: 'laws/everywhere',
  params: none,
  build: (_params, dimension) => wholeSpace(dimension),
});
const plugins: Registry = [smooth, laplaceOf('sparse-silent'), laplaceOf('sparse-ruler'), everywhere];

interface Case {
  readonly records: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly lambda: number;
  readonly tolerance: number;
}
const cases: readonly Case[] = [
  { records: 3, dimension: 4, sparsity: 2, lambda: 0.5, tolerance: 1e-3 },
  { records: 5, dimension: 9, sparsity: 1, lambda: 0.25, tolerance: 1e-9 },
  { records: 2, dimension: 3, sparsity: 3, lambda: 1, tolerance: 1e-2 },
  { records: 4, dimension: 16, sparsity: 8, lambda: 2, tolerance: 1e-9 },
];
const multiplier = 1.5;

const zeroRows = ({ records, dimension }: Case): readonly (readonly number[])[] =>
  Array.from({ length: records }, () => Array.from({ length: dimension }, () => 0));

const query = (
  { allRecords }: Fixture,
  { dimension, lambda, tolerance }: Case,
  name: 'sparse-silent' | 'sparse-ruler',
  change: Partial<MinimiserQuery> = {},
): MinimiserQuery => ({
  ask: 'minimiser',
  lambda,
  centre: new Float64Array(dimension),
  domain: { kind: 'domain', name: 'laws/everywhere', params: {} },
  batch: allRecords,
  solver: descentFor(600),
  tolerance,
  bound: { by: 'certificate', fact: 'lipschitz' },
  norm: 1,
  noise: {
    mechanism: { kind: 'mechanism', name: `laws/${name}`, params: {} },
    target: { noiseMultiplier: multiplier },
  },
  ...change,
});

export const sparseMinimiser = defineLaw({
  id: 'curator/sparse-minimiser',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A minimiser in the ℓ1 norm is released on the whole space only, by facts lipschitz, smoothness and ' +
    'sparsity of every record; a nulled record counts (√s·L + √(2s)·H·L/λ)/(λn), a replaced one twice ' +
    'that, the tolerance of the solver 2√d times.',
  power: 'a scale too small by 10⁻¹², in four shapes; a release without one of the facts, or on a ball',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(releases(subject, defined(env.cell.adjacency))),
});

function* releases(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const open = (one: Case, rows: readonly Row[], domain: FixtureOptions['domain']): Fixture =>
    openFixture(subject, { rows, adjacency, dimension: one.dimension, domain, plugins });
  for (const one of cases) {
    const { records, dimension, sparsity, lambda, tolerance } = one;
    const declared = { featureNorm: 1, sparsity };
    const row = (from: number, sign: number): Row =>
      Array.from({ length: dimension }, (_, j) =>
        (j - from + dimension) % dimension < sparsity ? sign / Math.sqrt(sparsity) : 0,
      ).map((x) => x * (1 - 2 ** -50));
    const zeros = zeroRows(one);
    const atRest = open(one, zeros, declared);
    const scale = Math.min(...exactly(atRest.ask<Vector>(query(atRest, one, 'sparse-ruler'))));
    // A gradient of length 1, and one that changes by at most 1 per unit.
    const own = Math.sqrt(sparsity);
    const others = Math.sqrt(Math.min(2 * sparsity, dimension)) / lambda;
    const times = adjacency === 'replace-one' ? 2 : 1;
    const moved = (times * (own + others)) / (lambda * records);
    const error = 2 * Math.sqrt(dimension) * tolerance;
    yield scale >= multiplier * (moved + error) * (1 - 2 ** -44)
      ? undefined
      : {
          what: 'the noise on a minimiser in the ℓ1 norm has a scale below multiplier × sensitivity',
          measured: scale,
          allowed: multiplier * (moved + error),
          input: { ...one, adjacency },
        };
    yield scale <= multiplier * (moved + times * error) * (1 + 1e-9)
      ? undefined
      : {
          what: 'the noise on a minimiser in the ℓ1 norm has a larger scale than charged',
          measured: scale,
          allowed: multiplier * (moved + times * error),
          input: { ...one, adjacency },
        };
    const crowd = Array.from({ length: records - 1 }, (_, i) => row(i + 1, 1));
    const there: Row = adjacency === 'replace-one' ? row(0, -1) : null;
    const far = new Float64Array(dimension).fill(4);
    const [value, other] = [row(0, 1), there].map((last) => {
      const fixture = open(one, [...crowd, last], declared);
      return exactly(fixture.ask<Vector>(query(fixture, one, 'sparse-silent', { centre: far })));
    });
    const apart = distance('l1', value, other);
    yield apart <= (scale / multiplier) * (1 + 1e-9)
      ? undefined
      : {
          what: 'one record moves a minimiser by more in ℓ1 than the sensitivity behind the noise scale',
          measured: apart,
          allowed: scale / multiplier,
          input: { ...one, adjacency },
        };
  }
  const [first] = cases;
  const rows = zeroRows(first);
  const full = { featureNorm: 1, sparsity: first.sparsity };
  for (const [what, change, domain] of [
    ['on a ball', { domain: around(2) }, full],
    ['without the fact sparsity', {}, { featureNorm: 1 }],
    ['without the fact lipschitz', {}, { sparsity: 2 }],
    ['with noise for ℓ2', { noise: noiseOf('gaussian') }, full],
    ['with noise for ℓ1, calibrated in ℓ2', { norm: 2 }, full],
  ] as const) {
    const fixture = open(first, rows, domain);
    yield unlessRefused(
      `a minimiser in the ℓ1 norm ${what}`,
      () => fixture.ask(query(fixture, first, 'sparse-ruler', change)),
      refusals,
    );
    yield fixture.curator.spent().kind === 'core/free'
      ? undefined
      : { what: `a minimiser in the ℓ1 norm ${what} was charged` };
  }
}

type Row = FixtureOptions['rows'][number];
