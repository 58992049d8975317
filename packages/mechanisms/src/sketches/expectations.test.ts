import { InvalidParameter, Unsupported, type Sketch } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blockSketch,
  expectedSketchedDiagonal,
  expectedSketchedMatrix,
  finiteSketch,
  fullSketch,
  independentCoordinates,
  largestEigenvalueUp,
  singleCoordinate,
  sketchConstants,
  tauNice,
} from './index.js';

const d = 5;
const range = Array.from({ length: d }, (_, i) => i);
const entries = fc.array(
  fc.integer({ min: -1000, max: 1000 }).map((k) => k / 64),
  { minLength: d * d, maxLength: d * d },
);
const symmetric = entries.map((all) =>
  Float64Array.from(
    all,
    (_entry, at) => all[Math.max(Math.floor(at / d), at % d) * d + Math.min(Math.floor(at / d), at % d)],
  ),
);
const probabilities = [0.1, 0.2, 0.3, 0.15, 0.25];
const uniform = { by: 'uniform' } as const;
const families: readonly (readonly [string, Sketch, unknown])[] = (
  [
    ['full', fullSketch, {}],
    ['single, uniform', singleCoordinate, { choice: uniform }],
    ['single', singleCoordinate, { choice: { by: 'probabilities', probabilities } }],
    [
      'blocks',
      blockSketch,
      {
        blocks: [
          [0, 3],
          [1, 4, 2],
        ],
        choice: { by: 'probabilities', probabilities: [0.3, 0.7] },
      },
    ],
    ['2-nice', tauNice, { tau: 2 }],
    ['4-nice', tauNice, { tau: 4 }],
    ['independent ones', independentCoordinates, { probabilities }],
    [
      'finite',
      finiteSketch,
      {
        sets: [
          { coordinates: [0, 1, 2], probability: 0.5 },
          { coordinates: [2, 3, 4], probability: 0.3 },
          { coordinates: [4, 0], probability: 0.2 },
        ],
      },
    ],
  ] as const
).map(([name, sketch, params]) => [name, sketch as Sketch, params]);

/** `E[C M C]` from its definition, set by set. */
function bySets(sketch: Sketch, params: unknown, matrix: Float64Array): Float64Array {
  const p = sketch.marginals(params as never, d);
  const out = new Float64Array(d * d);
  for (const { drawn, probability } of defined(sketch.enumerate(params as never, d))) {
    for (const i of drawn.coordinates)
      for (const j of drawn.coordinates)
        out[i * d + j] = out[i * d + j] + (probability * matrix[i * d + j]) / (p[i] * p[j]);
  }
  return out;
}
const close = (found: Float64Array, expected: ArrayLike<number>): void => {
  found.forEach((entry, k) => {
    expect(Math.abs(entry - expected[k])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(expected[k])));
  });
};
const diag = (matrix: Float64Array): Float64Array =>
  matrix.map((entry, at) => (Math.floor(at / d) === at % d ? entry : 0));

