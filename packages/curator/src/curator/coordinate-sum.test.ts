import {
  boundedMean,
  clipBound,
  defineClip,
  defineLinearLoss,
  defineLoss,
  defineMean,
  factBound,
  type BoundedShape,
  type GradientTerms,
  type Loss,
  type MeanQuery,
  type RecordBound,
  type Vector,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  norm2,
  createArena,
  type CsrMatrix,
  logisticSum,
  type MatrixView,
  seededRandom,
  squaredSum,
} from '@lethe/numerics';
import { openLedger } from '../ledger/index.js';
import { boundedSum as boundedSumBy } from './bounded-sum.js';
import { keptSums } from './coordinate-sum.js';
import { centralCurator } from './central.js';
import type { DataInput } from './data-input.js';
import { attachData, type DataSet } from './data-set.js';
import type { Rows } from './members.js';

/** Sums as a curator makes them that answers about coordinates. */
const boundedSum = (data: DataSet, rows: Rows, of: GradientTerms, bound: RecordBound) =>
  boundedSumBy(data, rows, of, bound, keptSums);
const none = z.strictObject({});
const common = {
  summary: 'A stand-in.',
  source: { id: 'lethe', item: 'tests' },
  params: none,
  examples: [{}],
  claims: [],
} as const;
const sizes = {
  ...common,
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }],
  biasBound: () => 0,
  varianceBound: () => 0,
} as const;
const signs = { rule: '-1 and 1', accepts: (label: number) => Math.abs(label) === 1 };
const logistic = defineLinearLoss({
  ...common,
  name: 'logistic',
  capabilities: {},
  labels: signs,
  facts: () => ({}),
  linear: {
    fused: () => logisticSum,
    value: (_, m, y) => Math.log1p(Math.exp(-y * m)),
    slope: (_, m, y) => -y / (1 + Math.exp(y * m)),
  },
});
const squared = defineLinearLoss({
  ...common,
  name: 'squared',
  capabilities: {},
  labels: { rule: 'any', accepts: () => true },
  facts: () => ({}),
  linear: { fused: () => squaredSum, value: (_, m, y) => (m - y) ** 2 / 2, slope: (_, m, y) => m - y },
});
const hinge = defineLinearLoss({
  ...common,
  name: 'hinge',
  capabilities: {},
  labels: signs,
  facts: () => ({}),
  linear: { value: (_, m, y) => Math.max(0, 1 - y * m), slope: (_, m, y) => (y * m < 1 ? -y : 0) },
});
/** The same losses to a curator that is not told of margins. */
const opaque = [logistic, squared, hinge].map((loss) =>
  defineLoss({ ...(loss as Loss), name: `opaque-${loss.name}`, linear: null }),
);
const ball = defineClip({
  ...sizes,
  name: 'ball',
  norm: 'l2',
  isProjection: true,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => (norm <= radius ? 1 : radius / norm),
  clipInPlace({ radius }, v) {
    const norm = norm2(v);
    if (norm > radius) for (let j = 0; j < v.length; j++) v[j] *= radius / norm;
  },
});
const normalise = defineClip({
  ...sizes,
  name: 'normalise',
  norm: 'l2',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => radius / (1 + norm),
  clipInPlace({ radius }, v) {
    const norm = norm2(v);
    for (let j = 0; j < v.length; j++) v[j] *= radius / (1 + norm);
  },
});
const box = defineClip({
  ...sizes,
  name: 'box',
  norm: 'linf',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: null,
  clipInPlace({ radius }, v) {
    for (let j = 0; j < v.length; j++) v[j] = Math.max(-radius, Math.min(radius, v[j]));
  },
});
const inBall = defineMean({
  ...common,
  name: 'in-ball',
  ...boundedMean((_params, at) => clipBound(at, ball({ radius: 0.6 }))),
  privacyRestsOn: 'clip',
  mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
  biasBound: () => 0,
  varianceBound: () => 0,
});
const registry = Object.freeze([logistic, squared, hinge, ...opaque, ball, normalise, box, inBall]);

const scale = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -3, max: 2 }))
  .map(([m, e]) => (m / 1000) * 10 ** e);
