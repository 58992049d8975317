import { InvalidParameter, seededRandom, type Program, type Vector } from '@lethe/core';
import { l2Ball, wholeSpace } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play } from '../../test/support/scripted-curator.js';
import { dot, ontoBall } from '../../test/support/vectors.js';
import { stochasticStepSizes } from './schedules/stochastic-step-sizes.js';
import { weightedSgd } from './weighted-sgd.js';

const exact = (answer: (point: Vector, t: number) => Vector) =>
  function* oracle(point: Vector, t: number): Program<Vector> {
    yield* [];
    return answer(point, t);
  };
const finish = (run: Program<Vector>): Vector =>
  play(run, 1, () => {
    throw new Error('asked');
  }).result;
const gaussians = (seed: number, label: string, length = 3): Float64Array =>
  seededRandom(seed).fork(label).gaussianInto(new Float64Array(length));

describe('weightedSgd', () => {
  it('is the listing: T + 1 steps, and the weighted average of what they reach', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 20 }), (seed, rounds) => {
        const { stepSizes, weights } = stochasticStepSizes({ convexity: 0.5, smoothness: 2, rounds });
        const asked: number[] = [];
        const result = finish(
          weightedSgd({
            rounds,
            stepSizes,
            weights,
            domain: l2Ball({ radius: 1, dimension: 3 }),
            start: Float64Array.of(1, 0, 0),
            oracle: exact((point, t) => {
              asked.push(t, ...point);
              return gaussians(seed, `g${t}`);
            }),
          }),
        );
        let w = [1, 0, 0];
        let sum = [0, 0, 0];
        const expected: number[] = [];
        for (let t = 0; t <= rounds; t++) {
          expected.push(t, ...w);
          w = ontoBall(
            w.map((entry, j) => entry - stepSizes[t] * gaussians(seed, `g${t}`)[j]),
            1,
          );
          sum = sum.map((entry, j) => entry + weights[t] * w[j]);
        }
        const Z = weights.reduce((a, b) => a + b, 0);
        asked.forEach((entry, i) => expect(Math.abs(entry - expected[i])).toBeLessThan(1e-12));
        result.forEach((entry, j) => expect(Math.abs(entry - sum[j] / Z)).toBeLessThan(1e-12));
      }),
      { numRuns: 50 },
    );
  });

  it('satisfies the pathwise inequality behind its bound for any errors, on a ball', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(0.05, 1, 20),
        fc.constantFrom(0.1, 0.7, 1),
        (seed, errorSize, share) => {
          // F(w) = ½ Σ a_j (w_j − c_j)², a from μ = 0.5 to β = 3; the minimiser on the ball of a radius at
          // which it binds, by bisection on its multiplier.
          const a = [0.5, 1, 3];
          const c = [...gaussians(seed, 'centre')].map((x) => 2 * x);
          const stepSize = share / 3;
          const at = (lambda: number): number[] => c.map((x, j) => (a[j] * x) / (a[j] + lambda));
          let low = 0;
          let high = 1e6;
          for (let i = 0; i < 200; i++) {
            const middle = (low + high) / 2;
            if (dot(at(middle), at(middle)) > 1) low = middle;
            else high = middle;
          }
          const best = dot(c, c) <= 1 ? c : at(high);
          const value = (w: ArrayLike<number>): number =>
            a.reduce((sum, x, j) => sum + 0.5 * x * (w[j] - c[j]) ** 2, 0);
          const start = ontoBall([...gaussians(seed, 'start')], 1);
          const error = [...gaussians(seed, 'error')].map((x) => x * errorSize);
          let before = start;
          finish(
            weightedSgd({
              rounds: 1,
              stepSizes: [stepSize, stepSize],
              weights: [1, 1],
              domain: l2Ball({ radius: 1, dimension: 3 }),
              start: Float64Array.from(start),
              oracle: exact((point, t) => {
                if (t === 1) {
                  const after = [...point];
                  const away = (w: ArrayLike<number>): number[] => best.map((x, j) => w[j] - x);
                  const right =
                    (1 - 0.5 * stepSize) * dot(away(before), away(before)) -
                    2 * stepSize * (value(after) - value(best)) -
                    2 * stepSize * dot(error, away(after));
                  expect(dot(away(after), away(after))).toBeLessThanOrEqual(right + 1e-9 * (1 + errorSize));
                }
                before = [...point];
                return Float64Array.from(point, (x, j) => a[j] * (x - c[j]) + error[j]);
              }),
            }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('refuses other numbers of steps', () => {
    expect(() =>
      finish(
        weightedSgd({
          rounds: 2,
          stepSizes: [1, 1],
          weights: [1, 1, 1],
          domain: wholeSpace(1),
          start: new Float64Array(1),
          oracle: exact(() => new Float64Array(1)),
        }),
      ),
    ).toThrow(InvalidParameter);
  });
});