describe('E[C M C]', () => {
  it.each(families)('is what the sets of a sketch say: %s', (_name, sketch, params) => {
    fc.assert(
      fc.property(symmetric, (matrix) => {
        close(expectedSketchedMatrix(sketch, params as never, matrix), bySets(sketch, params, matrix));
      }),
    );
  });

  it('has the closed forms of the families', () => {
    fc.assert(
      fc.property(symmetric, fc.integer({ min: 1, max: d }), (matrix, tau) => {
        close(expectedSketchedMatrix(fullSketch, {}, matrix), matrix);
        close(
          expectedSketchedMatrix(singleCoordinate, { choice: uniform }, matrix),
          diag(matrix).map((entry) => d * entry),
        );
        close(
          expectedSketchedMatrix(
            singleCoordinate,
            { choice: { by: 'probabilities', probabilities } },
            matrix,
          ),
          diag(matrix).map((entry, at) => entry / probabilities[at % d]),
        );
        const beta = (tau - 1) / (d - 1);
        const onDiagonal = diag(matrix);
        close(
          expectedSketchedMatrix(tauNice, { tau }, matrix),
          matrix.map((entry, at) => (d / tau) * ((1 - beta) * onDiagonal[at] + beta * entry)),
        );
        close(
          expectedSketchedMatrix(independentCoordinates, { probabilities }, matrix),
          matrix.map((entry, at) => entry + onDiagonal[at] * (1 / probabilities[at % d] - 1)),
        );
        close(
          expectedSketchedMatrix(blockSketch, { blocks: 2, choice: uniform }, matrix),
          matrix.map((entry, at) => (Math.floor(at / d) < 3 === at % d < 3 ? 2 * entry : 0)),
        );
        const smoothness = [4, 1, 2, 8, 0.5];
        const trace = 15.5;
        close(
          expectedSketchedMatrix(singleCoordinate, { choice: { by: 'importance', smoothness } }, matrix),
          onDiagonal.map((entry, at) => (trace * entry) / smoothness[at % d]),
        );
      }),
    );
  });

  it('of a diagonal matrix is the diagonal over the marginals, whatever the sketch', () => {
    const diagonal = Float64Array.of(3, -1, 0, 0.25, 1e6);
    const matrix = new Float64Array(d * d);
    for (const j of range) matrix[j * d + j] = diagonal[j];
    for (const [, sketch, params] of families)
      close(
        expectedSketchedDiagonal(sketch, params as never, diagonal),
        range.map((j) => bySets(sketch, params, matrix)[j * d + j]),
      );
  });

  it('needs a symmetric matrix of the right dimension', () => {
    expect(() => expectedSketchedMatrix(fullSketch, {}, Float64Array.of(1, 2, 3, 4))).toThrow(
      InvalidParameter,
    );
    expect(() => expectedSketchedMatrix(fullSketch, {}, new Float64Array(3))).toThrow(/not square/u);
    expect(() => expectedSketchedMatrix(fullSketch, {}, Float64Array.of(Number.NaN))).toThrow(
      InvalidParameter,
    );
    expect(() => expectedSketchedMatrix(tauNice, { tau: 3 }, new Float64Array(4))).toThrow(InvalidParameter);
    expect(() => expectedSketchedDiagonal(fullSketch, {}, Float64Array.of(1, Infinity))).toThrow(
      InvalidParameter,
    );
  });
});