interface World {
  readonly n: number;
  readonly d: number;
  readonly values: Float64Array;
  readonly labels: Float64Array;
  readonly nulls: Uint8Array;
  readonly points: readonly Float64Array[];
  readonly coordinates: Uint32Array;
}
const world = fc
  .record({
    n: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(1100)),
    d: fc.integer({ min: 1, max: 6 }),
    values: fc.array(scale, { minLength: 1, maxLength: 30 }),
    nulls: fc.array(fc.nat(5), { maxLength: 2 }),
    moves: fc.array(fc.tuple(fc.nat(5), scale), { minLength: 1, maxLength: 6 }),
    picks: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
  })
  .map(({ n, d, values, nulls, moves, picks }): World => ({
    n,
    d,
    values: Float64Array.from({ length: n * d }, (_, k) => values[(k * 7) % values.length]),
    labels: Float64Array.from({ length: n }, (_, i) => (i % 3 === 0 ? -1 : 1)),
    nulls: Uint8Array.from({ length: n }, (_, i) => Number(nulls.includes(i % 6))),
    points: moves.map((_, k) =>
      moves.slice(0, k + 1).reduce((w, [j, value]) => {
        w[j % d] = value;
        return w;
      }, new Float64Array(d)),
    ),
    coordinates: Uint32Array.from(new Set(picks.map((j) => j % d))),
  }));

const byRows = ({ n, d, values }: World): MatrixView => ({
  data: values,
  rows: n,
  columns: d,
  offset: 0,
  rowStride: d,
  columnStride: 1,
});
const byColumns = ({ n, d, values }: World): MatrixView => ({
  data: Float64Array.from(values, (_, k) => values[(k % n) * d + Math.floor(k / n)]),
  rows: n,
  columns: d,
  offset: 0,
  rowStride: 1,
  columnStride: n,
});
const sparse = ({ n, d, values }: World): CsrMatrix => ({
  rows: n,
  columns: d,
  rowStarts: Uint32Array.from({ length: n + 1 }, (_, i) => i * d),
  columnIndices: Uint32Array.from({ length: n * d }, (_, k) => k % d),
  values,
});
const attach = (
  given: World,
  loss: DataInput['loss'],
  features: DataInput['features'] = byRows(given),
): DataSet =>
  attachData({
    features,
    labels: given.labels,
    nulls: given.nulls,
    loss,
    registry,
    ledger: openLedger({ adjacency: 'zero-out' }),
  });

const shape: BoundedShape = {
  dimension: 3,
  iterateDimension: 3,
  weight: 1,
  facts: { lipschitz: { value: 0.5, scope: 'every-record', provenance: 'declared' } },
  registry,
};
const clippedBy = (clip: typeof ball, radius: number): RecordBound => clipBound(shape, clip({ radius }));
const bounds: readonly RecordBound[] = [
  ...[ball, normalise, box as unknown as typeof ball].flatMap((clip) => [
    clippedBy(clip, 0.3),
    clippedBy(clip, 20),
  ]),
  factBound(shape, 'lipschitz'),
];
const kinds = ['logistic', 'squared', 'hinge'] as const;
const lossRef = (name: string): DataInput['loss'] => ({ kind: 'loss', name, params: {} });

/** Sizes of all that is added: rounding is small against it. */
const near = (ours: Vector, expected: Vector, size: number): void =>
  expected.forEach((value, k) => expect(Math.abs(ours[k] - value)).toBeLessThanOrEqual(1e-9 * size));

