import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decayBeyond } from './decay.js';
import { fourierSums } from '../fourier/sums.js';
import { spectraOf } from './spectrum.js';
import { tailOf } from './tail.js';
import { massBeyond, reachOf } from '../fourier/reach.js';
import { tilted, type TiltedDistribution } from './tilted-distribution.js';

/** Laws with smooth, rough and isolated parts. */
const distribution: fc.Arbitrary<TiltedDistribution> = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 100 })), {
      minLength: 1,
      maxLength: 60,
    }),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 0, max: 12 }),
  )
  .map(([points, count, bump]) => {
    let node = -points.length;
    const nodes = points.map(([gap], i) => {
      node += bump > 0 && i < 20 ? 1 : gap;
      return node;
    });
    const masses = points.map(
      ([, mass], i) => (i < 20 && bump > 0 ? 100 * bump + mass : mass) / 1000 + (i === 0 ? 1e-3 : 0),
    );
    return defined(
      tilted(Float64Array.from(masses), Float64Array.from(nodes), { base: 0.1, step: 0.05 }, 1.5, count),
    );
  });
const phi = ({ nodes, weights }: TiltedDistribution, theta: number): readonly [number, number] => [
  weights.reduce((sum, w, i) => sum + w * Math.cos(theta * nodes[i]), 0),
  weights.reduce((sum, w, i) => sum + w * Math.sin(theta * nodes[i]), 0),
];
/** The product by convolution; index 0 is the node `first`. */
function convolved(distributions: readonly TiltedDistribution[]): {
  readonly first: number;
  readonly masses: Float64Array;
} {
  let first = 0;
  let masses = Float64Array.of(1);
  for (const { nodes, weights, count } of distributions) {
    for (let turn = 0; turn < count; turn += 1) {
      const next = new Float64Array(masses.length + nodes[nodes.length - 1] - nodes[0]);
      masses.forEach((mass, i) =>
        nodes.forEach((node, k) => {
          next[i + node - nodes[0]] += mass * weights[k];
        }),
      );
      masses = next;
      first += nodes[0];
    }
  }
  return { first, masses };
}

describe('tilted', () => {
  it('weighs by e^(tilt · loss), and says by how much', () => {
    const { weights, nodes, origin, logMoment, mean } = defined(
      tilted(Float64Array.of(0.5, 0, 0.25), Float64Array.of(10, 11, 14), { base: 1, step: 0.5 }, 2, 3),
    );
    const moment = 0.5 * Math.exp(12) + 0.25 * Math.exp(16);
    expect(logMoment).toBeCloseTo(Math.log(moment), 12);
    expect(weights[2]).toBeCloseTo((0.25 * Math.exp(16)) / moment, 12);
    expect(origin + 0.5 * nodes[0]).toBe(6);
    expect(mean).toBeCloseTo(weights[0] * nodes[0] + weights[2] * nodes[2], 12);
    expect(tilted(new Float64Array(2), Float64Array.of(0, 1), { base: 0, step: 1 }, 1, 1)).toBe(undefined);
  });
});

describe('the characteristic function', () => {
  it('is its sum, within its error', () => {
    fc.assert(
      fc.property(distribution, fc.integer({ min: 20, max: 5000 }), (one, period) => {
        const { re, im, error } = fourierSums(one, period, 30);
        for (let j = 0; j < 30; j += 1) {
          const [a, b] = phi(one, (2 * Math.PI * j) / period);
          expect(Math.hypot(re[j] - a, im[j] - b)).toBeLessThanOrEqual(error + 1e-12);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is below the bound for all larger angles', () => {
    fc.assert(
      fc.property(
        fc.array(distribution, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 10, maxLength: 10 }),
        (distributions, from, others) => {
          const theta = (Math.PI * from) / 1000;
          const bound = decayBeyond(distributions)(theta);
          expect(bound).toBeLessThanOrEqual(0);
          for (const k of others) {
            const angle = theta + ((Math.PI - theta) * k) / 1000;
            const log = distributions.reduce(
              (sum, one) => sum + one.count * Math.log(Math.hypot(...phi(one, angle))),
              0,
            );
            expect(log).toBeLessThanOrEqual(bound + 1e-9);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('vanishes for a smooth distribution', () => {
    const bell = Float64Array.from({ length: 201 }, (_, i) => Math.exp(-(((i - 100) / 20) ** 2) / 2));
    const one = defined(
      tilted(
        bell,
        bell.map((_, i) => i - 100),
        { base: 0, step: 0.01 },
        0.5,
        400,
      ),
    );
    expect(decayBeyond([one])(0.1)).toBeLessThan(-60);
    expect(decayBeyond([one])(1e-5)).toBeGreaterThan(-0.01);
  });
});

describe('the tail of a product', () => {
  it('is that of the convolution, within its error, on a circle however small that holds it', () => {
    fc.assert(
      fc.property(
        fc.array(distribution, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 99 }),
        fc.boolean(),
        (distributions, tilt, at, both) => {
          const { first, masses } = convolved(distributions);
          const step = 0.05;
          const spectrum = defined(
            defined(
              spectraOf(
                both ? [distributions, distributions] : [distributions],
                2 * Math.ceil(masses.length / 2) + 2,
              ),
            ).at(-1),
          );
          const x = first - 1 + ((masses.length + 2) * at) / 100;
          const { logScale, value, error } = tailOf(spectrum, first, step, tilt / 10)(x);
          let truth = 0;
          masses.forEach((mass, i) => {
            const over = (first + i - x) * step;
            if (over > 0) truth += mass * Math.exp((-tilt / 10) * over) * -Math.expm1(-over);
          });
          expect(error).toBeLessThan(1e-6);
          expect(Math.abs(Math.exp(logScale) * value - truth)).toBeLessThanOrEqual(
            Math.exp(logScale) * error + 1e-13,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has no more mass far away than Chernoff grants', () => {
    fc.assert(
      fc.property(
        fc.array(distribution, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 1, max: 100 }),
        (distributions, part) => {
          const { first, masses } = convolved(distributions);
          const mean = distributions.reduce((sum, one) => sum + one.count * one.mean, 0);
          for (const sign of [1, -1] as const) {
            const { theta, distance } = reachOf(distributions, 0.05, sign, 26);
            const far = (distance * part) / 100;
            const beyond = masses.reduce(
              (sum, mass, i) => (sign * (first + i - mean) > far ? sum + mass : sum),
              0,
            );
            expect(massBeyond(distributions, 0.05, theta, far)).toBeGreaterThanOrEqual(beyond);
            expect(massBeyond(distributions, 0.05, theta, distance)).toBeLessThan(1e-11);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
