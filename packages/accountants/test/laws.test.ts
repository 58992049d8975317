import {
  adjacencies,
  composedEvent,
  freeEvent,
  InvalidParameter,
  parallelEvent,
  type Accountant,
  type Interval,
  type PrivacyEvent,
  repeatedEvent,
  unprotectedEvent,
  Unsupported,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountants, gdp, rdp, saddlePoint, zcdp } from '../src/index.js';
import {
  approximate,
  concentrated,
  exponential,
  failing,
  gaussian,
  gaussians,
  laplace,
  plain,
  poisson,
  pure,
  response,
  sgd,
} from './events.js';
import { inputs } from './effort.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const adjacency = fc.constantFrom(...adjacencies);
const sigma = tenTo(-1, 2);
const delta = tenTo(-15, -1);
const leaf = fc.oneof(
  sigma.map(gaussian),
  tenTo(-1, 1).map(laplace),
  tenTo(-3, 0.5).map(pure),
  tenTo(-4, 0).map(concentrated),
  tenTo(-2, 0.5).map(exponential),
  fc.tuple(tenTo(-3, -0.3), sigma).map(([q, s]) => poisson(q, gaussian(s))),
  fc.constantFrom(freeEvent, unprotectedEvent),
);
const event: fc.Arbitrary<PrivacyEvent> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 4 }).map(composedEvent),
  fc.array(leaf, { maxLength: 3 }).map(parallelEvent),
  fc.tuple(leaf, fc.integer({ min: 1, max: 1000 })).map(([e, n]) => repeatedEvent(e, n)),
);
/** Releases that take little time to add up: few of them, few kinds at once, and no tails that no run has. */
const few: fc.Arbitrary<PrivacyEvent> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 2 }).map(composedEvent),
  fc.array(leaf, { maxLength: 2 }).map(parallelEvent),
  fc.tuple(leaf, fc.integer({ min: 1, max: 100 })).map(([e, n]) => repeatedEvent(e, n)),
);

/** Those that add up losses take milliseconds to answer, and bound each answer anew. */
const engines = accountants.filter(({ wants }) => wants.includes('pair'));
const formulas = accountants.filter((accountant) => !engines.includes(accountant));
/** Who is asked, about what, and how often of a hundred times. */
const asked = [
  { who: 'formulas', of: formulas, event, delta, share: 1 },
  { who: 'engines', of: engines, event: few, delta: tenTo(-12, -1), share: 0.12 },
];

/** The ε of every accountant that knows the event. */
function answers(
  of: readonly Accountant[],
  e: PrivacyEvent,
  query: { adjacency: (typeof adjacencies)[number]; delta: number },
): ReadonlyMap<string, Interval> {
  return new Map(
    of.flatMap((accountant) => {
      try {
        return [[accountant.name, accountant.epsilon(e, query)] as const];
      } catch (error) {
        if (error instanceof Unsupported) return [];
        throw error;
      }
    }),
  );
}
const close = (a: number, b: number, granted = 0): boolean =>
  a === b || Math.abs(a - b) <= 1e-7 * Math.max(a, b) + 1e-9 + granted;
const atLeast = (a: number, b: number, granted = 0): boolean => a >= b || close(a, b, granted);
/**
 * How far two answers may be apart because each was bounded anew: their widths, as far as those are small.
 */
const grantedTo = (of: readonly Accountant[], ...found: readonly Interval[]): number =>
  of === formulas
    ? 0
    : found.reduce(
        (sum, { lower, upper }) =>
          sum + (upper < Infinity ? Math.min(upper - lower, 0.02 * upper + 1e-3) : 0),
        0,
      );

/** Those that know unbounded noise. */
const ofNoise = accountants.filter(({ name }) =>
  answers(accountants, gaussian(1), { adjacency: 'zero-out', delta: 0.1 }).has(name),
);