describe.each(kinds)('%s restricted to coordinates', (kind) => {
  test('is what records give one by one, for every bound, batch and layout', () => {
    fc.assert(
      fc.property(
        world,
        fc.constantFrom(...bounds),
        fc.constantFrom(1, -0.5),
        fc.boolean(),
        fc.boolean(),
        (given, bound, weight, listed, twice) => {
          // At its kink the slope of the hinge is anyone's.
          const whole: Rows = { from: 0, to: given.n };
          const rows: Rows = listed
            ? Uint32Array.from({ length: Math.ceil(given.n / 2) }, (_, i) => 2 * i)
            : whole;
          const sets = [
            attach(given, lossRef(kind)),
            attach(given, lossRef(kind), byColumns(given)),
            attach(given, lossRef(kind), sparse(given)),
          ];
          const plain = attach(given, lossRef(`opaque-${kind}`));
          for (const at of given.points) {
            const second = { weight: 0.25, at: at.map((entry) => entry / 2) };
            const of: GradientTerms = {
              terms: twice ? [{ weight, at }, second] : [{ weight, at }],
              coordinates: given.coordinates,
            };
            if (kind === 'hinge' && atKink(given, [at, second.at])) continue;
            const expected = boundedSum(plain, rows, of, bound);
            const size =
              given.n *
              (1 + given.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0) ** 2) *
              (1 + norm2(at)) *
              (1 + bound.radius);
            for (const data of sets) near(boundedSum(data, rows, of, bound), expected, size);
          }
        },
      ),
      { numRuns: 120 },
    );
  });

  test('has the same bits by rows and by columns, warm and cold', () => {
    fc.assert(
      fc.property(world, fc.constantFrom(...bounds), (given, bound) => {
        const warm = [attach(given, lossRef(kind)), attach(given, lossRef(kind), byColumns(given))];
        for (const at of given.points) {
          const of = { terms: [{ weight: 1, at }], coordinates: given.coordinates };
          const cold = boundedSum(attach(given, lossRef(kind)), { from: 0, to: given.n }, of, bound);
          for (const data of warm)
            expect(boundedSum(data, { from: 0, to: given.n }, of, bound)).toEqual(cold);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('gets exactly nothing from null records', () => {
    fc.assert(
      fc.property(world, fc.constantFrom(...bounds), (given, bound) => {
        const data = attach({ ...given, nulls: new Uint8Array(given.n).fill(1) }, lossRef(kind));
        for (const at of given.points) {
          expect(
            boundedSum(
              data,
              { from: 0, to: given.n },
              { terms: [{ weight: 1, at }], coordinates: given.coordinates },
              bound,
            ).every((entry) => entry === 0),
          ).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});

function atKink({ n, d, values, labels }: World, points: readonly Float64Array[]): boolean {
  return (
    points.some((at) =>
      labels.some(
        (y, i) => Math.abs(1 - y * at.reduce((sum, entry, j) => sum + entry * values[i * d + j], 0)) < 1e-9,
      ),
    ) && n > 0
  );
}

describe('other columns are not read', () => {
  const [n, d] = [1500, 9];
  const values = Float64Array.from({ length: n * d }, (_, k) => Math.sin(k));
  const labels = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const clip = clippedBy(ball, 0.4);

  test.each(['by rows', 'by columns'])(
    'what stands in them after the data were attached changes nothing (%s)',
    (layout) => {
      const arena = createArena({ doubles: n * d + 20 * n + 10_000 });
      const data = arena.allocate(n * d);
      const view: MatrixView = {
        data,
        rows: n,
        columns: d,
        offset: 0,
        ...(layout === 'by rows' ? { rowStride: d, columnStride: 1 } : { rowStride: 1, columnStride: n }),
      };
      const place = (i: number, j: number): number => i * view.rowStride + j * view.columnStride;
      for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) data[place(i, j)] = values[i * d + j];
      const input = {
        labels,
        loss: lossRef('logistic'),
        registry,
        ledger: openLedger({ adjacency: 'zero-out' }),
      };
      const given = attachData({ ...input, features: view });
      const whole = attachData({
        ...input,
        features: { ...view, data: data.slice() },
        ledger: openLedger({ adjacency: 'zero-out' }),
      });
      for (let i = 0; i < n; i++) for (const j of [0, 1, 4, 6, 8]) data[place(i, j)] = NaN;
      const at = new Float64Array(d);
      for (const [j, asked] of [
        [2, [3]],
        [3, [5, 7]],
        [5, [2]],
        [2, [7, 3, 2]],
      ] as const) {
        at[j] = at[j] + 0.7;
        const of = { terms: [{ weight: 1, at }], coordinates: Uint32Array.from(asked) };
        const answer = boundedSum(given, { from: 0, to: n }, of, clip);
        expect(answer.every((entry) => Number.isFinite(entry) && entry !== 0)).toBe(true);
        expect(answer).toEqual(boundedSum(whole, { from: 0, to: n }, of, clip));
      }
    },
  );
});

test('a curator that has forgotten everything answers as the one that went all the way', () => {
  fc.assert(
    fc.property(world, (given) => {
      const open = () => {
        const data = attach(given, lossRef('logistic'));
        return centralCurator({
          data,
          registry,
          run: 'run',
          random: seededRandom('coins'),
          allowUnprotected: true,
        });
      };
      const warm = open();
      given.points.forEach((at, index) => {
        const query: MeanQuery = {
          ask: 'mean',
          of: { terms: [{ weight: 1, at }], coordinates: given.coordinates },
          batch: warm.allRecords,
          mean: inBall({}),
          target: { unprotected: true },
        };
        expect(open().answer(0, query).answer).toEqual(warm.answer(index, query).answer);
      });
    }),
    { numRuns: 40 },
  );
});
