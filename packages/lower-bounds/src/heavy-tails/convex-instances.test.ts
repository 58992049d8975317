import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bernoulliBias, nonPrivateInstance, privateInstance } from './convex-instances.js';
import { lengthOfHeavyTail } from './records.js';

const norm = (v: ArrayLike<number>): number =>
  Math.sqrt(Array.from(v).reduce((sum, entry) => sum + entry * entry, 0));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, entry, j) => sum + entry * b[j], 0);
const row = ({ features, columns }: { features: Float64Array; columns: number }, i: number): Float64Array =>
  features.subarray(i * columns, (i + 1) * columns);

const shape = fc.record({
  n: fc.integer({ min: 2, max: 60 }),
  dimension: fc.integer({ min: 1, max: 60 }),
  radius: fc.constantFrom(0.1, 1, 7),
  moment: fc.constantFrom(0.3, 1, 50),
  seed: fc.integer(),
});

describe('nonPrivateInstance', () => {
  it('has gradients of length exactly the moment: every moment is attained', () => {
    fc.assert(
      fc.property(shape, ({ seed, ...given }) => {
        const instance = nonPrivateInstance(given, seededRandom(seed));
        for (let i = 0; i < given.n; i++) expect(norm(row(instance, i)) / given.moment).toBeCloseTo(1, 10);
      }),
    );
  });

  it('has mean of length moment/(2√n) along its optimum, so the origin costs D·moment/(2√n)', () => {
    fc.assert(
      fc.property(shape, ({ seed, ...given }) => {
        const { optimum, excessRisk } = nonPrivateInstance(given, seededRandom(seed));
        const signal = (given.radius * given.moment) / (2 * Math.sqrt(given.n));
        expect(norm(optimum) / given.radius).toBeCloseTo(1, 10);
        expect(excessRisk(new Float64Array(given.dimension)) / signal).toBeCloseTo(1, 10);
        expect(excessRisk(optimum.map((entry) => -entry)) / (2 * signal)).toBeCloseTo(1, 10);
      }),
    );
  });

  it('draws signs with the stated mean', () => {
    // 200 000 signs, aligned with ν: mean 1/(2√2), standard error at
    // most 0.0022; the margin is 6.5 of them (false alarm below 1e-10).
    const instance = nonPrivateInstance({ n: 2, dimension: 100_000, radius: 1, moment: 1 }, seededRandom(3));
    let aligned = 0;
    for (let i = 0; i < 2; i++)
      row(instance, i).forEach((x, j) => {
        aligned += (Math.sign(x) * Math.sign(instance.optimum[j])) / 200_000;
      });
    expect(Math.abs(aligned - bernoulliBias(2))).toBeLessThan(6.5 / Math.sqrt(200_000));
  });
});

describe('privateInstance', () => {
  it('draws null and rare records, with the exact moment of order k', () => {
    fc.assert(
      fc.property(
        shape,
        fc.constantFrom(2, 2.5, 4, 9),
        fc.constantFrom(1, 0.5, 0.02),
        ({ seed, ...given }, order, probability) => {
          const spike = lengthOfHeavyTail({ ...given, order, probability });
          const instance = privateInstance({ ...given, length: spike, probability }, seededRandom(seed));
          expect((probability * spike ** order) / given.moment ** order).toBeCloseTo(1, 9);
          for (let i = 0; i < given.n; i++) {
            const length = norm(row(instance, i));
            if (length > 0) expect(length / spike).toBeCloseTo(1, 10);
          }
        },
      ),
    );
  });

  it('has mean p^(1−1/k)·moment along its optimum', () => {
    fc.assert(
      fc.property(
        shape,
        fc.constantFrom(2, 4),
        fc.constantFrom(1, 0.3, 0.01),
        ({ seed, ...given }, order, probability) => {
          const { excessRisk, optimum } = privateInstance(
            { ...given, length: lengthOfHeavyTail({ ...given, order, probability }), probability },
            seededRandom(seed),
          );
          const signal = given.radius * given.moment * probability ** (1 - 1 / order);
          expect(excessRisk(new Float64Array(given.dimension)) / signal).toBeCloseTo(1, 10);
          expect(norm(optimum) / given.radius).toBeCloseTo(1, 10);
        },
      ),
    );
  });

  it('draws a rare record with the given probability', () => {
    // 20 000 coins of 0.1: standard deviation 42.4; the margin is 6.6 of them.
    const instance = privateInstance(
      { n: 20_000, dimension: 1, radius: 1, length: 1, probability: 0.1 },
      seededRandom(5),
    );
    expect(Math.abs(instance.features.filter((x) => x !== 0).length - 2000)).toBeLessThan(280);
  });
});

describe('both instances', () => {
  it('separate iterates: 1 − ⟨w, w_ν⟩ ≥ ½‖w − w_ν‖², equal on the sphere', () => {
    fc.assert(
      fc.property(shape, ({ seed, ...given }) => {
        const { excessRisk, optimum } = nonPrivateInstance({ ...given, radius: 1 }, seededRandom(seed));
        const signal = given.moment / (2 * Math.sqrt(given.n));
        const direction = seededRandom(seed).fork('w').gaussianInto(new Float64Array(given.dimension));
        for (const length of [0.3, 1]) {
          const w = direction.map((entry) => (entry * length) / norm(direction));
          const distance = norm(w.map((entry, j) => entry - optimum[j]));
          const gap = excessRisk(w) / signal - distance ** 2 / 2;
          if (length === 1) expect(Math.abs(gap)).toBeLessThan(1e-9);
          else expect(gap).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('are linear in radius and moment, with the same records up to scale', () => {
    fc.assert(
      fc.property(shape, ({ seed, ...given }) => {
        const one = nonPrivateInstance({ ...given, radius: 1, moment: 1 }, seededRandom(seed));
        const scaled = nonPrivateInstance(given, seededRandom(seed));
        const w = one.optimum.map((_, j) => Math.sin(j + 1) / given.dimension);
        const scaledRisk = scaled.excessRisk(w.map((entry) => entry * given.radius));
        expect(scaledRisk / (given.radius * given.moment * one.excessRisk(w))).toBeCloseTo(1, 9);
        scaled.features.forEach((x, k) => expect(x / (one.features[k] * given.moment)).toBeCloseTo(1, 10));
      }),
    );
  });

  it('have the optimum in the direction of the mean of many records', () => {
    const instance = privateInstance(
      { n: 4000, dimension: 5, radius: 1, length: 1, probability: 0.5 },
      seededRandom(9),
    );
    const mean = Float64Array.from({ length: 5 }, (_, j) =>
      Array.from({ length: 4000 }, (_unused, i) => row(instance, i)[j] / 4000).reduce((a, b) => a + b, 0),
    );
    expect(dot(mean, instance.optimum) / norm(mean)).toBeGreaterThan(0.999);
  });
});