describe.each(asked)('$who', ({ of, event: some, delta: small, share }) => {
  const runs = (most: number): { numRuns: number } => ({ numRuns: inputs(share * most) });

  it('answer with ordered intervals that say how far they can be trusted, and change nothing', () => {
    fc.assert(
      fc.property(some, adjacency, small, tenTo(-3, 1.5), (e, a, d, epsilon) => {
        const before = JSON.stringify(e);
        for (const accountant of of) {
          try {
            const cost = accountant.epsilon(e, { adjacency: a, delta: d });
            for (const interval of [cost, accountant.delta(e, { adjacency: a, epsilon })]) {
              expect(interval.lower).toBeGreaterThanOrEqual(0);
              expect(interval.upper).toBeGreaterThanOrEqual(interval.lower);
              expect(['exact', 'certified']).toContain(interval.certificate);
              expect(interval.method).not.toBe('');
            }
            expect(accountant.epsilon(e, { adjacency: a, delta: d })).toEqual(cost);
          } catch (error) {
            expect(error).toBeInstanceOf(Unsupported);
          }
        }
        expect(JSON.stringify(e)).toBe(before);
      }),
      runs(150),
    );
  });

  it('charge n runs as they charge n counted, however they are grouped', () => {
    fc.assert(
      fc.property(leaf, leaf, fc.integer({ min: 1, max: 9 }), adjacency, small, (e, other, n, a, d) => {
        const query = { adjacency: a, delta: d };
        const listed = answers(of, composedEvent([other, ...Array.from({ length: n }, () => e)]), query);
        const grouped = answers(
          of,
          composedEvent([composedEvent([repeatedEvent(e, n)]), freeEvent, parallelEvent([other, other])]),
          query,
        );
        if (of === formulas) expect(grouped).toEqual(listed);
        expect([...grouped.keys()]).toEqual([...listed.keys()]);
        for (const [name, cost] of grouped)
          expect(
            close(
              cost.upper,
              defined(listed.get(name)).upper,
              grantedTo(of, cost, defined(listed.get(name))),
            ),
          ).toBe(true);
      }),
      runs(80),
    );
  });

  it('are monotone in the event', () => {
    fc.assert(
      fc.property(some, leaf, adjacency, small, (e, other, a, d) => {
        const query = { adjacency: a, delta: d };
        const both = answers(of, composedEvent([e, other]), query);
        const apart = answers(of, parallelEvent([e, other]), query);
        const alone = answers(of, e, query);
        for (const [name, cost] of both) {
          expect(
            atLeast(
              cost.upper,
              defined(alone.get(name)).upper,
              grantedTo(of, cost, defined(alone.get(name))),
            ),
          ).toBe(true);
          expect(
            atLeast(
              cost.upper,
              defined(apart.get(name)).upper,
              grantedTo(of, cost, defined(apart.get(name))),
            ),
          ).toBe(true);
        }
      }),
      runs(80),
    );
  });

  it('give less ε for more δ, and a δ and an ε that fit together', () => {
    fc.assert(
      fc.property(some, adjacency, small, fc.constantFrom(...of), (e, a, d, accountant) => {
        const cost = answers([accountant], e, { adjacency: a, delta: d }).get(accountant.name);
        fc.pre(cost !== undefined);
        const { lower, upper } = cost;
        const more = accountant.epsilon(e, { adjacency: a, delta: 2 * d });
        expect(atLeast(upper, more.upper, grantedTo(of, cost, more))).toBe(true);
        if (upper === Infinity) return;
        const deltaAt = (epsilon: number): Interval => accountant.delta(e, { adjacency: a, epsilon });
        const within = deltaAt(upper * (1 + 1e-9) + 1e-12);
        if (of === formulas) {
          // One curve, however far it is from the truth.
          expect(within.upper).toBeLessThanOrEqual(d * (1 + 1e-5));
          if (upper > 0.01) expect(deltaAt(upper * 0.99).upper).toBeGreaterThan(d * (1 - 1e-9));
          return;
        }
        // Each answer has a grid of its own: near the largest loss δ falls to 0 within less than a step.
        // The two fit to no factor of δ, but may not contradict each other.
        expect(within.lower).toBeLessThanOrEqual(d * (1 + 1e-9));
        if (lower > 1e-6) expect(deltaAt(lower * (1 - 1e-9)).upper).toBeGreaterThan(d * (1 - 1e-9));
        // A tenth more ε is enough, but for the saddle-point’s error for losses on a lattice.
        if (accountant !== saddlePoint) expect(deltaAt(1.1 * upper + 0.01).upper).toBeLessThanOrEqual(d);
      }),
      runs(150),
    );
  });

  it('never charge less for replacing a record than for removing it', () => {
    fc.assert(
      fc.property(some, small, (e, d) => {
        const replaced = answers(of, e, { adjacency: 'replace-one', delta: d });
        for (const other of ['zero-out', 'add-remove'] as const) {
          for (const [name, cost] of answers(of, e, { adjacency: other, delta: d })) {
            const whole = replaced.get(name);
            if (whole !== undefined)
              expect(atLeast(whole.upper, cost.upper, grantedTo(of, whole, cost))).toBe(true);
          }
        }
      }),
      runs(120),
    );
  });
});