describe('the largest eigenvalue', () => {
  it('is at least every Rayleigh quotient, and hardly more than the largest', () => {
    fc.assert(
      fc.property(symmetric, fc.integer({ min: -150, max: 150 }), (matrix, exponent) => {
        const scaled = matrix.map((entry) => entry * 10 ** exponent);
        const bound = largestEigenvalueUp(scaled);
        const norm = Math.hypot(...scaled);
        // Powers of the matrix, shifted to be positive, turn any vector to the eigenvector.
        let v = Float64Array.of(1, 0.7, -0.4, 0.2, 0.9);
        let quotient = -Infinity;
        for (let step = 0; step < 200; step++) {
          const length = Math.hypot(...v);
          const next = v.map((_x, i) =>
            range.reduce(
              (sum, j) => sum + (scaled[i * d + j] / (norm || 1) + (i === j ? 1 : 0)) * (v[j] / length),
              0,
            ),
          );
          quotient = range.reduce(
            (sum, i) =>
              sum +
              range.reduce((inner, j) => inner + (scaled[i * d + j] * v[i] * v[j]) / length / length, 0),
            0,
          );
          expect(quotient).toBeLessThanOrEqual(bound * (1 - Math.sign(bound) * 1e-14));
          v = next;
        }
        expect(bound - quotient).toBeLessThanOrEqual(0.1 * norm);
      }),
      { numRuns: 30 },
    );
  });

  it('is known for matrices that one can solve', () => {
    expect(largestEigenvalueUp(Float64Array.of(2, 1, 1, 2))).toBeCloseTo(3, 9);
    expect(largestEigenvalueUp(new Float64Array(9).fill(1))).toBeCloseTo(3, 9);
    expect(largestEigenvalueUp(new Float64Array(4))).toBe(0);
    expect(largestEigenvalueUp(Float64Array.of(-3))).toBeCloseTo(-3, 9);
    // The second difference of 40 points: 2 − 2 cos(40π/41).
    const size = 40;
    const matrix = Float64Array.from({ length: size * size }, (_, at) => {
      const gap = Math.abs(Math.floor(at / size) - (at % size));
      if (gap === 0) return 2;
      return gap === 1 ? -1 : 0;
    });
    const exact = 2 - 2 * Math.cos((40 * Math.PI) / 41);
    const found = largestEigenvalueUp(matrix);
    expect(found).toBeGreaterThanOrEqual(exact);
    expect(found - exact).toBeLessThan(1e-8);
  });

  it('of a sketched positive matrix lies between its diagonal and its full multiple', () => {
    // M = 11ᵀ: τ-nice gives (d/τ)(1 − β + βd); independent coordinates at τ/d differ.
    const ones = new Float64Array(d * d).fill(1);
    for (const tau of [1, 2, 3, 5])
      expect(largestEigenvalueUp(expectedSketchedMatrix(tauNice, { tau }, ones))).toBeCloseTo(
        (d / tau) * (1 - (tau - 1) / (d - 1) + ((tau - 1) / (d - 1)) * d),
        8,
      );
    expect(
      largestEigenvalueUp(expectedSketchedMatrix(independentCoordinates, { probabilities: 0.4 }, ones)),
    ).toBeCloseTo(1 / 0.4 - 1 + d, 8);
  });
});

