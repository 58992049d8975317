import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { box, type Domain, intersectBall, l1Ball, l2Ball, simplex, wholeSpace } from './index.js';
import { norm2 } from './vectors.js';

/** Numbers of very different sizes, zero and ties included, relative to 1. */
const number = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -30, max: 30 }).map((k) => k / 10) },
  { weight: 3, arbitrary: fc.integer({ min: -1_000_000, max: 1_000_000 }).map((k) => k / 250_000) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -12, max: 6 }))
      .map(([m, e]) => m * 10 ** e),
  },
);
const positive = fc.integer({ min: 1, max: 4000 }).map((k) => k / 1000);
const vector = (d: number): fc.Arbitrary<Float64Array> =>
  fc.array(number, { minLength: d, maxLength: d }).map((a) => Float64Array.from(a));
const centreOf = (d: number): fc.Arbitrary<Float64Array> =>
  fc.oneof(
    fc.constant(new Float64Array(d)),
    fc
      .array(
        fc.integer({ min: -20, max: 20 }).map((k) => k / 8),
        { minLength: d, maxLength: d },
      )
      .map((a) => Float64Array.from(a)),
  );
const times = (v: Float64Array, s: number): Float64Array => v.map((x) => x * s);
const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x - b[i]);
const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
const project = (domain: Domain, point: Float64Array): Float64Array =>
  domain.projectInto(new Float64Array(point.length), point);

/** A domain of size about 1 around points of size at most 3, times a scale. */
function simple(d: number, scale: number): fc.Arbitrary<Domain> {
  const radius = positive.map((r) => r * scale);
  const centre = centreOf(d).map((c) => times(c, scale));
  return fc.oneof(
    fc.constant(wholeSpace(d)),
    fc.record({ radius, centre }).map(l2Ball),
    fc.record({ radius, centre }).map(l1Ball),
    fc
      .record({
        centre,
        sides: fc.array(
          fc.integer({ min: 0, max: 3000 }).map((k) => k / 1000),
          { minLength: d, maxLength: d },
        ),
      })
      .map(({ centre: lower, sides }) => box({ lower, upper: lower.map((x, i) => x + sides[i] * scale) })),
    radius.map((total) => simplex({ dimension: d, total })),
  );
}

/** A ball that reaches at least `depth` of its radius beyond the domain's point nearest to its centre. */
function cut(domain: Domain, scale: number): fc.Arbitrary<Domain> {
  return fc
    .tuple(centreOf(domain.dimension), positive, fc.integer({ min: 2, max: 40 }))
    .map(([c, r, depth]) => {
      const centre = times(c, scale);
      const distance = norm2(minus(project(domain, centre), centre));
      return intersectBall(domain, { centre, radius: Math.max(r * scale, distance * (1 + depth / 20)) });
    });
}

interface Case {
  readonly domain: Domain;
  readonly scale: number;
  readonly points: readonly Float64Array[];
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.constantFrom(1, 1, 1e150, 1e-150, 1e8))
  .chain(([d, scale]) =>
    fc.record({
      domain: fc.oneof(
        simple(d, scale),
        simple(d, scale).chain((domain) => cut(domain, scale)),
        simple(d, scale)
          .chain((domain) => cut(domain, scale))
          .chain((domain) => cut(domain, scale)),
      ),
      scale: fc.constant(scale),
      points: fc
        .tuple(vector(d), vector(d), vector(d))
        .map((points) => points.map((point) => times(point, scale))),
    }),
  );