describe('every accountant', () => {
  it('is exact at the ends: δ = 0 and 1, nothing released, nothing protected', () => {
    for (const accountant of accountants) {
      const at = (e: PrivacyEvent, d: number): number =>
        accountant.epsilon(e, { adjacency: 'zero-out', delta: d }).upper;
      for (const d of [0, 1e-300, 0.5, 1]) {
        expect(at(freeEvent, d)).toBe(0);
        expect(at(unprotectedEvent, d)).toBe(d === 1 ? 0 : Infinity);
        expect(at(pure(2), d)).toBeLessThanOrEqual(2);
      }
      if (ofNoise.includes(accountant)) {
        expect(at(gaussian(1), 0)).toBe(Infinity);
        expect(at(gaussian(1), 1)).toBe(0);
        expect(at(gaussian(1), 1e-300)).toBeGreaterThan(37);
        expect(at(gaussian(1), 1e-300)).toBeLessThan(38);
        expect(at(gaussian(1e-6), 1e-9)).toBeGreaterThan(5e11);
      }
      expect(at(composedEvent([laplace(2), pure(0.25)]), 0)).toBeGreaterThanOrEqual(0.75);
      expect(at(composedEvent([laplace(2), pure(0.25)]), 0)).toBeLessThan(0.75 * (1 + 1e-12));
      for (const epsilon of [0, 1e-300, 1, 1e300, Infinity]) {
        expect(accountant.delta(freeEvent, { adjacency: 'zero-out', epsilon }).upper).toBe(0);
        expect(accountant.delta(unprotectedEvent, { adjacency: 'zero-out', epsilon }).upper).toBe(
          epsilon === Infinity ? 0 : 1,
        );
        if (ofNoise.includes(accountant))
          expect(accountant.delta(gaussian(1), { adjacency: 'zero-out', epsilon }).upper).toBeLessThanOrEqual(
            1,
          );
      }
    }
  });

  it('refuses invalid queries', () => {
    for (const accountant of accountants) {
      for (const d of [NaN, -1, 2, Infinity])
        expect(() => accountant.epsilon(gaussian(1), { adjacency: 'zero-out', delta: d })).toThrow(
          InvalidParameter,
        );
      for (const epsilon of [NaN, -1e-9])
        expect(() => accountant.delta(gaussian(1), { adjacency: 'zero-out', epsilon })).toThrow(
          InvalidParameter,
        );
      for (const e of [
        undefined,
        null,
        'x',
        [],
        {},
        { kind: 'core/gaussian', v: 1, sigma: 0, sensitivity: {} },
      ]) {
        expect(() =>
          accountant.epsilon(e as unknown as PrivacyEvent, { adjacency: 'zero-out', delta: 0.1 }),
        ).toThrow(InvalidParameter);
      }
      expect(() =>
        accountant.epsilon(gaussian(1), { adjacency: 'nearby' as 'zero-out', delta: 0.1 }),
      ).toThrow(InvalidParameter);
      expect(() =>
        accountant.epsilon(plain({ kind: 'acme/x', v: 1 }), { adjacency: 'zero-out', delta: 0.1 }),
      ).toThrow(Unsupported);
    }
  });

  it('names the place of an unsupported event in the given event', () => {
    const discrete = plain({
      kind: 'core/discrete-gaussian',
      v: 1,
      sigma: 1,
      sensitivity: { 'zero-out': 1 },
    });
    const e = composedEvent([freeEvent, pure(1), composedEvent([gaussian(1), discrete])]);
    expect(() => gdp.epsilon(e, { adjacency: 'zero-out', delta: 1e-5 })).toThrow(
      /at parts\.2\.event\.parts\.1\.event \('core\/discrete-gaussian'\) has no gdp/u,
    );
    expect(zcdp.epsilon(e, { adjacency: 'zero-out', delta: 1e-5 }).assumptions).toEqual(['real-arithmetic']);
    expect(
      zcdp.epsilon(composedEvent([discrete, pure(1)]), { adjacency: 'zero-out', delta: 1e-5 }).assumptions,
    ).toEqual([]);
  });
});

