import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimizeUnimodal, Unsupported } from '@lethe/numerics';
import { gaussianEvent, sampledEvent, type PrivacyEvent } from '@lethe/core';
import { withoutFailures } from '../failures.js';
import { createResolver, resolveEvent } from '../resolve.js';
import { worstPureTail } from './pure-tail.js';
import { failureOfAny, logSlope, meanRepetitions, type Repetitions } from './repetitions.js';
import { inputs } from '../../../test/effort.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const adjacency = 'zero-out';
const selection = (base: PrivacyEvent, { stopProbability, cap }: Repetitions): PrivacyEvent =>
  plain({ kind: 'core/selection', v: 1, base, stopProbability, cap } as PrivacyEvent);
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  plain({ kind: 'core/approximate', v: 1, epsilon, delta });
const pureCost = (epsilon: number, repetitions: Repetitions): number =>
  resolveEvent(selection(pure(epsilon), repetitions), 'pure', { adjacency });

/** `P(K = k)`, from the first. */
const distributionOf = ({ stopProbability: stop, cap }: Repetitions): readonly number[] =>
  Array.from({ length: cap }, (_, i) => (i + 1 < cap ? stop : 1) * (1 - stop) ** i);
const repetitions: fc.Arbitrary<Repetitions> = fc.record({
  stopProbability: fc
    .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -4, max: 0 }))
    .map(([x, e]) => (x / 100) * 10 ** e),
  cap: fc.constantFrom(1, 2, 3, 5, 17, 100, 1000),
});

/** The law of the best of K outputs that are numbered from the worst, by adding up over K. */
function bestOf(outputs: readonly number[], repeated: Repetitions): readonly number[] {
  const law = distributionOf(repeated);
  let below = 0;
  return outputs.map((p) => {
    const upTo = below + p;
    const mass = law.reduce((sum, weight, i) => sum + weight * (upTo ** (i + 1) - below ** (i + 1)), 0);
    below = upTo;
    return mass;
  });
}
const largestLoss = (p: readonly number[], q: readonly number[]): number =>
  Math.max(...p.map((mass, i) => Math.abs(Math.log(mass / q[i]))));
const renyi = (p: readonly number[], q: readonly number[], alpha: number): number => {
  const logs = p.map((mass, i) => alpha * Math.log(mass) + (1 - alpha) * Math.log(q[i]));
  const most = Math.max(...logs);
  return (most + Math.log(logs.reduce((sum, x) => sum + Math.exp(x - most), 0))) / (alpha - 1);
};

/** Two laws on a few outputs whose probabilities are within e^ε of each other. */
const neighbours = (epsilon: number): fc.Arbitrary<readonly [readonly number[], readonly number[]]> =>
  fc
    .array(
      fc.record({
        weight: fc.integer({ min: -12, max: 0 }).map((e) => 2 ** e),
        tilt: fc.integer({ min: 0, max: 4 }).map((x) => x / 4),
      }),
      { minLength: 2, maxLength: 6 },
    )
    .map((outputs) => {
      // Ratios between e^-ε/2 and e^ε/2 before normalising are within ε of each other after it.
      const [p, q] = [
        outputs.map(({ weight }) => weight),
        outputs.map(({ weight, tilt }) => weight * Math.exp(epsilon * (tilt - 0.5))),
      ];
      const whole = (masses: readonly number[]): number => masses.reduce((a, b) => a + b, 0);
      return [p.map((mass) => mass / whole(p)), q.map((mass) => mass / whole(q))] as const;
    });

