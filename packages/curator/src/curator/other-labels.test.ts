import {
  boundedMean,
  classLabels,
  clipBound,
  defineClip,
  defineLinearLoss,
  defineLoss,
  defineMean,
  defineMultiOutputLoss,
  type MeanQuery,
  type Query,
  type RecordView,
  type Vector,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defined, InvalidParameter, seededRandom } from '@lethe/numerics';
import { openLedger } from '../ledger/index.js';
import { centralCurator } from './central.js';
import type { DataInput } from './data-input.js';
import { attachData } from './data-set.js';

const common = {
  summary: 'A stand-in.',
  source: { id: 'lethe', item: 'tests' },
  claims: [],
  capabilities: { convex: true, nullRecord: true },
  facts: () => ({}),
} as const;
const sized = z.strictObject({ size: z.int() });
/** Half the squared distance of outputs from a label of `size` numbers. */
const vectors = defineMultiOutputLoss({
  ...common,
  name: 'vectors',
  params: sized,
  examples: [{ size: 2 }],
  multiOutput: {
    outputs: ({ size }) => size,
    value: (_params, outputs, { labels }) =>
      outputs.reduce((sum, output, k) => sum + (output - defined(labels)[k]) ** 2 / 2, 0),
    slopesInto(_params, out, outputs, { labels }) {
      for (let k = 0; k < out.length; k++) out[k] = outputs[k] - defined(labels)[k];
    },
  },
  labels: { rule: 'numbers', accepts: Number.isFinite, width: ({ size }) => size },
});
const seen: RecordView[] = [];
const classes = defineMultiOutputLoss({
  ...common,
  name: 'classes',
  params: sized,
  examples: [{ size: 3 }],
  multiOutput: {
    outputs: ({ size }) => size,
    value: (_params, outputs, { label }) => -outputs[label],
    slopesInto(_params, out, _outputs, { label }) {
      out.fill(0);
      out[label] = -1;
    },
  },
  labels: classLabels(({ size }: { readonly size: number }) => size),
});
/** The same to a curator that is not told of outputs, and keeps what it was shown. */
const opaque = defineLoss({
  ...vectors,
  name: 'opaque',
  multiOutput: null,
  gradientInto(params, out, at, record) {
    seen.push(record);
    vectors.gradientInto(params, out, at, record);
  },
});
const counts = defineLinearLoss({
  ...common,
  name: 'counts',
  params: z.strictObject({}),
  examples: [{}],
  linear: { value: (_params, margin) => margin, slope: () => 1 },
  labels: { rule: 'whole numbers', accepts: Number.isInteger },
});
const uneven = defineLoss({
  ...counts,
  name: 'uneven',
  labels: { rule: '-10, 0 or 5', accepts: (label) => [-10, 0, 5].includes(label) },
});
const wrong = defineLoss({ ...vectors, name: 'wrong', iterateDimension: () => 0 });
const wide = defineLoss({ ...vectors, name: 'wide', labels: { ...vectors.labels, width: () => 1.5 } });
const ball = defineClip({
  ...common,
  name: 'ball',
  params: z.strictObject({ radius: z.number() }),
  norm: 'l2',
  isProjection: true,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => Math.min(1, radius / norm),
  clipInPlace({ radius }, v) {
    const by = Math.min(1, radius / Math.hypot(...v));
    for (let j = 0; j < v.length; j++) v[j] *= by;
  },
  biasBound: () => 0,
  varianceBound: () => 0,
});
const meanInBall = defineMean({
  name: 'in-ball',
  summary: '',
  source: { id: 'test', item: '' },
  claims: [],
  params: z.strictObject({}),
  ...boundedMean((_params, shape) => clipBound(shape, ball({ radius: 0.7 }))),
  privacyRestsOn: 'clip',
  mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
  biasBound: () => 0,
  varianceBound: () => 0,
});
const registry = Object.freeze([meanInBall, vectors, classes, opaque, counts, uneven, wrong, wide, ball]);
const features = (rows: number) => ({
  data: seededRandom('x').gaussianInto(new Float64Array(rows * 2)),
  rows,
  columns: 2,
  offset: 0,
  rowStride: 2,
  columnStride: 1,
});
const attach = (input: Partial<DataInput> & Pick<DataInput, 'loss'>) =>
  attachData({ features: features(3), registry, ledger: openLedger({ adjacency: 'zero-out' }), ...input });
const meanOf = (data: ReturnType<typeof attach>, at: Vector, more: Partial<MeanQuery['of']> = {}): Vector => {
  const curator = centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom(1),
    allowUnprotected: true,
  });
  return curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at }], ...more },
    batch: curator.allRecords,
    mean: meanInBall({}),
    target: { unprotected: true },
  } satisfies Query).answer as Vector;
};

