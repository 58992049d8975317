import { defined } from '@lethe/numerics';
import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../../test/support/arbitraries.js';
import { smoothnessFromMoments } from './smoothness-from-moments.js';
import { squaredFeatures } from './squared-features.js';

const rowsOf = (rows: readonly (readonly number[])[]) => ({
  features: Float64Array.from(rows.flat()),
  rows: rows.length,
  columns: rows[0].length,
  labels: new Float64Array(rows.length),
});
const secondMoments = (rows: readonly (readonly number[])[]): number[] =>
  rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j] ** 2, 0) / rows.length);
const exactAnswer = (squares: Float64Array, rows: number, columns: number): Float64Array =>
  Float64Array.from(
    { length: columns },
    (_, j) => -squares.reduce((sum, x, k) => sum + (k % columns === j ? x : 0), 0) / rows,
  );

describe('squaredFeatures', () => {
  it('lets second moments be read from the mean gradient of the linear loss', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(multiScale(-3, 0), multiScale(2, 5)), { minLength: 1, maxLength: 8 }),
        (rows) => {
          const { rows: squares, featureBounds, momentsFrom } = squaredFeatures(rowsOf(rows), [10, 1e6]);
          squares.features.forEach((x) => expect(Math.abs(x)).toBeLessThanOrEqual(featureBounds[0]));
          const { moments, noise, largest } = momentsFrom(
            exactAnswer(squares.features, rows.length, 2),
            0.25,
          );
          secondMoments(rows).forEach((moment, j) =>
            expect(Math.abs(moments[j] - moment)).toBeLessThanOrEqual(1e-15 * largest[j] * 8),
          );
          expect([...noise]).toEqual([25, 0.25e12]);
        },
      ),
    );
  });

  it('counts features beyond their bounds as on them', () => {
    expect([
      ...squaredFeatures(
        rowsOf([
          [-7, 1],
          [0, 0.5],
        ]),
        [2, 1],
      ).rows.features,
    ]).toEqual([0.5, 0.5, -0.5, -0.25]);
  });

  it('refuses bounds and answers that do not fit', () => {
    const rows = rowsOf([[1, 2]]);
    for (const bounds of [[1], [1, 0], [1, Infinity], [Number.NaN, 1]])
      expect(() => squaredFeatures(rows, bounds)).toThrow(InvalidParameter);
    const { momentsFrom } = squaredFeatures(rows, [1, 2]);
    expect(() => momentsFrom(Float64Array.of(1), 0)).toThrow(InvalidParameter);
    expect(() => momentsFrom(Float64Array.of(1, Number.NaN), 0)).toThrow(InvalidParameter);
    expect(() => momentsFrom(Float64Array.of(1, 1), -1)).toThrow(InvalidParameter);
  });
});

describe('smoothnessFromMoments', () => {
  const released = {
    moments: Float64Array.of(2, 3),
    noise: Float64Array.of(0.1, 0.2),
    largest: Float64Array.of(100, 100),
  };
  const values = (options: Parameters<typeof smoothnessFromMoments>[0]): number[] => [
    ...defined(smoothnessFromMoments(options)['coordinateSmoothness'].each),
  ];

  it('adds the quantile of the noise that leaves each coordinate its share', () => {
    // Φ⁻¹(0.99) = 2.3263478740408408
    const [first, second] = values({ ...released, curvature: 0.25, confidence: 0.98 });
    expect(first).toBeCloseTo(0.25 * (2 + 2.3263478740408408 * 0.1 + 100 * 2 ** -24), 10);
    expect(second).toBeCloseTo(0.25 * (3 + 2.3263478740408408 * 0.2 + 100 * 2 ** -24), 10);
    expect(
      Object.values(smoothnessFromMoments({ ...released, curvature: 1, confidence: 0.98 }))[0],
    ).toMatchObject({ provenance: 'released', scope: 'population' });
  });

  it('stays positive, and within what is known without any answer', () => {
    const [low, high] = values({
      moments: Float64Array.of(-50, 90),
      noise: Float64Array.of(1, 9),
      largest: Float64Array.of(100, 100),
      curvature: 1,
      confidence: 0.999,
    });
    expect(low).toBeGreaterThan(3);
    expect(high).toBe(100);
    expect(
      values({
        ...released,
        noise: new Float64Array(2),
        moments: Float64Array.of(0, 2),
        curvature: 1,
        confidence: 0.5,
      })[0],
    ).toBeGreaterThan(0);
  });

  it('holds as often as it says, for all coordinates at once', () => {
    const rows = Array.from({ length: 40 }, (_, i) => [Math.sin(i), 30 * Math.cos(i), (i % 7) - 3]);
    const { rows: squares, momentsFrom } = squaredFeatures(rowsOf(rows), [1, 30, 3]);
    const exact = exactAnswer(squares.features, 40, 3);
    const truth = secondMoments(rows);
    const random = seededRandom('noise');
    const runs = 2000;
    const confidence = 0.8;
    let held = 0;
    for (let run = 0; run < runs; run++) {
      const noisy = momentsFrom(
        random.gaussianInto(new Float64Array(3)).map((z, j) => exact[j] + 0.1 * z),
        0.1,
      );
      const facts = smoothnessFromMoments({
        ...noisy,
        largest: new Float64Array(3).fill(1e9),
        curvature: 1,
        confidence,
      });
      if (
        truth.every((moment, j) => defined(facts['coordinateSmoothness'].each)[j] >= moment + 2 ** -24 * 1e9)
      )
        held++;
    }
    // (1 − 0.2/3)³ = 0.813; eight standard errors are 0.07.
    expect(held / runs).toBeGreaterThan(confidence - 0.05);
    expect(held / runs).toBeLessThan(0.813 + 0.07);
  });

  it('refuses numbers outside their domains', () => {
    for (const wrong of [
      { confidence: 0 },
      { confidence: 1 },
      { curvature: 0 },
      { curvature: Infinity },
      { noise: Float64Array.of(1) },
      { noise: Float64Array.of(1, -1) },
      { largest: Float64Array.of(1, 0) },
      { moments: Float64Array.of(1, Number.NaN) },
      { moments: new Float64Array(0), noise: new Float64Array(0), largest: new Float64Array(0) },
    ]) {
      expect(() => smoothnessFromMoments({ ...released, curvature: 1, confidence: 0.9, ...wrong })).toThrow(
        InvalidParameter,
      );
    }
  });
});