describe('the number of runs', () => {
  it('has the slope, the mean and the failures of its sums', () => {
    fc.assert(
      fc.property(
        repetitions,
        fc.integer({ min: 0, max: 60 }).map((e) => (e === 0 ? 0 : 2 ** -(e - 1))),
        (repeated, s) => {
          const law = distributionOf(repeated);
          const slope = law.reduce((sum, weight, i) => sum + weight * (i + 1) * (1 - s) ** i, 0);
          expect(logSlope(repeated, s)).toBeCloseTo(Math.log(slope), 10);
          expect(
            meanRepetitions(repeated) / law.reduce((sum, weight, i) => sum + weight * (i + 1), 0),
          ).toBeCloseTo(1, 10);
          const fails = law.reduce(
            (sum, weight, i) => sum + weight * -Math.expm1((i + 1) * Math.log1p(-s)),
            0,
          );
          if (s > 0) expect(failureOfAny(repeated, s) / fails).toBeCloseTo(1, 9);
        },
      ),
      { numRuns: inputs(300) },
    );
  });

  it('keeps its slope when hardly any run is worse', () => {
    // Two runs, nearly always: f′ = γ + 2(1 − γ)x.
    for (const x of [1e-5, 1e-14, 1e-17, 1e-200])
      expect(logSlope({ stopProbability: 1e-250, cap: 2 }, 1 - x, x)).toBeCloseTo(Math.log(2 * x), 10);
    expect(pureCost(35, { stopProbability: 1e-250, cap: 2 })).toBeCloseTo(70, 3);
  });

  it('may be capped at the largest count', () => {
    const geometric = { stopProbability: 1e-3, cap: Number.MAX_SAFE_INTEGER };
    for (const s of [0, 1e-6, 1e-3, 0.5, 1])
      expect(logSlope(geometric, s)).toBeCloseTo(Math.log(1e-3) - 2 * Math.log(1e-3 + 0.999 * s), 12);
    expect(meanRepetitions(geometric)).toBeCloseTo(1000, 9);
  });
});

