import { type Adjacency, composedEvent, parallelEvent, type PrivacyEvent, repeatedEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approximate, failing, laplace, pure } from '../../test/events.js';
import { advanced } from './advanced.js';
import { basic } from './basic.js';
import { mixedCurve } from './mixed-responses.js';
import { optimal } from './optimal.js';
import { inputs } from '../../test/effort.js';

const adjacency: Adjacency = 'zero-out';
const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const all = [basic, advanced, optimal];
const deltaOf = (event: PrivacyEvent, epsilon: number, accountant = optimal) =>
  accountant.delta(event, { adjacency, epsilon });
const epsilonOf = (event: PrivacyEvent, delta: number, accountant = optimal) =>
  accountant.epsilon(event, { adjacency, delta });

/** δ(ε) of randomised responses that fail, outcome by outcome. */
function enumerated(parts: readonly (readonly [number, number])[], epsilon: number): number {
  let tells = 0;
  for (let outcome = 0; outcome < 2 ** parts.length; outcome++) {
    let [p, q] = [1, 1];
    for (const [i, [each]] of parts.entries()) {
      const rare = 1 / (1 + Math.exp(each));
      const common = 1 / (1 + Math.exp(-each));
      [p, q] = (outcome >> i) % 2 === 1 ? [p * rare, q * common] : [p * common, q * rare];
    }
    tells += Math.max(0, p - Math.exp(epsilon) * q);
  }
  const sound = parts.reduce((product, [, delta]) => product * (1 - delta), 1);
  return 1 - sound + sound * tells;
}
const parts = fc.array(fc.tuple(tenTo(-2, 0.5), fc.constantFrom(0, 0, 1e-3, 0.1)), {
  minLength: 1,
  maxLength: 9,
});
const composedOf = (list: readonly (readonly [number, number])[]): PrivacyEvent =>
  composedEvent(list.map(([epsilon, delta]) => approximate(epsilon, delta)));

