import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { box, l1Ball, l2Ball } from '../geometry/index.js';
import { norm2 } from '../geometry/vectors.js';
import { InvalidParameter } from '../errors.js';
import { type Proximal, proximalGroup, proximalIndicator, proximalL1, proximalL2Squared } from './index.js';

const d = 5;
const number = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map((k) => k / 10),
  fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -8, max: 4 })).map(([m, e]) => m * 10 ** e),
);
const vector = fc.array(number, { minLength: d, maxLength: d }).map((a) => Float64Array.from(a));
const positive = fc.oneof(
  fc.integer({ min: 1, max: 400 }).map((k) => k / 100),
  fc.integer({ min: -6, max: 6 }).map((e) => 10 ** e),
);
const groups = fc
  .uniqueArray(fc.integer({ min: 0, max: d - 1 }), { minLength: 1 })
  .map((all) => [all.slice(0, 2), all.slice(2)].filter((group) => group.length > 0));
const functions: fc.Arbitrary<Proximal> = fc.oneof(
  fc.record({ strength: positive, centre: vector }).map(proximalL2Squared),
  fc.record({ strength: positive }).map(proximalL2Squared),
  fc.record({ strength: positive }).map(proximalL1),
  fc.record({ strength: positive, groups }).map(proximalGroup),
  positive.map((radius) => proximalIndicator(l2Ball({ dimension: d, radius }))),
  positive.map((side) =>
    proximalIndicator(box({ lower: new Float64Array(d), upper: new Float64Array(d).fill(side) })),
  ),
);
const prox = (f: Proximal, z: Float64Array, eta: number): Float64Array =>
  f.proxInto(new Float64Array(z.length), z, eta);
const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x - b[i]);
const plus = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x + b[i]);
const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

