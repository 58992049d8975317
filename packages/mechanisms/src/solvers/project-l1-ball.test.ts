import { InvalidParameter, type Vector } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectors } from '../../test/support/arbitraries.js';
import { l1Gap, projectL1Ball } from './project-l1-ball.js';

const norm1 = (x: Vector): number => x.reduce((sum, y) => sum + Math.abs(y), 0);
const largest = (x: Vector): number => x.reduce((size, y) => Math.max(size, Math.abs(y)), 0);
const soft = (x: Vector, by: number): Vector => x.map((y) => Math.sign(y) * Math.max(0, Math.abs(y) - by));

/** The threshold by bisection: nothing in common with sorting. */
function thresholdOf(x: Vector, radius: number): number {
  let [low, high] = [0, largest(x)];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (norm1(soft(x, middle)) > radius) low = middle;
    else high = middle;
  }
  return high;
}

describe('projectL1Ball', () => {
  it('thresholds softly, with a certificate at rounding level', () => {
    fc.assert(
      fc.property(vectors(-3, 3), positive(-4, 4), (point, radius) => {
        const before = point.slice();
        const { point: projected, gap } = projectL1Ball(point, radius);
        expect(point).toEqual(before);
        expect(gap).toBeGreaterThanOrEqual(0);
        expect(gap).toBeLessThanOrEqual(1e-13 * radius * largest(point));
        if (norm1(point) <= radius) {
          expect(projected).toEqual(point);
          expect(gap).toBe(0);
          return;
        }
        expect(norm1(projected) / radius).toBeCloseTo(1, 12);
        const expected = soft(point, thresholdOf(point, radius));
        projected.forEach((x, j) =>
          expect(Math.abs(x - expected[j])).toBeLessThanOrEqual(1e-12 * largest(point)),
        );
      }),
    );
  });

  it('certifies candidates that are not nearest by how far they are off', () => {
    fc.assert(
      fc.property(
        vectors(-2, 2),
        positive(-2, 2),
        fc.integer({ min: 1, max: 30 }),
        (point, radius, steps) => {
          // Frank and Wolfe's own method, stopped early.
          const candidate = new Float64Array(point.length);
          for (let t = 0; t < steps; t++) {
            const gradient = candidate.map((x, j) => x - point[j]);
            const at = gradient.reduce(
              (best, g, j) => (Math.abs(g) > Math.abs(gradient[best]) ? j : best),
              0,
            );
            const step = 2 / (t + 2);
            for (let j = 0; j < candidate.length; j++)
              candidate[j] =
                (1 - step) * candidate[j] + (j === at ? -step * radius * Math.sign(gradient[j]) : 0);
          }
          const { point: nearest } = projectL1Ball(point, radius);
          const gap = l1Gap(candidate, point, radius);
          const square = (a: Vector, b: Vector): number => a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0);
          const slack = 1e-10 * (radius + largest(point)) ** 2;
          expect(square(candidate, nearest)).toBeLessThanOrEqual(gap + slack);
          expect((square(candidate, point) - square(nearest, point)) / 2).toBeLessThanOrEqual(gap + slack);
          // The definition: the largest value over the vertices of the ball.
          const inner = (u: Vector): number =>
            candidate.reduce((sum, x, j) => sum + (x - point[j]) * (x - u[j]), 0);
          const vertices = point.length * 2;
          const best = Math.max(
            ...Array.from({ length: vertices }, (_, v) =>
              inner(
                Float64Array.from(point, (_x, j) => {
                  if (j === v >> 1) return v % 2 === 0 ? radius : -radius;
                  return 0;
                }),
              ),
            ),
          );
          expect(Math.abs(gap - best)).toBeLessThanOrEqual(slack);
        },
      ),
    );
  });

  it('refuses what is no point and no ball', () => {
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => projectL1Ball(Float64Array.of(1), radius)).toThrow(InvalidParameter);
      }),
    );
    for (const bad of [Number.NaN, Infinity])
      expect(() => projectL1Ball(Float64Array.of(1, bad), 1)).toThrow(InvalidParameter);
    expect(() => projectL1Ball(new Float64Array(0), 1)).toThrow(InvalidParameter);
  });

  it('has a gap for points of one space alone', () => {
    const point = Float64Array.of(3, 2, 1);
    for (const length of [0, 2, 4])
      expect(() => l1Gap(new Float64Array(length), point, 1)).toThrow(InvalidParameter);
    for (const bad of [Number.NaN, Infinity]) {
      expect(() => l1Gap(Float64Array.of(bad, 0, 0), point, 1)).toThrow(InvalidParameter);
      expect(() => l1Gap(new Float64Array(3), Float64Array.of(bad, 0, 0), 1)).toThrow(InvalidParameter);
    }
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => l1Gap(new Float64Array(3), point, radius)).toThrow(InvalidParameter);
      }),
    );
  });
});
