import fc from 'fast-check';
import { InvalidParameter, seededRandom, type Program, type Vector } from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { play } from '../../test/support/scripted-curator.js';
import { dot, norm, ontoBall } from '../../test/support/vectors.js';
import { acSa, acSaExcessRisk, acSaPathwiseBound, momentumAt, productAt, proximityAt } from './ac-sa.js';

/** An oracle that answers at once. */
const exact = (answer: (point: Vector, t: number) => Vector) =>
  function* oracle(point: Vector, t: number): Program<Vector> {
    yield* [];
    return answer(point, t);
  };
const finish = (run: Program<Vector>): Vector =>
  play(run, 1, () => {
    throw new Error('asked');
  }).result;
const gaussians = (seed: number, label: string, length: number): Float64Array =>
  seededRandom(seed).fork(label).gaussianInto(new Float64Array(length));

/**
 * A random convex quadratic `½(w−c)ᵀA(w−c)` in three dimensions, with the largest eigenvalue bounded by its
 * trace.
 */
function quadratic(seed: number) {
  const root = gaussians(seed, 'matrix', 9);
  const centre = gaussians(seed, 'centre', 3);
  const gradient = (w: ArrayLike<number>): number[] => {
    const moved = [0, 1, 2].map((i) =>
      dot(
        root.subarray(3 * i, 3 * i + 3),
        centre.map((c, j) => w[j] - c),
      ),
    );
    return [0, 1, 2].map((j) => moved.reduce((sum, m, i) => sum + m * root[3 * i + j], 0));
  };
  const value = (w: ArrayLike<number>): number =>
    0.5 *
    dot(
      gradient(w),
      centre.map((c, j) => w[j] - c),
    );
  return { value, gradient, smoothness: dot(root, root) };
}

describe('the weights of AC-SA', () => {
  it('satisfy the identities the analysis rests on, for every round', () => {
    let product = 1;
    let sum = 0;
    for (let t = 1; t <= 1000; t++) {
      if (t > 1) product *= 1 - momentumAt(t);
      sum += momentumAt(t) / productAt(t);
      expect(productAt(t) / product).toBeCloseTo(1, 10);
      expect(sum * productAt(t)).toBeCloseTo(1, 10);
      expect(proximityAt(3, t) / (2 * 3 * productAt(t))).toBeCloseTo(1, 14);
      expect(proximityAt(3, t) / productAt(t)).toBeCloseTo(proximityAt(3, 1) / productAt(1), 12);
      expect(proximityAt(1, t)).toBeGreaterThan(momentumAt(t) ** 2);
    }
    expect(momentumAt(1)).toBe(1);
  });

  it('keep the sum of error weights below 4(T+2)/(3η) for η ≥ 2β', () => {
    for (const ratio of [2, 3, 10]) {
      for (let T = 1, sum = 0; T <= 400; T++) {
        sum += (2 * momentumAt(T) ** 2) / (productAt(T) * (proximityAt(ratio, T) - momentumAt(T) ** 2));
        expect(productAt(T) * sum).toBeLessThanOrEqual((4 * (T + 2)) / (3 * ratio));
      }
    }
  });
});