describe('optimal composition', () => {
  it('is exact for equal and unequal randomised responses, also between the points of the theorem', () => {
    const equal = fc
      .tuple(tenTo(-2, 0.5), fc.array(fc.constantFrom(0, 1e-3), { minLength: 1, maxLength: 9 }))
      .map(([epsilon, deltas]) => deltas.map((delta) => [epsilon, delta] as const));
    fc.assert(
      fc.property(fc.oneof(parts, equal), fc.integer({ min: 0, max: 1000 }), (list, share) => {
        const epsilon = (share / 1000) * list.reduce((sum, [each]) => sum + each, 0);
        const truth = enumerated(list, epsilon);
        const { lower, upper, certificate } = deltaOf(composedOf(list), epsilon);
        expect(lower).toBeLessThanOrEqual(truth + 1e-14);
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-14);
        expect(upper - lower).toBeLessThanOrEqual(1e-7 * upper + 1e-12);
        expect(certificate).toBe('exact');
        const back = epsilonOf(composedOf(list), Math.min(1, upper * (1 + 1e-9)));
        expect(back.upper).toBeLessThanOrEqual(epsilon + 1e-6);
        expect(enumerated(list, back.upper)).toBeLessThanOrEqual(upper * (1 + 1e-8) + 1e-14);
      }),
      { numRuns: inputs(150) },
    );
  });

  it('is the least bound, before concentration and the sum', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(tenTo(-3, 0), fc.constantFrom(0, 1e-9), fc.integer({ min: 1, max: 500 })), {
          minLength: 1,
          maxLength: 3,
        }),
        tenTo(-7, -1),
        (list, delta) => {
          const event = composedEvent(
            list.map(([epsilon, fails, count]) => repeatedEvent(approximate(epsilon, fails), count)),
          );
          const [sum, concentrated, least] = all.map(
            (accountant) => epsilonOf(event, delta, accountant).upper,
          ) as [number, number, number];
          expect(concentrated).toBeLessThanOrEqual(sum * (1 + 1e-9));
          expect(least).toBeLessThanOrEqual(concentrated * (1 + 1e-9));
          if (least < Infinity) expect(epsilonOf(event, delta).lower).toBeGreaterThan(0.98 * least - 1e-9);
          const [d, e, f] = all.map(
            (accountant) => deltaOf(event, Math.min(1e6, least), accountant).upper,
          ) as [number, number, number];
          expect(e).toBeLessThanOrEqual(d * (1 + 1e-9));
          expect(f).toBeLessThanOrEqual(e * (1 + 1e-9));
        },
      ),
      { numRuns: inputs(60) },
    );
  });

  it('of rounded losses encloses that of exact ones, the more closely the finer the grid', () => {
    fc.assert(
      fc.property(
        fc.array(tenTo(-1, 0.3), { minLength: 8, maxLength: 10 }),
        fc.integer({ min: 0, max: 90 }),
        (each, share) => {
          const responses = each.map((epsilon) => ({ epsilon, count: 1 }));
          const epsilon = (share / 100) * each.reduce((a, b) => a + b, 0);
          const truth = enumerated(
            each.map((e) => [e, 0]),
            epsilon,
          );
          const [coarse, fine] = [12, 60].map((cells) => defined(mixedCurve(responses, 0, cells))(epsilon));
          // With tails that are cut off: of 1/100 in all.
          const cut = defined(mixedCurve(responses, 1e5, 200))(epsilon);
          for (const { lower, upper } of [coarse, fine, cut]) {
            expect(lower).toBeLessThanOrEqual(truth + 1e-14);
            expect(upper).toBeGreaterThanOrEqual(truth - 1e-14);
          }
          expect(fine.upper - fine.lower).toBeLessThanOrEqual(0.5 * (coarse.upper - coarse.lower) + 1e-3);
        },
      ),
      { numRuns: inputs(40) },
    );
  });

  it('handles a million releases and more', () => {
    for (const count of [1e3, 1e6, 1e9]) {
      const { lower, upper, certificate } = epsilonOf(repeatedEvent(pure(1 / Math.sqrt(count)), count), 1e-6);
      // Towards the central limit, whose ε is 4.88655 by the Gaussian curve of μ = 1.
      expect(upper).toBeGreaterThan(4.886_554_119 - 20 / count - 1e-5);
      expect(upper).toBeLessThan(4.886_554_119 + 1e-6);
      expect(upper - lower).toBeLessThan(1e-8);
      expect(certificate).toBe('exact');
    }
    for (const count of [1e12, 2 ** 52])
      expect(epsilonOf(repeatedEvent(pure(1 / Math.sqrt(count)), count), 1e-6).upper).toBeLessThan(5.76);
    expect(epsilonOf(repeatedEvent(pure(1e-3), 1e6), 1e-100)).toMatchObject({ certificate: 'exact' });
    expect(epsilonOf(repeatedEvent(pure(1), 1e6), 1e-6).upper).toBeLessThan(466_500);
    expect(epsilonOf(composedEvent([repeatedEvent(pure(1e308), 5), pure(800)]), 0.5).upper).toBe(Infinity);
  });

  it('of concentrated losses is the mean and the deviation, in closed form', () => {
    const [count, each, delta] = [400, 0.05, 1e-5];
    const mean = count * each * Math.tanh(each / 2);
    const { upper } = epsilonOf(repeatedEvent(pure(each), count), delta, advanced);
    expect(upper).toBeCloseTo(mean + Math.sqrt(2 * count * each ** 2 * Math.log(1 / delta)), 9);
    const { upper: fails } = deltaOf(repeatedEvent(pure(each), count), upper, advanced);
    expect(fails / delta).toBeCloseTo(1, 6);
  });

  it('is at most the published values', () => {
    expect(epsilonOf(repeatedEvent(approximate(1, 0), 30), 0).upper).toBe(30);
    expect(epsilonOf(repeatedEvent(approximate(1, 0.01), 30), 0.26)).toMatchObject({ upper: Infinity });
    expect(epsilonOf(repeatedEvent(approximate(1, 0.01), 30), 0.27).upper).toBeLessThan(30);
    // Others give the next of the points 30 − 2i; the profile between them allows less.
    const kov = epsilonOf(repeatedEvent(approximate(1, 1e-3), 30), 0.06);
    expect(kov.upper).toBeLessThan(22);
    expect(kov.lower).toBeGreaterThan(20);
    expect(epsilonOf(repeatedEvent(pure(0.1), 500), 1e-5).upper).toBeCloseTo(11.4089, 4);
    expect(deltaOf(composedEvent([approximate(1, 0.1), approximate(2, 0.2)]), 3)).toMatchObject({
      upper: expect.closeTo(0.28, 12),
      certificate: 'exact',
    });
    // The largest ε of each of 50 releases that together are (5, 0.01)-private.
    expect(deltaOf(repeatedEvent(pure(0.249_999_9), 50), 5).upper).toBeLessThan(0.01);
  });
});

describe('composition of parts', () => {
  it('has a lower end only for events that state exactly their guarantee', () => {
    expect(epsilonOf(repeatedEvent(pure(0.1), 9), 1e-3).lower).toBeGreaterThan(0.5);
    expect(epsilonOf(repeatedEvent(failing(1e-6, pure(0.1)), 9), 1e-3).lower).toBeGreaterThan(0.5);
    const filtered: PrivacyEvent = {
      kind: 'core/filtered',
      v: 1,
      limit: repeatedEvent(pure(0.1), 9),
    } as PrivacyEvent;
    for (const event of [
      repeatedEvent(laplace(10), 9),
      parallelEvent([repeatedEvent(pure(0.1), 9), pure(0.5)]),
      filtered,
    ]) {
      expect(epsilonOf(event, 1e-3)).toMatchObject({ lower: 0, certificate: 'certified' });
      expect(deltaOf(event, 0.1)).toMatchObject({ lower: 0, certificate: 'certified' });
    }
  });

  it('charges parallel parts together, and no more than one after the other', () => {
    fc.assert(
      fc.property(parts, parts, tenTo(-6, -0.5), fc.constantFrom(...all), (a, b, delta, accountant) => {
        const [first, second] = [composedOf(a), composedOf(b)];
        const [apart, together] = [parallelEvent([first, second]), composedEvent([first, second])].map(
          (event) => epsilonOf(event, delta, accountant).upper,
        );
        for (const alone of [first, second])
          expect(epsilonOf(alone, delta, accountant).upper).toBeLessThanOrEqual(apart * (1 + 1e-6) + 1e-9);
        expect(apart).toBeLessThanOrEqual(together * (1 + 1e-6) + 1e-9);
      }),
      { numRuns: inputs(60) },
    );
  });
});