describe('a selection of an ε-private base', () => {
  it('costs no less than the best of few outputs tells', () => {
    fc.assert(
      fc.property(
        repetitions,
        fc
          .constantFrom(0.1, 0.5, 1, 3)
          .chain((epsilon) => fc.tuple(fc.constant(epsilon), neighbours(epsilon))),
        (repeated, [epsilon, [p, q]]) => {
          const [best, other] = [bestOf(p, repeated), bestOf(q, repeated)];
          if (best.some((mass, i) => mass < 1e-9 || other[i] < 1e-9)) return;
          expect(largestLoss(best, other)).toBeLessThanOrEqual(pureCost(epsilon, repeated) + 1e-7);
        },
      ),
      { numRuns: inputs(60) },
    );
  });

  it('costs little more than what some three outputs tell', () => {
    for (const repeated of [
      { stopProbability: 0.1, cap: 1000 },
      { stopProbability: 0.01, cap: 30 },
      { stopProbability: 0.3, cap: 3 },
      { stopProbability: 0.9, cap: 2 },
    ]) {
      for (const epsilon of [0.2, 1, 2]) {
        // A rare middle output, better ones with the tail t and its largest counterpart; the output itself is
        // the likelier where they are rarer.
        let most = 0;
        for (let i = 200; i < 2000; i += 9) {
          const t = (i / 2000) ** 3;
          const opposite = Math.min(Math.exp(epsilon) * t, 1 - Math.exp(-epsilon) * (1 - t));
          const rare = 1e-5 * Math.min(1 - opposite, t);
          const [p, q] = [
            [1 - t - rare * Math.exp(epsilon), rare * Math.exp(epsilon), t],
            [1 - opposite - rare, rare, opposite],
          ];
          most = Math.max(most, Math.log(bestOf(p, repeated)[1] / bestOf(q, repeated)[1]));
        }
        const cost = pureCost(epsilon, repeated);
        expect(cost).toBeGreaterThan(most - 1e-6);
        expect(cost).toBeLessThan(most + 5e-3);
      }
    }
  });

  it('costs at most 3ε without a cap, and almost that for rare stops', () => {
    const never = Number.MAX_SAFE_INTEGER;
    for (const epsilon of [0.1, 1, 5]) {
      expect(pureCost(epsilon, { stopProbability: 1e-9, cap: never })).toBeGreaterThan(2.99 * epsilon);
      for (const stopProbability of [1e-9, 0.01, 0.5])
        expect(pureCost(epsilon, { stopProbability, cap: never })).toBeLessThan(
          3 * epsilon * (1 + 1e-5) + 5e-6,
        );
    }
    expect(pureCost(1, { stopProbability: 1e-300, cap: 100 })).toBeCloseTo(100, 1);
  });

  it('costs no less than the largest difference that a finer search finds, and hardly more', () => {
    // Most at a corner, and before it where the cap and stopping are about equally likely to end a selection.
    for (const [stopProbability, cap] of [
      [0.3, 9],
      [1e-6, 5],
      [0.1, 10],
      [0.03, 20],
      [0.01, 50],
    ] as const)
      for (const epsilon of [1e-3, 2.9e-3, 0.011, 0.7, 1.3]) {
        const runs = { stopProbability, cap };
        const slope = (u: number): number => logSlope(runs, Math.exp(u), -Math.expm1(u));
        // Of better outputs of probability e^u and at most e^(u + ε).
        const added = (u: number): number => slope(u) - slope(u + epsilon);
        const most = -Math.log1p(Math.exp(-epsilon)) - epsilon;
        const coarse = Array.from({ length: 4000 }, (_, j) => most - j * 5e-3);
        const [near] = coarse.toSorted((a, b) => added(b) - added(a));
        const { value } = minimizeUnimodal((u) => -added(u), near - 5e-3, Math.min(most, near + 5e-3));
        const bound = worstPureTail(runs, epsilon);
        expect(bound / -value).toBeGreaterThanOrEqual(1 - 1e-9 / epsilon);
        expect(bound / -value).toBeLessThan(1.01);
      }
  });

  it('has a finite cost for rare and certain stops, and for small and large losses', () => {
    for (const epsilon of [1e-300, 1e-3, 0.01, 1, 10, 39, 41, 1e308]) {
      for (const stopProbability of [1e-300, 1e-18, 1e-15, 1e-12, 0.5, 1 - 2 ** -53]) {
        for (const cap of [2, 100, 2 ** 50, Number.MAX_SAFE_INTEGER]) {
          const cost = pureCost(epsilon, { stopProbability, cap });
          expect(cost).toBeGreaterThanOrEqual(epsilon);
          // Its slopes are between γ and cap, and its powers at most cap − 1.
          expect(cost - epsilon).toBeLessThanOrEqual(
            Math.min((cap - 1) * epsilon, Math.log(cap) - Math.log(stopProbability)) * (1 + 1e-9) +
              epsilon * 1e-9 +
              1e-9,
          );
        }
      }
    }
    expect(pureCost(1, { stopProbability: 1e-15, cap: Number.MAX_SAFE_INTEGER })).toBeCloseTo(3, 3);
    expect(pureCost(1e-3, { stopProbability: 1e-14, cap: Number.MAX_SAFE_INTEGER }) / 3e-3).toBeCloseTo(1, 2);
  });

  it('costs in proportion to a small ε', () => {
    for (const repeated of [
      { stopProbability: 0.01, cap: Number.MAX_SAFE_INTEGER },
      { stopProbability: 0.1, cap: 20 },
      { stopProbability: 1e-6, cap: 7 },
    ]) {
      const rate = pureCost(0.02, repeated) / 0.02;
      for (const epsilon of [1e-300, 1e-9, 1e-5, 1e-3, 0.01]) {
        expect(pureCost(epsilon, repeated) / epsilon).toBeGreaterThan(0.97 * rate);
        expect(pureCost(epsilon, repeated) / epsilon).toBeLessThan(1.03 * rate);
      }
    }
  });

  it('of one run is the base, and of an unprotected base has no bound', () => {
    for (const once of [
      { stopProbability: 1, cap: 9 },
      { stopProbability: 0.1, cap: 1 },
    ]) {
      expect(
        resolveEvent(selection(gaussianEvent(1, { 'zero-out': 1 }), once), 'gdp', { adjacency }),
      ).toEqual({ lower: 1, mu: 1, exact: true });
    }
    expect(
      resolveEvent(
        selection(plain({ kind: 'core/unprotected', v: 1 }), { stopProbability: 0.5, cap: 9 }),
        'pure',
        { adjacency },
      ),
    ).toBe(Infinity);
    expect(pureCost(0, { stopProbability: 0.5, cap: 9 })).toBe(0);
    expect(pureCost(800, { stopProbability: 1e-300, cap: 2 ** 53 - 1 })).toBeLessThan(Infinity);
  });
});