describe('acSa', () => {
  it('is the listing, round by round', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(0.3, 1, 7),
        (seed, rounds, eta) => {
          const start = ontoBall([...gaussians(seed, 'start', 3)], 1);
          const seen: number[][] = [];
          const result = finish(
            acSa({
              rounds,
              eta,
              domain: l2Ball({ radius: 1, dimension: 3 }),
              start: Float64Array.from(start),
              oracle: exact((point, t) => {
                seen.push([...point]);
                return gaussians(seed, `g${t}`, 3);
              }),
            }),
          );
          let w = start;
          let ag = start;
          for (let t = 1; t <= rounds; t++) {
            const alpha = 2 / (t + 1);
            const etaT = (4 * eta) / (t * (t + 1));
            ag.forEach((entry, j) =>
              expect(Math.abs(seen[t - 1][j] - ((1 - alpha) * entry + alpha * w[j]))).toBeLessThan(1e-12),
            );
            const g = gaussians(seed, `g${t}`, 3);
            w = ontoBall(
              w.map((entry, j) => entry - (alpha / etaT) * g[j]),
              1,
            );
            ag = ag.map((entry, j) => alpha * w[j] + (1 - alpha) * entry);
          }
          ag.forEach((entry, j) => expect(Math.abs(result[j] - entry)).toBeLessThan(1e-12));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('steps to the minimiser of the linear model plus the proximity term', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.1, 1, 10), (seed, eta) => {
        const g = gaussians(seed, 'g', 3);
        const start = Float64Array.from(ontoBall([...gaussians(seed, 'start', 3)], 1));
        const objective = (v: ArrayLike<number>): number =>
          dot(g, v) +
          (proximityAt(eta, 1) / 2) *
            dot(
              start.map((s, j) => s - v[j]),
              start.map((s, j) => s - v[j]),
            );
        const stepped = finish(
          acSa({
            rounds: 1,
            eta,
            domain: l2Ball({ radius: 1, dimension: 3 }),
            start,
            oracle: exact(() => g),
          }),
        );
        for (let i = 0; i < 20; i++) {
          const near = gaussians(seed, `other${i}`, 3).map((z, j) => stepped[j] + 10 ** (-i % 5) * z);
          expect(objective(stepped)).toBeLessThanOrEqual(objective(ontoBall([...near], 1)) + 1e-12);
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([1, 0.5])('satisfies the pathwise inequality behind its bound, error terms times %f', (factor) => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom(2, 2.5, 20),
        fc.constantFrom(0.01, 1, 30),
        (seed, rounds, ratio, errorSize) => {
          const F = quadratic(seed);
          const eta = ratio * F.smoothness;
          const start = Float64Array.from(ontoBall([...gaussians(seed, 'start', 3)], 1));
          const iterates: number[][] = [[...start]];
          const errors: number[][] = [];
          const domain = l2Ball({ radius: 1, dimension: 3 });
          let w: number[] = [...start];
          const result = finish(
            acSa({
              rounds,
              eta,
              domain,
              start,
              oracle: exact((point, t) => {
                const error = [...gaussians(seed, `e${t}`, 3)].map((z) => z * errorSize);
                errors.push(error);
                const g = F.gradient(point).map((entry, j) => entry + error[j]);
                w = ontoBall(
                  w.map((entry, j) => entry - (t / (2 * eta)) * g[j]),
                  1,
                );
                iterates.push(w);
                return Float64Array.from(g);
              }),
            }),
          );
          for (let i = 0; i < 5; i++) {
            const other = ontoBall([...gaussians(seed, `w${i}`, 3)], 1);
            const bound = acSaPathwiseBound({
              rounds,
              eta,
              smoothness: F.smoothness,
              factor,
              startDistance: norm(start.map((s, j) => s - other[j])),
              errors: errors.map((e, index) => ({
                inner: dot(
                  e,
                  other.map((o, j) => o - iterates[index][j]),
                ),
                norm: norm(e),
              })),
            });
            const scale = 1 + F.smoothness + errorSize * norm(errors.flat());
            expect(F.value(result) - F.value(other)).toBeLessThanOrEqual(bound + 1e-10 * scale);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('refuses a pathwise bound for errors that are missing, or too small a scale', () => {
    const path = {
      rounds: 2,
      eta: 1,
      smoothness: 1,
      startDistance: 1,
      errors: [
        { inner: 0, norm: 0 },
        { inner: 0, norm: 1 },
      ],
    };
    expect(acSaPathwiseBound(path)).toBeGreaterThan(0);
    expect(() => acSaPathwiseBound({ ...path, rounds: 3 })).toThrow(InvalidParameter);
    expect(() => acSaPathwiseBound({ ...path, eta: 0.9 })).toThrow(InvalidParameter);
  });
});

describe('acSaExcessRisk', () => {
  /** `F(w) = β/2 (w − ½)² + aw` on [−1, 1], by its excess risk. */
  const risky = (beta: number, a: number) => {
    const value = (w: number): number => (beta / 2) * (w - 0.5) ** 2 + a * w;
    const least = beta === 0 ? -Math.abs(a) : value(Math.max(-1, Math.min(1, 0.5 - a / beta)));
    return {
      gradient: (w: number): number => beta * (w - 0.5) + a,
      excess: (w: number): number => value(w) - least,
    };
  };
  const runOf = (
    F: ReturnType<typeof risky>,
    rounds: number,
    eta: number,
    error: (t: number) => number,
  ): number =>
    F.excess(
      finish(
        acSa({
          rounds,
          eta,
          domain: l2Ball({ radius: 1, dimension: 1 }),
          start: Float64Array.of(-1),
          oracle: exact((point, t) => Float64Array.of(F.gradient(point[0]) + error(t))),
        }),
      )[0],
    );

  it('bounds the exact expectation when the noise is a fair bit: all 2^T runs are enumerated', () => {
    for (const beta of [0, 0.5, 5])
      for (const a of [-1, -0.02])
        for (const bias of [0, 0.3])
          for (const size of [0.1, 2])
            for (const T of [1, 3, 8]) {
              const error = Math.hypot(size, bias);
              const eta = Math.max(2 * beta, (T ** 1.5 * error) / 2);
              const F = risky(beta, a);
              let expected = 0;
              for (let outcome = 0; outcome < 2 ** T; outcome++)
                expected +=
                  runOf(F, T, eta, (t) => bias + (((outcome >> (t - 1)) & 1) === 1 ? size : -size)) / 2 ** T;
              expect(expected).toBeLessThanOrEqual(
                acSaExcessRisk({ rounds: T, eta, error, bias, diameter: 2 }),
              );
            }
  });

  it('needs its bias term: a constant bias against a linear risk costs nearly all of BD', () => {
    const bias = 0.3;
    const T = 2000;
    const eta = (T ** 1.5 * bias) / 2;
    const measured = runOf(risky(0, -0.299), T, eta, () => bias);
    expect(measured).toBeLessThanOrEqual(acSaExcessRisk({ rounds: T, eta, error: bias, bias, diameter: 2 }));
    expect(measured).toBeGreaterThan(acSaExcessRisk({ rounds: T, eta, error: bias, bias: 0, diameter: 2 }));
  });
});