describe('every proximal map', () => {
  it('is optimal: (z − p)/eta is a subgradient at p', () => {
    fc.assert(
      fc.property(functions, vector, vector, positive, (f, z, y, eta) => {
        const p = prox(f, z, eta);
        const [at, elsewhere] = [f.value(p), f.value(y)];
        expect(at).toBeLessThan(Infinity);
        if (elsewhere === Infinity) return;
        const gap = minus(z, p);
        const size =
          eta * (Math.abs(at) + Math.abs(elsewhere)) +
          norm2(gap) * (1 + norm2(minus(y, p)) + norm2(p)) +
          norm2(z) * norm2(minus(y, p));
        expect(eta * elsewhere - (eta * at + dot(gap, minus(y, p)))).toBeGreaterThanOrEqual(-1e-12 * size);
      }),
      { numRuns: 3000 },
    );
  });

  it('does not lose to any other point in its own objective', () => {
    fc.assert(
      fc.property(
        functions,
        vector,
        vector,
        positive,
        fc.integer({ min: -12, max: 0 }),
        (f, z, direction, eta, exponent) => {
          const objective = (y: Float64Array): number => eta * f.value(y) + norm2(minus(y, z)) ** 2 / 2;
          const p = prox(f, z, eta);
          const other = plus(
            p,
            direction.map((x) => x * 10 ** exponent),
          );
          expect(objective(other) - objective(p)).toBeGreaterThanOrEqual(
            -1e-13 * objective(p) - 1e-14 * norm2(minus(z, p)) * (norm2(p) + norm2(z)),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is firmly non-expansive', () => {
    fc.assert(
      fc.property(functions, vector, vector, positive, (f, y, z, eta) => {
        const between = minus(prox(f, y, eta), prox(f, z, eta));
        expect(dot(between, between)).toBeLessThanOrEqual(
          dot(between, minus(y, z)) + 1e-13 * (1 + norm2(y) + norm2(z)) ** 2,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('works in place, leaves its input alone, refuses bad arguments', () => {
    fc.assert(
      fc.property(functions, vector, positive, (f, z, eta) => {
        const before = z.slice();
        const p = prox(f, z, eta);
        expect(z).toEqual(before);
        const alias = z.slice();
        expect(f.proxInto(alias, alias, eta)).toBe(alias);
        expect(alias).toEqual(p);
        for (const bad of [0, -1, NaN, Infinity]) expect(() => prox(f, z, bad)).toThrow(InvalidParameter);
        for (const bad of [NaN, Infinity]) {
          expect(() =>
            prox(
              f,
              z.map(() => bad),
              eta,
            ),
          ).toThrow(InvalidParameter);
          expect(() => f.value(z.map(() => bad))).toThrow(InvalidParameter);
        }
        expect(() => f.proxInto(new Float64Array(d - 1), z, eta)).toThrow(InvalidParameter);
      }),
      { numRuns: 200 },
    );
  });
});

describe('Moreau: z = prox_f(z) + prox_{f*}(z)', () => {
  it('l1 with the cube that is dual to it', () => {
    fc.assert(
      fc.property(vector, positive, positive, (z, strength, eta) => {
        const bound = eta * strength;
        const dual = box({ lower: new Float64Array(d).fill(-bound), upper: new Float64Array(d).fill(bound) });
        const sum = plus(prox(proximalL1({ strength }), z, eta), dual.projectInto(new Float64Array(d), z));
        expect(norm2(minus(sum, z))).toBeLessThanOrEqual(1e-15 * norm2(z));
      }),
    );
  });

  it('one group with the ball', () => {
    fc.assert(
      fc.property(vector, positive, positive, (z, strength, eta) => {
        const shrunk = prox(proximalGroup({ strength, groups: [[0, 1, 2, 3, 4]] }), z, eta);
        const sum = plus(
          shrunk,
          l2Ball({ dimension: d, radius: eta * strength }).projectInto(new Float64Array(d), z),
        );
        expect(norm2(minus(sum, z))).toBeLessThanOrEqual(4e-15 * norm2(z));
      }),
    );
  });

  it('the l1 ball with the largest magnitude', () => {
    fc.assert(
      fc.property(vector, positive, (z, radius) => {
        const residual = minus(z, l1Ball({ dimension: d, radius }).projectInto(new Float64Array(d), z));
        // prox of radius·‖·‖∞: every coordinate is cut at one level, and the cuts add up to the radius.
        const level = Math.max(...residual.map(Math.abs));
        for (const [index, x] of residual.entries())
          expect(Math.abs(x - Math.sign(z[index]) * Math.min(level, Math.abs(z[index])))).toBeLessThanOrEqual(
            1e-13 * (radius + Math.abs(z[index])),
          );
        if (level > 0)
          expect(
            Math.abs(z.reduce((sum, x, i) => sum + Math.abs(x - residual[i]), 0) - radius),
          ).toBeLessThanOrEqual(1e-12 * (radius + norm2(z)));
      }),
    );
  });
});

describe('closed forms and ends of the range', () => {
  it('are as written', () => {
    expect(
      prox(proximalL2Squared({ strength: 3, centre: Float64Array.of(1) }), Float64Array.of(5), 1),
    ).toEqual(Float64Array.of(2));
    expect(prox(proximalL1({ strength: 2 }), Float64Array.of(5, -5, 0.5), 0.5)).toEqual(
      Float64Array.of(4, -4, 0),
    );
    expect(
      prox(proximalGroup({ strength: 2, groups: [[0, 2], [3]] }), Float64Array.of(3, 7, 4, 1), 1),
    ).toEqual(Float64Array.of(3 * 0.6, 7, 4 * 0.6, 0));
    expect([
      proximalL2Squared({ strength: 2 }).value(Float64Array.of(3, 4)),
      proximalL1({ strength: 2 }).value(Float64Array.of(3, -4)),
      proximalGroup({ strength: 2, groups: [[0, 1]] }).value(Float64Array.of(3, 4, 9)),
    ]).toEqual([25, 14, 10]);
    const indicator = proximalIndicator(l2Ball({ dimension: 1, radius: 1 }));
    expect([indicator.value(Float64Array.of(1)), indicator.value(Float64Array.of(1.1))]).toEqual([
      0,
      Infinity,
    ]);
  });

  it('never give NaN', () => {
    const big = Float64Array.of(1.7e308, -1.7e308, 5e-324);
    for (const strength of [5e-324, 1, 1.7e308]) {
      for (const f of [
        proximalL2Squared({ strength }),
        proximalL2Squared({ strength, centre: big }),
        proximalL1({ strength }),
        proximalGroup({ strength, groups: [[0, 1, 2]] }),
      ]) {
        for (const z of [big, big.map((x) => -x), new Float64Array(3)]) {
          for (const eta of [5e-324, 1, 1.7e308]) expect(prox(f, z, eta).every(Number.isFinite)).toBe(true);
          expect(Number.isNaN(f.value(z))).toBe(false);
        }
      }
    }
    expect(
      prox(proximalGroup({ strength: 1, groups: [[0, 1]] }), Float64Array.of(1.7e308, 1.7e308), 1),
    ).toEqual(Float64Array.of(1.7e308, 1.7e308));
    expect(
      prox(proximalL2Squared({ strength: 1e200, centre: Float64Array.of(3) }), Float64Array.of(5), 1e200),
    ).toEqual(Float64Array.of(3));
  });

  it('refuse bad parameters', () => {
    for (const make of [
      () => proximalL1({ strength: 0 }),
      () => proximalL1({ strength: NaN }),
      () => proximalL2Squared({ strength: -1 }),
      () => proximalL2Squared({ strength: 1, centre: Float64Array.of(NaN) }),
      () => proximalGroup({ strength: 1, groups: [[]] }),
      () => proximalGroup({ strength: 1, groups: [[0], [0]] }),
      () => proximalGroup({ strength: 1, groups: [[-1]] }),
      () => proximalGroup({ strength: 1, groups: [[0.5]] }),
      () => prox(proximalGroup({ strength: 1, groups: [[7]] }), new Float64Array(3), 1),
      () => proximalGroup({ strength: 1, groups: [[7]] }).value(new Float64Array(3)),
    ])
      expect(make).toThrow(InvalidParameter);
  });
});
