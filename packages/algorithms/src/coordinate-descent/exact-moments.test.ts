import { InvalidParameter, Unsupported } from '@lethe/core';
import { blockSketch, fullSketch, singleCoordinate, tauNice } from '@lethe/mechanisms';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundBound, sharpRoundBound } from './bounds.js';
import { exactQuadraticMoments } from './exact-moments.js';
import { separableRisk } from './separable-risk.js';

const close = (got: number, want: number): void =>
  expect(Math.abs(got - want)).toBeLessThan(1e-13 * Math.max(1, Math.abs(want)));
const A3 = [3, 1, 0, 1, 2, -0.5, 0, -0.5, 1];
const M3 = [4, 3.5, 1.5];
const riskAt = (A: readonly number[], e: readonly number[]): number =>
  e.reduce((sum, x, i) => sum + e.reduce((inner, y, j) => inner + (x * y * A[i * e.length + j]) / 2, 0), 0);

describe('exactQuadraticMoments', () => {
  it('has golden value A: single coordinates', () => {
    const run = exactQuadraticMoments({
      hessian: [4, 1, 1, 2],
      smoothness: [5, 3],
      sketch: singleCoordinate,
      params: { choice: { by: 'probabilities', probabilities: [0.25, 0.75] } },
      noiseScale: ([j]) => (j === 0 ? 0.5 : 0.2),
      start: [1, -2],
      innerSteps: 3,
      rounds: 1,
    });
    [4, 2.3883333333333336, 1.5823611111111113, 1.1258363425925926].forEach((want, k) =>
      close(run.rounds[0].risks[k], want),
    );
    close(run.rounds[0].average, 1.5308070473251028);
    close(run.stepNoise, 0.06333333333333334);
    close(run.riskNoise, 0.0225);
    close(roundBound({ distance: 6, gap: 4, innerSteps: 3, stepNoise: run.stepNoise }), 7.3966666666666665);
    close(
      sharpRoundBound({ distance: 6, innerSteps: 3, stepNoise: run.stepNoise, riskNoise: run.riskNoise }),
      6.042916666666667,
    );
  });

  it('does not let rounding grow over hundreds of steps', () => {
    const v = [0, -1, 0, 1];
    const hessian = v.flatMap((x, i) => v.map((y, j) => x * y + (i === j ? 1 : 0)));
    const { rounds } = exactQuadraticMoments({
      hessian,
      smoothness: [3, 3.1, 3.3, 3.7],
      sketch: fullSketch,
      params: {},
      noiseScale: () => 2,
      start: [1, 0, -1, 2],
      innerSteps: 200,
      rounds: 5,
    });
    for (const { risks } of rounds) expect(Math.max(...risks)).toBeLessThan(20);
  });

  it('has golden value B: pairs', () => {
    const scales: Readonly<Record<string, number>> = { '0,1': 0.3, '0,2': 0.1, '1,2': 0.4 };
    const run = exactQuadraticMoments({
      hessian: A3,
      smoothness: M3,
      sketch: tauNice,
      params: { tau: 2 },
      noiseScale: (set) => scales[set.join()],
      start: [1, 1, -1],
      innerSteps: 4,
      rounds: 1,
    });
    [4.5, 1.022520313681028, 0.37744023440557456, 0.19283857436017726, 0.12102552326590142].forEach(
      (want, k) => close(run.rounds[0].risks[k], want),
    );
    close(run.rounds[0].average, 0.27501080597108657);
    close(run.stepNoise, 0.10488095238095241);
    close(run.riskNoise, 0.06992063492063492);
  });

  it('has golden value C: blocks, and a restart from the average', () => {
    const run = exactQuadraticMoments({
      hessian: A3,
      smoothness: M3,
      sketch: blockSketch,
      params: { blocks: [[0, 2], [1]], choice: { by: 'probabilities', probabilities: [0.4, 0.6] } },
      noiseScale: ({ length }) => (length === 2 ? 0.2 : 0.1),
      start: [2, -1, 0.5],
      innerSteps: 2,
      rounds: 2,
    });
    [5.375, 3.632614512471655, 2.4575662352620564].forEach((want, k) => close(run.rounds[0].risks[k], want));
    close(run.rounds[0].average, 2.872728768620071);
    [2.872728768620071, 1.964598101515166, 1.3452531373029983].forEach((want, k) =>
      close(run.rounds[1].risks[k], want),
    );
    close(run.rounds[1].average, 1.5645874929330141);
    close(run.stepNoise, 0.03952380952380953);
    close(run.riskNoise, 0.016380952380952385);
  });

  it('has golden value D: everything at once', () => {
    const run = exactQuadraticMoments({
      hessian: [2, 0, 0, 8],
      smoothness: [2, 8],
      sketch: fullSketch,
      params: {},
      noiseScale: () => 1,
      start: [3, -1],
      innerSteps: 4,
      rounds: 2,
    });
    [13, 0.3125, 0.3125, 0.3125, 0.3125].forEach((want, k) => close(run.rounds[0].risks[k], want));
    for (const { average } of run.rounds) close(average, 0.078125);
    close(run.stepNoise, 0.625);
    close(run.riskNoise, 0.625);
  });

  it('without noise is the mean over all sequences of sets', () => {
    const start = [1, 1, -1];
    const sets = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const step = (e: readonly number[], set: readonly number[]): number[] =>
      e.map((x, j) =>
        set.includes(j) ? x - e.reduce((sum, y, i) => sum + A3[j * 3 + i] * y, 0) / M3[j] : x,
      );
    let risk = 0;
    for (const first of sets)
      for (const second of sets) {
        const e1 = step(start, first);
        const e2 = step(e1, second);
        risk +=
          riskAt(
            A3,
            e1.map((x, j) => (x + e2[j]) / 2),
          ) / 9;
      }
    const run = exactQuadraticMoments({
      hessian: A3,
      smoothness: M3,
      sketch: tauNice,
      params: { tau: 2 },
      noiseScale: () => 0,
      start,
      innerSteps: 2,
      rounds: 1,
    });
    close(run.rounds[0].average, risk);
  });

  it('refuses what does not fit', () => {
    const good = {
      hessian: [2, 0, 0, 8],
      smoothness: [2, 8],
      sketch: singleCoordinate,
      params: { choice: { by: 'uniform' as const } },
      noiseScale: () => 1,
      start: [3, -1],
      innerSteps: 4,
      rounds: 2,
    };
    for (const bad of [
      { hessian: [1, 2, 3, 4] },
      { hessian: [1] },
      { hessian: [Number.NaN, 0, 0, 1] },
      { smoothness: [0, 1] },
      { start: [1] },
      { innerSteps: 0 },
      { rounds: 0.5 },
      { noiseScale: () => Number.NaN },
    ]) {
      expect(() => exactQuadraticMoments({ ...good, ...bad })).toThrow(InvalidParameter);
    }
    const d = 40;
    const identity = Float64Array.from({ length: d * d }, (_, at) => (at % (d + 1) === 0 ? 1 : 0));
    const ones = new Float64Array(d).fill(1);
    expect(() =>
      exactQuadraticMoments({
        hessian: identity,
        smoothness: ones,
        start: ones,
        sketch: tauNice,
        params: { tau: 20 },
        noiseScale: () => 1,
        innerSteps: 1,
        rounds: 1,
      }),
    ).toThrow(Unsupported);
  });
});

