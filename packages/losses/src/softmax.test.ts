import { coordinateFact } from '@lethe/core';
import { boundedMean, clipBound, defineMean, seededRandom, type Query } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { defined, l2Ball, proximalL2Squared, wholeSpace } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../test/support/arbitraries.js';
import { averageRisk } from './average-risk.js';
import { syntheticData } from './data/generators.js';
import { empiricalGradientMoment } from './empirical-moment.js';
import { logistic } from './logistic.js';
import { nonPrivateOptimum } from './optimum/non-private-optimum.js';
import { softmax } from './softmax.js';

const number = multiScale(-3, 2);
const of = (classes: number) => ({ plugin: softmax, params: { classes } }) as never;

describe('softmax', () => {
  it('is the logistic loss of the difference of the rows, for two classes', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 6, maxLength: 6 }), fc.constantFrom(0, 1), (v, label) => {
        const w = Float64Array.from(v.slice(0, 4));
        const features = Float64Array.from(v.slice(4));
        const difference = Float64Array.of(w[2] - w[0], w[3] - w[1]);
        const signed = { features, label: 2 * label - 1 };
        const ours = softmax.value({ classes: 2 }, w, { features, label });
        const theirs = logistic.value({}, difference, signed);
        expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(
          1e-9 * (1 + Math.abs(theirs)) + 1e-9 * Math.hypot(...v) ** 2,
        );
      }),
    );
  });

  it('has log K as its loss and known gradients at the origin', () => {
    const record = { features: Float64Array.of(2, -1), label: 1 };
    const gradient = new Float64Array(6);
    expect(softmax.value({ classes: 3 }, new Float64Array(6), record)).toBeCloseTo(Math.log(3), 14);
    softmax.gradientInto({ classes: 3 }, gradient, new Float64Array(6), record);
    [2 / 3, -1 / 3, -4 / 3, 2 / 3, 2 / 3, -1 / 3].forEach((entry, j) =>
      expect(gradient[j]).toBeCloseTo(entry, 14),
    );
    // Probabilities ½, ⅓ and ⅙ at the logarithms of 3, 2 and 1.
    const w = Float64Array.of(Math.log(3), 0, Math.log(2), 0, 0, 0);
    const one = { features: Float64Array.of(1, 0), label: 2 };
    expect(softmax.value({ classes: 3 }, w, one)).toBeCloseTo(Math.log(6), 14);
    softmax.gradientInto({ classes: 3 }, gradient, w, one);
    [1 / 2, 0, 1 / 3, 0, -5 / 6, 0].forEach((entry, j) => expect(gradient[j]).toBeCloseTo(entry, 14));
  });

  it('attains its constants where margins are large: two certain classes, and two equal ones', () => {
    const facts = softmax.facts(
      { classes: 3 },
      { columns: 2, featureNorm: 2, featureBounds: [1, 2], iterateNorm: 40 },
    );
    const features = Float64Array.of(0, 2);
    const gradient = new Float64Array(6);
    softmax.gradientInto({ classes: 3 }, gradient, Float64Array.of(0, 40, 0, 0, 0, -40), {
      features,
      label: 2,
    });
    expect(facts['lipschitz'].value / Math.hypot(...gradient)).toBeCloseTo(1, 9);
    const step = 1e-4;
    const ahead = new Float64Array(6);
    const behind = new Float64Array(6);
    const direction = [0, Math.SQRT1_2, 0, -Math.SQRT1_2, 0, 0];
    for (const [out, sign] of [
      [ahead, 1],
      [behind, -1],
    ] as const)
      softmax.gradientInto(
        { classes: 3 },
        out,
        Float64Array.from(direction, (entry, j) => sign * step * entry - (j === 5 ? 40 : 0)),
        { features, label: 0 },
      );
    expect(
      facts['smoothness'].value / (Math.hypot(...ahead.map((entry, j) => entry - behind[j])) / (2 * step)),
    ).toBeCloseTo(1, 6);
    expect(defined(coordinateFact(facts, 'coordinateLipschitz', 5)).value).toBeCloseTo(2, 12);
    expect(defined(coordinateFact(facts, 'coordinateSmoothness', 0)).value).toBeCloseTo(0.25, 12);
    expect(Object.keys(facts)).toHaveLength(5);
    expect(facts['range'].value).toBeGreaterThanOrEqual(
      softmax.value({ classes: 3 }, Float64Array.of(0, 40 / Math.SQRT2, 0, 0, 0, -40 / Math.SQRT2), {
        features,
        label: 2,
      }),
    );
    expect(softmax.facts({ classes: 3 }, { columns: 2 })).toEqual({});
  });

  it('declares a block for each class, and takes classes alone', () => {
    expect(softmax.iterateDimension({ classes: 4 }, 7)).toBe(28);
    expect(defined(softmax.blocks)({ classes: 4 }, 7)).toEqual([7, 7, 7, 7]);
    expect([0, 3, 4, -1, 1.5, NaN].map((label) => softmax.labels.accepts(label, { classes: 4 }))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(() => softmax({ classes: 1 })).toThrow(/classes/u);
  });

  it('is clipped without per-record gradients, at radii that clip all, some and no records', () => {
    const columns = 3;
    const rows = 40;
    const classes = 3;
    const features = seededRandom('x').gaussianInto(new Float64Array(rows * columns));
    const labels = Float64Array.from({ length: rows }, (_, i) => i % classes);
    const clip = { kind: 'clip', name: 'ball', params: {} } as const;
    const w = seededRandom('w').gaussianInto(new Float64Array(classes * columns));
    for (const radius of [1e-3, 1, 100]) {
      const ball = {
        kind: 'clip',
        name: 'ball',
        summary: '',
        source: { id: 'test', item: '' },
        claims: [],
        params: softmax.params.partial(),
        norm: 'l2',
        isProjection: true,
        radius: () => radius,
        factor: null,
        clipInPlace: () => {
          throw new Error('not asked');
        },
        biasBound: () => 0,
        varianceBound: () => 0,
      } as never;
      const asked = Object.freeze({
        ...(ball as object),
        factor: (_params: unknown, norm: number) => Math.min(1, radius / norm),
      }) as never;
      const inBall = defineMean({
        name: 'in-ball',
        summary: '',
        source: { id: 'test', item: '' },
        claims: [],
        params: softmax.params.partial(),
        ...boundedMean((_params, shape) => clipBound(shape, clip)),
        privacyRestsOn: 'clip',
        mechanism: () => ({ kind: 'mechanism', name: 'none', params: {} }),
        biasBound: () => 0,
        varianceBound: () => 0,
      });
      const registry = [softmax, asked, inBall];
      const data = attachData({
        features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
        labels,
        loss: softmax({ classes }),
        registry,
        ledger: openLedger({ adjacency: 'zero-out' }),
      });
      const curator = centralCurator({
        data,
        registry,
        run: 'run',
        random: seededRandom(1),
        allowUnprotected: true,
      });
      const mean = curator.answer(0, {
        ask: 'mean',
        of: { terms: [{ weight: 1, at: w }] },
        batch: curator.allRecords,
        mean: inBall({}),
        target: { unprotected: true },
      } satisfies Query).answer as Float64Array;
      const expected = new Float64Array(w.length);
      const gradient = new Float64Array(w.length);
      for (let i = 0; i < rows; i++) {
        softmax.gradientInto({ classes }, gradient, w, {
          features: features.subarray(i * columns, (i + 1) * columns),
          label: labels[i],
        });
        const by = Math.min(1, radius / Math.hypot(...gradient)) / rows;
        gradient.forEach((entry, j) => {
          expected[j] += by * entry;
        });
      }
      mean.forEach((entry, j) =>
        expect(Math.abs(entry - expected[j])).toBeLessThanOrEqual(1e-13 * Math.min(radius, 10)),
      );
    }
  });
});