describe('Gaussian noise', () => {
  it('costs least by its curve, then by Rényi divergences, then by ρ', () => {
    fc.assert(
      fc.property(sigma, fc.integer({ min: 1, max: 10_000 }), adjacency, delta, (s, n, a, d) => {
        const [g, r, z] = [gdp, rdp, zcdp].map((accountant) =>
          accountant.epsilon(gaussians(s, n), { adjacency: a, delta: d }),
        );
        expect(g.certificate).toBe('exact');
        expect(g.upper - g.lower).toBeLessThanOrEqual(1e-9 + 1e-12 * g.upper);
        expect(r.upper).toBeGreaterThanOrEqual(g.lower);
        expect(z.upper).toBeGreaterThanOrEqual(r.upper * (1 - 1e-9));
      }),
      { numRuns: inputs(100) },
    );
  });

  it('costs more with less noise, more steps and a larger sample', () => {
    fc.assert(
      fc.property(
        sigma,
        tenTo(-4, -0.02),
        fc.integer({ min: 1, max: 10_000 }),
        tenTo(-2, 0.3),
        adjacency,
        delta,
        (s, q, n, more, a, d) => {
          const cost = (e: PrivacyEvent): number => rdp.epsilon(e, { adjacency: a, delta: d }).upper;
          const base = cost(sgd(q, s, n));
          for (const dearer of [
            sgd(q, s / (1 + more), n),
            sgd(Math.min(1, q * (1 + more)), s, n),
            sgd(q, s, n + 1),
            gaussians(s, n),
          ]) {
            const other = cost(dearer);
            expect(other >= base || close(other, base)).toBe(true);
          }
        },
      ),
      { numRuns: inputs(60) },
    );
  });
});

describe('ways to fail', () => {
  it('have a δ that adds to the rest, or composes with it', () => {
    const rest = gaussian(2);
    const e = composedEvent([failing(1e-6, rest), approximate(0.1, 1e-6), pure(0.1)]);
    const sound = composedEvent([rest, pure(0.1), pure(0.1)]);
    for (const accountant of ofNoise) {
      const query = { adjacency: 'zero-out', epsilon: 2 } as const;
      const [whole, part] = [e, sound].map((one) => accountant.delta(one, query));
      const [cost, less] = [
        accountant.epsilon(e, { adjacency: 'zero-out', delta: 1e-5 }),
        accountant.epsilon(sound, { adjacency: 'zero-out', delta: 8e-6 }),
      ];
      const exact = !engines.includes(accountant);
      // Those that add up losses compose failures with the rest, which comes to no more than their sum.
      const granted = exact ? 1e-12 : part.upper - part.lower + 1e-12;
      expect(whole.upper).toBeLessThanOrEqual(
        part.upper + 2e-6 + (exact ? 1e-12 : whole.upper - whole.lower + 1e-12),
      );
      expect(whole.upper).toBeGreaterThanOrEqual(2e-6 + (1 - 2e-6) * (part.upper - granted) - 1e-12);
      expect(Math.abs(cost.upper - less.upper)).toBeLessThanOrEqual(
        exact ? 1e-9 : 1e-9 + grantedTo(engines, cost, less) + 1e-5,
      );
      expect(accountant.epsilon(e, { adjacency: 'zero-out', delta: 1e-6 })).toMatchObject({
        upper: Infinity,
      });
      if (exact)
        expect(accountant.epsilon(e, { adjacency: 'zero-out', delta: 1e-6 })).toMatchObject({
          lower: 0,
          certificate: 'certified',
        });
    }
  });

  it('are counted', () => {
    expect(
      rdp.epsilon(repeatedEvent(approximate(0.01, 1e-7), 100), { adjacency: 'zero-out', delta: 0.9e-5 })
        .upper,
    ).toBe(Infinity);
    expect(
      rdp.epsilon(repeatedEvent(approximate(0.01, 1e-7), 100), { adjacency: 'zero-out', delta: 2e-5 }).upper,
    ).toBeLessThan(1);
    expect(rdp.epsilon(response(0.5, 3), { adjacency: 'replace-one', delta: 0 }).upper).toBeCloseTo(
      Math.log(4),
      12,
    );
  });
});