describe('every domain', () => {
  it('projects into itself, and what lies in it stays, bit for bit', () => {
    fc.assert(
      fc.property(cases, ({ domain, points: [y] }) => {
        const before = y.slice();
        const p = project(domain, y);
        expect(y).toEqual(before);
        expect(domain.contains(p)).toBe(true);
        expect(project(domain, p)).toEqual(p);
        expect(domain.contains(domain.centre)).toBe(true);
        if (domain.contains(y)) expect(p).toEqual(y);
        const alias = y.slice();
        expect(domain.projectInto(alias, alias)).toBe(alias);
        expect(alias).toEqual(p);
      }),
      { numRuns: 1500 },
    );
  });

  it('finds the nearest point: <p − x, p − y> ≤ 0 for x in the set', () => {
    fc.assert(
      fc.property(cases, ({ domain, scale, points: [y, ...others] }) => {
        const p = project(domain, y);
        for (const x of [domain.centre, ...others.map((other) => project(domain, other))]) {
          const inner = dot(times(minus(p, x), 1 / scale), times(minus(p, y), 1 / scale));
          expect(inner).toBeLessThanOrEqual(
            1e-10 * (1 + norm2(minus(p, y)) / scale) * (1 + norm2(minus(p, x)) / scale),
          );
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('does not expand distances', () => {
    fc.assert(
      fc.property(cases, ({ domain, scale, points: [y, z] }) => {
        const between = norm2(minus(project(domain, y), project(domain, z)));
        expect(between).toBeLessThanOrEqual(
          norm2(minus(y, z)) + 1e-10 * scale * (1 + norm2(domain.centre) / scale),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('has no two points farther apart than its diameter', () => {
    fc.assert(
      fc.property(cases, ({ domain, scale, points: [y, z] }) => {
        const [a, b] = [y, z].map((point) => project(domain, times(point, 100)));
        expect(norm2(minus(a, b))).toBeLessThanOrEqual(domain.diameter * (1 + 1e-14) + 1e-14 * scale);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses bad points and leaves the output alone', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(NaN, Infinity, -Infinity), ({ domain }, bad) => {
        const out = new Float64Array(domain.dimension).fill(7);
        const point = new Float64Array(domain.dimension).fill(bad);
        expect(() => domain.projectInto(out, point)).toThrow(InvalidParameter);
        expect(domain.contains(point)).toBe(false);
        expect(domain.contains(point, Infinity)).toBe(false);
        expect(() => domain.projectInto(out, new Float64Array(domain.dimension + 1))).toThrow(
          InvalidParameter,
        );
        expect(() => domain.projectInto(new Float64Array(domain.dimension + 1), domain.centre)).toThrow(
          InvalidParameter,
        );
        expect(() => domain.contains(new Float64Array(domain.dimension + 1))).toThrow(InvalidParameter);
        expect(out.every((x) => x === 7)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('has no point outside a ball whose squared radius overflows', () => {
    for (const domain of [l2Ball({ dimension: 1, radius: 1e200 }), l1Ball({ dimension: 1, radius: 1e200 })]) {
      expect(domain.contains(Float64Array.of(1e200))).toBe(true);
      for (const far of [1.01e200, Infinity, Number.NaN])
        expect(domain.contains(Float64Array.of(far))).toBe(false);
    }
  });

  it('handles the ends of the range', () => {
    const max = Number.MAX_VALUE;
    for (const radius of [5e-324, 1e-300, 1, 1e300, max]) {
      for (const domain of [
        l2Ball({ dimension: 3, radius }),
        l1Ball({ dimension: 3, radius }),
        simplex({ dimension: 3, total: radius }),
        l2Ball({ centre: Float64Array.of(-max, 0, 1), radius }),
        l1Ball({ centre: Float64Array.of(-max, 0, 1), radius }),
        box({ lower: Float64Array.of(-max, -radius, 0), upper: Float64Array.of(max, radius, 5e-324) }),
        intersectBall(box({ lower: new Float64Array(3), upper: new Float64Array(3).fill(radius) }), {
          centre: new Float64Array(3),
          radius: radius / 2 || radius,
        }),
      ]) {
        for (const y of [
          Float64Array.of(max, max, max),
          Float64Array.of(-max, max, 5e-324),
          Float64Array.of(5e-324, 0, -5e-324),
          Float64Array.of(1e-310, 1, 1e305),
        ]) {
          const p = project(domain, y);
          expect(domain.contains(p)).toBe(true);
          expect(project(domain, p)).toEqual(p);
        }
      }
    }
  });
});

describe('closed forms', () => {
  it('ball: the point on the ray, and nothing inside moves', () => {
    expect(project(l2Ball({ dimension: 2, radius: 1 }), Float64Array.of(3e150, 4e150))[1]).toBeCloseTo(
      0.8,
      14,
    );
    expect(
      project(l2Ball({ dimension: 2, radius: 1e150 }), Float64Array.of(3e160, 4e160))[0] / 1e150,
    ).toBeCloseTo(0.6, 14);
    expect(
      project(l2Ball({ dimension: 2, radius: 1e-150 }), Float64Array.of(3e-140, 4e-140))[0] / 1e-150,
    ).toBeCloseTo(0.6, 14);
    expect(
      project(l2Ball({ dimension: 2, radius: 1e-300 }), Float64Array.of(3e300, 4e300))[0] / 1e-300,
    ).toBeCloseTo(0.6, 14);
    expect(project(l2Ball({ dimension: 2, radius: 5 }), Float64Array.of(3, 4))).toEqual(
      Float64Array.of(3, 4),
    );
    expect(project(l2Ball({ centre: Float64Array.of(1, 1), radius: 1 }), Float64Array.of(3, 1))).toEqual(
      Float64Array.of(2, 1),
    );
  });

  it('ball: stays within a few units in the last place in high dimension', () => {
    const y = new Float64Array(20_000).map((_, index) => Math.sin(index) * 10 ** (index % 7));
    const p = project(l2Ball({ dimension: y.length, radius: 3 }), y);
    expect(norm2(p)).toBeLessThanOrEqual(3);
    expect(norm2(p)).toBeGreaterThan(3 * (1 - 1e-15));
  });

  it('l1 ball and simplex: the threshold agrees with bisection', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }).chain(vector), positive, (y, total) => {
        const amounts = (theta: number): Float64Array => y.map((x) => Math.max(0, x - theta));
        const sum = (v: Float64Array): number => v.reduce((a, b) => a + b, 0);
        let [low, high] = [Math.min(...y) - total, Math.max(...y)];
        for (let k = 0; k < 200; k++)
          [low, high] =
            sum(amounts((low + high) / 2)) > total ? [(low + high) / 2, high] : [low, (low + high) / 2];
        const slack = 1e-9 * (1 + Math.max(...y.map(Math.abs)) * 1e-6);
        const p = project(simplex({ dimension: y.length, total }), y);
        for (const [index, x] of amounts(low).entries())
          expect(Math.abs(p[index] - x)).toBeLessThanOrEqual(slack);
        const nonNegative = y.map(Math.abs);
        if (sum(nonNegative) > total) {
          const onSimplex = project(simplex({ dimension: y.length, total }), nonNegative);
          const onBall = project(l1Ball({ dimension: y.length, radius: total }), y);
          for (const [index, x] of onSimplex.entries())
            expect(Math.abs(onBall[index] - Math.sign(y[index]) * x)).toBeLessThanOrEqual(1e-14 * total);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('simplex: huge values do not cancel', () => {
    const p = project(simplex({ dimension: 4, total: 1 }), Float64Array.of(2 ** 53, 2 ** 53, -1e300, 0));
    expect(p).toEqual(Float64Array.of(0.5, 0.5, 0, 0));
  });

  it('two balls: y − p is a non-negative combination of the two normals', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 6 })
          .chain((d) =>
            fc.tuple(vector(d), centreOf(d), positive, positive, fc.integer({ min: 1, max: 19 })),
          ),
        ([y, c, r1, r2, position]) => {
          const first = l2Ball({ dimension: y.length, radius: r1 });
          const direction =
            norm2(c) === 0 ? c.map((_, index) => (index === 0 ? 1 : 0)) : times(c, 1 / norm2(c));
          const distance = Math.abs(r1 - r2) + (position / 20) * (r1 + r2 - Math.abs(r1 - r2));
          const centre = times(direction, distance);
          const domain = intersectBall(first, { centre, radius: r2 });
          const p = project(domain, y);
          const [n1, n2, gap] = [p, minus(p, centre), minus(y, p)];
          const [active1, active2] = [norm2(n1) > r1 - 1e-9 * (r1 + r2), norm2(n2) > r2 - 1e-9 * (r1 + r2)];
          const normals = [...(active1 ? [n1] : []), ...(active2 ? [n2] : [])];
          const size = norm2(gap);
          if (normals.length === 0) expect(size).toBe(0);
          if (normals.length === 1)
            expect(dot(gap, normals[0])).toBeGreaterThanOrEqual(size * norm2(normals[0]) * (1 - 1e-9));
          if (normals.length === 2) {
            const [a, b, e] = [dot(n1, n1), dot(n1, n2), dot(n2, n2)];
            const determinant = a * e - b * b;
            if (determinant < 1e-4 * a * e) return;
            const [l1, l2] = [
              (e * dot(n1, gap) - b * dot(n2, gap)) / determinant,
              (a * dot(n2, gap) - b * dot(n1, gap)) / determinant,
            ];
            expect(l1).toBeGreaterThanOrEqual(-1e-7 * (1 + size / r1));
            expect(l2).toBeGreaterThanOrEqual(-1e-7 * (1 + size / r2));
            expect(norm2(gap.map((x, i) => x - l1 * n1[i] - l2 * n2[i]))).toBeLessThanOrEqual(
              1e-8 * (1 + size),
            );
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('box and ball: the multiplier read off one free coordinate explains all', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }).chain((d) => fc.tuple(vector(d), centreOf(d), positive)),
        ([y, c, r]) => {
          const [lower, upper] = [new Float64Array(y.length).fill(-1), new Float64Array(y.length).fill(1)];
          const cube = box({ lower, upper });
          const radius = Math.max(r, 1.1 * norm2(minus(project(cube, c), c)));
          const p = project(intersectBall(cube, { centre: c, radius }), y);
          const free = p.findIndex((x, i) => Math.abs(x) < 1 - 1e-6 && Math.abs(x - c[i]) > 0.05 * radius);
          const bound = norm2(minus(p, c)) > radius * (1 - 1e-12);
          if (bound && free < 0) return;
          const multiplier = bound ? (y[free] - p[free]) / (p[free] - c[free]) : 0;
          expect(multiplier).toBeGreaterThanOrEqual(-1e-10);
          for (const [i, x] of p.entries()) {
            const target = (y[i] + multiplier * c[i]) / (1 + multiplier);
            expect(Math.abs(Math.min(1, Math.max(-1, target)) - x)).toBeLessThanOrEqual(1e-10 * (1 + radius));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('diameters are rounded up', () => {
    expect(
      box({ lower: Float64Array.of(0, 0), upper: Float64Array.of(3, 4) }).diameter,
    ).toBeGreaterThanOrEqual(5);
    expect(box({ lower: Float64Array.of(0, 0), upper: Float64Array.of(3, 4) }).diameter).toBeLessThan(
      5 + 1e-14,
    );
    expect(box({ lower: Float64Array.of(1, 2), upper: Float64Array.of(1, 2) }).diameter).toBe(0);
    expect(l2Ball({ dimension: 2, radius: 1.5 }).diameter).toBe(3);
    expect(l1Ball({ dimension: 2, radius: 1.5 }).diameter).toBe(3);
    expect(simplex({ dimension: 3, total: 1 }).diameter ** 2).toBeGreaterThanOrEqual(2);
    expect(simplex({ dimension: 1, total: 1 }).diameter).toBe(0);
    expect(wholeSpace(2).diameter).toBe(Infinity);
    expect(intersectBall(wholeSpace(2), { centre: Float64Array.of(0, 0), radius: 2 }).diameter).toBe(4);
  });

  it('contains takes a tolerance', () => {
    expect(l2Ball({ dimension: 1, radius: 1 }).contains(Float64Array.of(1.01))).toBe(false);
    expect(l2Ball({ dimension: 1, radius: 1 }).contains(Float64Array.of(1.01), 0.02)).toBe(true);
    expect(
      box({ lower: Float64Array.of(0), upper: Float64Array.of(1) }).contains(Float64Array.of(-0.01), 0.02),
    ).toBe(true);
    expect(simplex({ dimension: 2, total: 1 }).contains(Float64Array.of(1.005, -0.005), 0.02)).toBe(true);
    expect(simplex({ dimension: 2, total: 1 }).contains(Float64Array.of(1.005, -0.005))).toBe(false);
    expect(simplex({ dimension: 2, total: 1 }).contains(Float64Array.of(0.5, 0.51))).toBe(false);
  });
});

describe('bad parameters', () => {
  it('are refused', () => {
    for (const make of [
      () => wholeSpace(0),
      () => wholeSpace(1.5),
      () => wholeSpace(1e15),
      () => l2Ball({ radius: 1 }),
      () => l2Ball({ dimension: 2, radius: 0 }),
      () => l2Ball({ dimension: 2, radius: NaN }),
      () => l2Ball({ dimension: 2, radius: Infinity }),
      () => l2Ball({ dimension: 3, centre: Float64Array.of(1, 2), radius: 1 }),
      () => l1Ball({ dimension: 2, radius: -1 }),
      () => l1Ball({ centre: Float64Array.of(NaN), radius: 1 }),
      () => box({ lower: Float64Array.of(1), upper: Float64Array.of(0) }),
      () => box({ lower: Float64Array.of(1), upper: Float64Array.of(2, 3) }),
      () => box({ lower: Float64Array.of(), upper: Float64Array.of() }),
      () => box({ lower: Float64Array.of(-Infinity), upper: Float64Array.of(0) }),
      () => simplex({ dimension: 2, total: 0 }),
      () => intersectBall(simplex({ dimension: 2, total: 1 }), { centre: Float64Array.of(5, 5), radius: 1 }),
      () => intersectBall(wholeSpace(2), { centre: Float64Array.of(1), radius: 1 }),
    ])
      expect(make).toThrow(InvalidParameter);
  });
});