describe('labels that are vectors', () => {
  const labels = Float64Array.of(1, 2, 3, 4, 5, 6);

  it('come row by row, and the point has as many entries as the loss says', () => {
    const data = attach({ loss: vectors({ size: 2 }), labels });
    expect([data.columns, data.dimension, data.labelWidth, data.slots]).toEqual([2, 4, 2, 3]);
    const at = Float64Array.of(0.1, -0.2, 0.3, 0.4);
    const x = features(3).data;
    const expected = new Float64Array(4);
    for (let i = 0; i < 3; i++) {
      const gradient = [0, 1].flatMap((k) =>
        [0, 1].map(
          (j) => (at[2 * k] * x[2 * i] + at[2 * k + 1] * x[2 * i + 1] - labels[2 * i + k]) * x[2 * i + j],
        ),
      );
      const norm = Math.hypot(...gradient);
      gradient.forEach((entry, j) => {
        expected[j] += (entry * Math.min(1, 0.7 / norm)) / 3;
      });
    }
    const opaqueData = attach({ loss: { kind: 'loss', name: 'opaque', params: { size: 2 } }, labels });
    for (const mean of [meanOf(data, at), meanOf(opaqueData, at)])
      mean.forEach((entry, j) => expect(entry).toBeCloseTo(expected[j], 14));
    expect([
      ...meanOf(attach({ loss: vectors({ size: 2 }), labels }), at, { coordinates: Uint32Array.of(3, 0) }),
    ]).toHaveLength(2);
  });

  it('are copied, when they come and when a loss is shown them', () => {
    const own = labels.slice();
    const data = attach({ loss: { kind: 'loss', name: 'opaque', params: { size: 2 } }, labels: own });
    own.fill(9);
    seen.length = 0;
    meanOf(data, new Float64Array(4));
    expect(seen.map(({ label, labels: entries }) => [label, ...defined(entries)])).toEqual([
      [1, 1, 2],
      [3, 3, 4],
      [5, 5, 6],
    ]);
    defined(seen[0].labels).fill(7);
    expect([...data.labels]).toEqual([...labels]);
  });

  it('are refused with a wrong length, a non-finite entry or too large a norm, which clipping reduces', () => {
    const loss = vectors({ size: 2 });
    expect(() => attach({ loss, labels: labels.slice(0, 3) })).toThrow(
      /3 entries for 3 rows; a label of this loss has 2 entries: give 6/u,
    );
    expect(() => attach({ loss, labels: labels.with(3, NaN) })).toThrow(/label of row 1, entry 1, is NaN/u);
    expect(() => attach({ loss, labels, domain: { labelBound: 5 } })).toThrow(
      /label of row 2 has norm 7\.8/u,
    );
    const { labels: clipped } = attach({ loss, labels, domain: { labelBound: 5 }, outside: 'clip' });
    expect([...clipped.subarray(0, 4)]).toEqual([1, 2, 3, 4]);
    expect(Math.hypot(clipped[4], clipped[5])).toBeCloseTo(5, 12);
    expect(clipped[5] / clipped[4]).toBeCloseTo(1.2, 12);
  });

  it('of a null slot are zeros, and nothing of it counts', () => {
    const nulls = Uint8Array.of(0, 1, 0);
    const at = new Float64Array(4).fill(0.1);
    const [one, other] = [labels, labels.with(2, -8).with(3, 1)].map((given) =>
      attach({ loss: vectors({ size: 2 }), labels: given, nulls }),
    );
    expect([...one.labels]).toEqual([1, 2, 0, 0, 5, 6]);
    expect(meanOf(one, at)).toEqual(meanOf(other, at));
  });
});

describe('labels that are classes', () => {
  it('are whole numbers below their count', () => {
    const loss = classes({ size: 3 });
    expect(attach({ loss, labels: Float64Array.of(0, 2, 1) }).dimension).toBe(6);
    for (const bad of [3, -1, 0.5])
      expect(() => attach({ loss, labels: Float64Array.of(0, bad, 1) })).toThrow(
        `label of row 1 is ${bad}; the loss 'classes' takes classes 0 to 2`,
      );
  });

  it('have no size that a bound could be about', () => {
    expect(() =>
      attach({
        loss: classes({ size: 3 }),
        labels: Float64Array.of(0, 2, 1),
        domain: { labelBound: 2 },
        outside: 'clip',
      }),
    ).toThrow(/classes 0 to 2, which have no size; leave it out/u);
  });
});

describe('a label moved onto its bound', () => {
  it('has to be one that the loss accepts', () => {
    const labels = Float64Array.of(1, 2, 9);
    const loss = counts({});
    expect([...attach({ loss, labels, domain: { labelBound: 4 }, outside: 'clip' }).labels]).toEqual([
      1, 2, 4,
    ]);
    expect(() => attach({ loss, labels, domain: { labelBound: 2.5 }, outside: 'clip' })).toThrow(
      /labelBound is 2\.5, and a label moved onto it is none that the loss accepts/u,
    );
  });

  it('is refused or not whatever the labels are', () => {
    const loss = counts({});
    const small = Float64Array.of(1, 2, 0);
    expect(() => attach({ loss, labels: small, domain: { labelBound: 2.5 }, outside: 'clip' })).toThrow(
      /labelBound is 2\.5/u,
    );
    expect([...attach({ loss, labels: small, domain: { labelBound: 2.5 } }).labels]).toEqual([1, 2, 0]);
    const [odd, labels] = [uneven({}), Float64Array.of(-10, 5, 0)];
    expect([...attach({ loss: odd, labels, domain: { labelBound: 5 }, outside: 'clip' }).labels]).toEqual([
      5, 5, 0,
    ]);
    expect(() => attach({ loss: odd, labels, domain: { labelBound: 4 }, outside: 'clip' })).toThrow(
      /labelBound is 4/u,
    );
  });
});

describe('a loss that breaks its contract', () => {
  it('is refused when data are attached', () => {
    const at = (name: string) => () =>
      attach({ loss: { kind: 'loss', name, params: { size: 2 } }, labels: new Float64Array(6) });
    expect(at('wrong')).toThrow(InvalidParameter);
    expect(at('wrong')).toThrow(/need 0 weights/u);
    expect(at('wide')).toThrow(/a label has 1\.5 entries/u);
  });
});