describe('constants of sketched descent', () => {
  const constants = (
    sketch: Sketch,
    params: unknown,
    smoothness: readonly number[],
    lipschitz: ((set: Uint32Array) => number) | readonly number[],
  ) =>
    sketchConstants(sketch, params as never, {
      smoothness: Float64Array.from(smoothness),
      lipschitz: typeof lipschitz === 'function' ? lipschitz : Float64Array.from(lipschitz),
    });

  it('are those of worked examples', () => {
    const table =
      (values: Readonly<Record<string, number>>) =>
      (set: Uint32Array): number =>
        values[set.join('')];
    const a = constants(
      singleCoordinate as Sketch,
      { choice: { by: 'probabilities', probabilities: [0.25, 0.75] } },
      [5, 3],
      table({ 0: 0.5, 1: 0.2 }),
    );
    expect([a.noise, a.riskNoise, a.smoothness].map((x) => x.toFixed(14))).toEqual(
      [0.06333333333333334, 0.0225, 20].map((x) => x.toFixed(14)),
    );
    const b = constants(
      tauNice as Sketch,
      { tau: 2 },
      [4, 3.5, 1.5],
      table({ '01': 0.3, '02': 0.1, 12: 0.4 }),
    );
    expect([b.noise, b.riskNoise].map((x) => x.toFixed(14))).toEqual(
      [0.10488095238095241, 0.06992063492063492].map((x) => x.toFixed(14)),
    );
    const c = constants(
      blockSketch as Sketch,
      { blocks: [[0, 2], [1]], choice: { by: 'probabilities', probabilities: [0.4, 0.6] } },
      [4, 3.5, 1.5],
      table({ '02': 0.2, 1: 0.1 }),
    );
    expect([c.noise, c.riskNoise].map((x) => x.toFixed(14))).toEqual(
      [0.03952380952380953, 0.016380952380952385].map((x) => x.toFixed(14)),
    );
    expect(constants(fullSketch as Sketch, {}, [2, 8], () => 1)).toEqual({
      smoothness: 8,
      noise: 0.625,
      riskNoise: 0.625,
    });
  });

  const squares = [1, 4, 0.25, 9, 2];
  const smoothness = [4, 1, 2, 8, 0.5];
  const inverse = smoothness.reduce((sum, m) => sum + 1 / m, 0);
  const rootOfSum = (set: Uint32Array): number => Math.sqrt(set.reduce((sum, j) => sum + squares[j], 0));

  it.each(families)(
    'are the same from sets, from squares, and from pairs where sets are not listed: %s',
    (_name, sketch, params) => {
      const listed = constants(sketch, params, smoothness, rootOfSum);
      const unlisted = { ...sketch, enumerate: () => null } as Sketch;
      for (const other of [
        constants(sketch, params, smoothness, squares),
        constants(unlisted, params, smoothness, squares),
      ]) {
        for (const name of ['smoothness', 'noise', 'riskNoise'] as const)
          expect(Math.abs(other[name] / listed[name] - 1)).toBeLessThan(1e-12);
      }
      expect(() => constants(unlisted, params, smoothness, rootOfSum)).toThrow(Unsupported);
    },
  );

  it('do not depend on the probabilities of blocks, and have a closed form for subsets', () => {
    const blocks = [
      [0, 3],
      [1, 4, 2],
    ];
    const bySum = blocks.reduce(
      (sum, block) =>
        sum + rootOfSum(Uint32Array.from(block)) ** 2 * block.reduce((all, j) => all + 1 / smoothness[j], 0),
      0,
    );
    for (const q of [0.5, 0.01, 0.9])
      expect(
        constants(
          blockSketch as Sketch,
          { blocks, choice: { by: 'probabilities', probabilities: [q, 1 - q] } },
          smoothness,
          squares,
        ).noise,
      ).toBeCloseTo(bySum, 9);
    const single = squares.reduce((sum, square, j) => sum + square / smoothness[j], 0);
    const total = squares.reduce((a, b) => a + b, 0);
    for (const tau of [1, 2, 4, 5]) {
      const beta = (tau - 1) / (d - 1);
      expect(constants(tauNice as Sketch, { tau }, smoothness, squares).noise).toBeCloseTo(
        (1 - beta) * single + beta * total * inverse,
        9,
      );
    }
    expect(
      constants(singleCoordinate as Sketch, { choice: { by: 'importance', smoothness } }, smoothness, squares)
        .smoothness,
    ).toBeCloseTo(15.5, 9);
    expect(constants(singleCoordinate as Sketch, { choice: uniform }, smoothness, squares)).toMatchObject({
      smoothness: 40,
    });
  });

  it('need constants that are numbers', () => {
    expect(() => constants(fullSketch as Sketch, {}, [1, 0], [1, 1])).toThrow(InvalidParameter);
    for (const bad of [[1], [1, -1], [1, Number.NaN]])
      expect(() => constants(fullSketch as Sketch, {}, [1, 1], bad)).toThrow(InvalidParameter);
    expect(() => constants(fullSketch as Sketch, {}, [1, 1], () => Number.NaN)).toThrow(InvalidParameter);
    expect(
      constants(independentCoordinates as Sketch, { probabilities: 0.5 }, [1, 1], (set) => {
        expect(set.length).toBeGreaterThan(0);
        return 1;
      }).noise,
    ).toBeGreaterThan(0);
  });

  it('need parameters that the sketch takes', () => {
    for (const tau of [0, 1.5, Number.NaN, Infinity]) {
      expect(() => constants(tauNice as Sketch, { tau }, [1, 1, 1], [1, 1, 1])).toThrow(InvalidParameter);
      expect(() => expectedSketchedMatrix(tauNice, { tau }, Float64Array.of(1, 0, 0, 1))).toThrow(
        InvalidParameter,
      );
      expect(() => expectedSketchedDiagonal(tauNice, { tau }, Float64Array.of(1, 2))).toThrow(
        InvalidParameter,
      );
    }
  });
});
