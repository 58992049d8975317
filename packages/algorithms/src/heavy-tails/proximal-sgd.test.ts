import { proximalL1 } from '@lethe/numerics';
import { seededRandom, type Program, type Vector } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play } from '../../test/support/scripted-curator.js';
import { dot } from '../../test/support/vectors.js';
import { proximalSgd } from './proximal-sgd.js';

const exact = (answer: (point: Vector, t: number) => Vector) =>
  function* oracle(point: Vector, t: number): Program<Vector> {
    yield* [];
    return answer(point, t);
  };
const finish = (run: Program<Vector>): Vector =>
  play(run, 1, () => {
    throw new Error('asked');
  }).result;
const gaussians = (seed: number, label: string): Float64Array =>
  seededRandom(seed).fork(label).gaussianInto(new Float64Array(3));
const lasso = proximalL1({ strength: 0.4 });

describe('proximalSgd', () => {
  it('is the listing', () => {
    const points: number[][] = [];
    const stepSizes = [0.5, 0.25, 1];
    const result = finish(
      proximalSgd({
        rounds: 3,
        stepSizes,
        start: Float64Array.of(2, -0.1, 0),
        proximal: (out, z, eta) => lasso.proxInto(out, z, eta),
        oracle: exact((point, t) => {
          points.push([t, ...point]);
          return gaussians(5, `g${t}`);
        }),
      }),
    );
    let w = [2, -0.1, 0];
    for (let t = 0; t < 3; t++) {
      expect(points[t]).toEqual([t, ...w]);
      w = w
        .map((entry, j) => entry - stepSizes[t] * gaussians(5, `g${t}`)[j])
        .map((z) => Math.sign(z) * Math.max(0, Math.abs(z) - 0.4 * stepSizes[t]));
    }
    result.forEach((entry, j) => expect(entry).toBeCloseTo(w[j], 14));
  });

  it.each([
    [2, 4],
    [1, 2],
  ])(
    'contracts by μ/(%iβ) up to ‖u‖²/(%iβ) on every path, for squares with a lasso',
    (contraction, error) => {
      fc.assert(
        fc.property(
          fc.integer(),
          fc.constantFrom(0.01, 1, 30),
          fc.constantFrom(0, 0.4, 3),
          (seed, size, strength) => {
            const a = [0.2, 1, 2];
            const c = gaussians(seed, 'centre');
            const penalty = strength === 0 ? null : proximalL1({ strength });
            const value = (w: ArrayLike<number>): number =>
              a.reduce((sum, x, j) => sum + 0.5 * x * (w[j] - c[j]) ** 2 + strength * Math.abs(w[j]), 0);
            const best = value(
              [...c].map((x, j) => Math.sign(x) * Math.max(0, Math.abs(x) - strength / a[j])),
            );
            const start = gaussians(seed, 'start');
            const u = [...gaussians(seed, 'u')].map((x) => x * size);
            const end = finish(
              proximalSgd({
                rounds: 1,
                stepSizes: [contraction === 2 ? 0.25 : 0.5],
                start,
                proximal: (out, z, eta) => penalty?.proxInto(out, z, eta),
                oracle: exact((point) => Float64Array.from(point, (x, j) => a[j] * (x - c[j]) + u[j])),
              }),
            );
            expect(value(end) - best).toBeLessThanOrEqual(
              (1 - 0.2 / (contraction * 2)) * (value(start) - best) +
                dot(u, u) / (error * 2) +
                1e-10 * (1 + size ** 2),
            );
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});