describe('separableRisk', () => {
  it('is the general recursion on diagonal Hessians', () => {
    const unit = fc.integer({ min: 1, max: 20 }).map((k) => k / 10);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            h: fc.integer({ min: 0, max: 10 }).map((k) => k / 10),
            M: unit,
            s: unit,
            r: unit,
            q: unit,
          }),
          { minLength: 1, maxLength: 5 },
        ),
        fc.integer({ min: 1, max: 30 }),
        (coordinates, innerSteps) => {
          const total = coordinates.reduce((sum, { q }) => sum + q, 0);
          const probabilities = coordinates.map(({ q }) => q / total);
          const d = coordinates.length;
          fc.pre(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-13);
          const smoothness = coordinates.map(({ M }) => M);
          const curvature = coordinates.map(({ h, M }) => h * M);
          const noiseScale = coordinates.map(({ s }) => s);
          const offsets = coordinates.map(({ r }) => r);
          const hessian = Float64Array.from({ length: d * d }, (_, at) =>
            at % (d + 1) === 0 ? curvature[at % d] : 0,
          );
          const run = exactQuadraticMoments({
            hessian,
            smoothness,
            sketch: singleCoordinate,
            params: { choice: { by: 'probabilities', probabilities } },
            noiseScale: ([j]) => noiseScale[j],
            start: offsets,
            innerSteps,
            rounds: 1,
          });
          const risk = separableRisk({
            curvature,
            smoothness,
            marginals: probabilities,
            noiseScale,
            offsets,
            innerSteps,
          });
          expect(Math.abs(risk - run.rounds[0].average)).toBeLessThan(1e-9 * Math.max(1, risk));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['X-FULL, full sampling', 4, Float64Array.of(1, 400, 400, 400), 1, [1, 1, 1, 1], 100, 0.01236],
    ['X-IMP-REV, uniform', 4, Float64Array.of(1, 400, 400, 400), 0.25, [1, 20, 20, 20], 100, 0.05333],
  ])('%s: the tabulated worst risk', (_name, d, smoothness, p, lipschitz, innerSteps, worst) => {
    const offsets = Array.from({ length: d }, (_, j) => (j === 0 ? 1 : 1e-3 / d));
    const risks = [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4, 1e-5].map((h) =>
      separableRisk({
        curvature: smoothness.map((M) => h * M),
        smoothness,
        marginals: new Float64Array(d).fill(p),
        noiseScale: lipschitz.map((L) => L * Math.sqrt(12 * innerSteps * 1e-4)),
        offsets,
        innerSteps,
      }),
    );
    expect(Math.max(...risks) / worst).toBeCloseTo(1, 3);
  });

  it('refuses what does not fit', () => {
    const good = {
      curvature: [1, 2],
      smoothness: [2, 2],
      marginals: [0.5, 0.5],
      noiseScale: [1, 1],
      offsets: [1, 1],
      innerSteps: 3,
    };
    for (const bad of [
      { curvature: [-1, 1] },
      { smoothness: [0, 1] },
      { marginals: [1] },
      { noiseScale: [Number.NaN, 1] },
      { offsets: [-1, 1] },
      { innerSteps: 0 },
    ])
      expect(() => separableRisk({ ...good, ...bad })).toThrow(InvalidParameter);
  });
});