describe('a selection of a base that may fail', () => {
  it('fails when any of its runs fails', () => {
    const repeated = { stopProbability: 1e-3, cap: 10_000 };
    const { epsilon, delta } = resolveEvent(selection(approximate(0, 1e-3), repeated), 'approximate', {
      adjacency,
    });
    expect(epsilon).toBe(0);
    expect(delta).toBeCloseTo(0.5, 2);
    const some = approximate(1, 1e-3);
    expect(withoutFailures(selection(some, repeated), adjacency)).toEqual({
      event: selection(approximate(1, 0), repeated),
      delta,
    });
  });

  it('is exact for the worst base', () => {
    // Outputs: given away by one side or the other (best of all), and two that are ε apart.
    fc.assert(
      fc.property(
        repetitions.filter(({ cap }) => cap <= 100),
        fc.constantFrom(0.3, 1),
        fc.constantFrom(0.001, 0.05),
        (repeated, epsilon, delta) => {
          const [likely, unlikely] = [
            (1 - delta) / (1 + Math.exp(-epsilon)),
            (1 - delta) / (1 + Math.exp(epsilon)),
          ];
          const claim = resolveEvent(selection(approximate(epsilon, delta), repeated), 'approximate', {
            adjacency,
          });
          for (const [p, q] of [
            [
              [unlikely, likely, delta, 0],
              [likely, unlikely, 0, delta],
            ],
            [
              [likely, unlikely, delta, 0],
              [unlikely, likely, 0, delta],
            ],
          ] as const) {
            const [best, other] = [bestOf(p, repeated), bestOf(q, repeated)];
            const gap = best.reduce(
              (sum, mass, i) => sum + Math.max(0, mass - Math.exp(claim.epsilon) * other[i]),
              0,
            );
            expect(gap).toBeLessThanOrEqual(claim.delta * (1 + 1e-9));
            expect(gap).toBeGreaterThanOrEqual(claim.delta * (1 - 1e-9));
          }
        },
      ),
      { numRuns: inputs(60) },
    );
  });
});

describe('a selection of a base with Rényi divergences', () => {
  it('has at least the δ of the best of few outputs', () => {
    const curveOf = (p: readonly number[], q: readonly number[]) => (alpha: number) =>
      1e-12 + Math.max(renyi(p, q, alpha), renyi(q, p, alpha));
    fc.assert(
      fc.property(
        repetitions,
        neighbours(1.5),
        fc.constantFrom(1.01, 1.5, 2, 7, 40),
        (repeated, [p, q], alpha) => {
          const [best, other] = [bestOf(p, repeated), bestOf(q, repeated)];
          if (best.some((mass, i) => mass < 1e-9 || other[i] < 1e-9)) return;
          const kinds = [
            { kind: 'event', name: 'test/curve', version: 1, characterise: { rdp: () => curveOf(p, q) } },
          ] as never;
          const claimed = createResolver(kinds)(
            selection(plain({ kind: 'test/curve', v: 1 }), repeated),
            'rdp',
            adjacency,
          )(alpha);
          expect(renyi(best, other, alpha)).toBeLessThanOrEqual(claimed + 1e-9);
        },
      ),
      { numRuns: inputs(40) },
    );
  });

  it('without a cap is within what Papernot and Steinke give', () => {
    const gamma = 0.01;
    const mu = 0.2;
    const curve = resolveEvent(
      selection(gaussianEvent(1 / mu, { 'zero-out': 1 }), {
        stopProbability: gamma,
        cap: Number.MAX_SAFE_INTEGER,
      }),
      'rdp',
      { adjacency },
    );
    const base = (alpha: number): number => ((mu * mu) / 2) * alpha;
    for (const alpha of [1.5, 4, 20, 100]) {
      const tail = Math.min(
        ...[2, 8, 16, 32, 64, 128].map(
          (order) => 2 * (1 - 1 / order) * base(order) + (2 * Math.log(1 / gamma)) / order,
        ),
      );
      expect(curve(alpha)).toBeLessThan(base(alpha) + tail + Math.log(1 / gamma) / (alpha - 1) + 1e-5);
      expect(curve(alpha)).toBeGreaterThan(base(alpha));
    }
  });

  it('needs one of the two', () => {
    const bare = selection(sampledEvent({ kind: 'core/poisson', rate: 0.5 }, gaussianEvent(1, {})), {
      stopProbability: 0.5,
      cap: 9,
    });
    for (const want of ['pure', 'approximate', 'rdp'] as const)
      expect(() => resolveEvent(bare, want, { adjacency })).toThrow(Unsupported);
  });
});