describe('softmax on generated classes', () => {
  const data = syntheticData(
    {
      rows: 3000,
      columns: 3,
      features: { law: 'gaussian', scale: 1 },
      response: { kind: 'softmax', classes: 3 },
      weightNorm: 3,
    },
    seededRandom('classes'),
  );

  it('have the probabilities of softmax', () => {
    expect(data.weights).toHaveLength(9);
    // The gradient of the risk at the true weights has mean 0 and
    // entries of variance at most ¼: six standard errors.
    const { plugin, params } = of(3) as { plugin: typeof softmax; params: { classes: number } };
    const sum = new Float64Array(9);
    const one = new Float64Array(9);
    for (let i = 0; i < data.rows; i++) {
      plugin.gradientInto(params, one, data.weights, {
        features: data.features.data.subarray(3 * i, 3 * i + 3),
        label: data.labels[i],
      });
      one.forEach((entry, j) => {
        sum[j] += entry / data.rows;
      });
    }
    for (const entry of sum) expect(Math.abs(entry)).toBeLessThan((6 * 0.5) / Math.sqrt(data.rows));
    expect([0, 1, 2].every((label) => data.labels.includes(label))).toBe(true);
  });

  it('have an optimum with a certified gap, that no point nearby beats, over a ball and with a ridge', () => {
    for (const [domain, options] of [
      [l2Ball({ dimension: 9, radius: 2 }), {}],
      [wholeSpace(9), { regulariser: proximalL2Squared({ strength: new Float64Array(9).fill(0.1) }) }],
    ] as const) {
      const { point, risk, gap, certified } = nonPrivateOptimum(of(3), data, domain, options);
      expect(certified).toBe('gap');
      expect(gap).toBeLessThan(1e-8);
      const added = (w: Float64Array): number =>
        'regulariser' in options ? options.regulariser.value(w) : 0;
      const random = seededRandom('near');
      expect(risk).toBeCloseTo(averageRisk(of(3), data, point) + added(point), 12);
      for (let i = 0; i < 30; i++) {
        const other = domain.projectInto(
          new Float64Array(9),
          random.gaussianInto(new Float64Array(9)).map((z, j) => point[j] + 10 ** -(i % 6) * z),
        );
        expect(averageRisk(of(3), data, other) + added(other)).toBeGreaterThanOrEqual(risk - gap - 1e-12);
      }
    }
  });

  it('have moments of gradients', () => {
    const small = {
      ...data,
      rows: 50,
      features: data.features.data.slice(0, 150),
      labels: data.labels.slice(0, 50),
    };
    const { pointwise, uniform } = empiricalGradientMoment(of(3), small, {
      order: 2,
      over: { points: [new Float64Array(9)] },
    });
    // At 0 every gradient has length √(2/3)·‖x‖.
    const mean =
      Array.from(
        { length: 50 },
        (_, i) => Math.hypot(...small.features.subarray(3 * i, 3 * i + 3)) ** 2,
      ).reduce((a, b) => a + b) / 50;
    expect(pointwise).toBeCloseTo(Math.sqrt((2 / 3) * mean), 12);
    expect(uniform).toBeCloseTo(defined(pointwise), 12);
    expect(empiricalGradientMoment(of(3), small, { order: 2, over: { radius: 1 } }).uniform).toBeCloseTo(
      Math.sqrt(2 * mean),
      6,
    );
  });
});
