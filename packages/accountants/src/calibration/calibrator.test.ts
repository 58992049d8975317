import {
  type Accountant,
  defineAccountant,
  freeEvent,
  gaussianEvent,
  type Interval,
  InvalidParameter,
  type PrivacyEvent,
  repeatedEvent,
  Unsupported,
  unprotectedEvent,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concentrated, failing, gaussian, gaussians, poisson, pure, sgd } from '../../test/events.js';
import { bestOf, calibrator, gdp, pld, rdp, saddlePoint, zcdp } from '../index.js';
import { inputs } from '../../test/effort.js';

const adjacency = 'zero-out';
/** Quick ones, since calibration asks often. */
const accountants = [gdp, rdp, zcdp];
const calibrate = calibrator(accountants);
const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));

describe('calibrator', () => {
  it('ends on the private side, within the tolerance', () => {
    fc.assert(
      fc.property(tenTo(-4, 3), tenTo(-12, -2), (epsilon, delta) => {
        const { value, achieved } = calibrate({
          make: gaussian,
          target: { epsilon, delta },
          adjacency,
          direction: 'larger-is-private',
        });
        expect(achieved.upper).toBeLessThanOrEqual(epsilon);
        expect(achieved).toEqual(bestOf(accountants).epsilon(gaussian(value), { adjacency, delta }));
        expect(gdp.epsilon(gaussian(value * (1 - 1.1e-9)), { adjacency, delta }).upper).toBeGreaterThan(
          epsilon,
        );
      }),
      { numRuns: inputs(40) },
    );
  });

  it('calibrates a sampled run in few probes', () => {
    let probes = 0;
    const make = (sigma: number): PrivacyEvent => {
      probes++;
      return sgd(0.01, sigma, 1000);
    };
    const { value, achieved } = calibrate({
      make,
      target: { epsilon: 1, delta: 1e-5 },
      adjacency,
      direction: 'larger-is-private',
    });
    expect(achieved.upper).toBeLessThanOrEqual(1);
    expect(achieved.upper).toBeGreaterThan(1 - 1e-8);
    expect(value).toBeCloseTo(1.513, 3);
    expect(probes).toBeLessThan(16);
  });

  it('asks a slow, tight accountant few times, and lands on its side', () => {
    fc.assert(
      fc.property(
        tenTo(-1.5, 1),
        fc.integer({ min: 30, max: 95 }),
        fc.constantFrom('smooth', 'rough', 'jumping'),
        (epsilon, share, shape) => {
          let asked = 0;
          // Less than Rényi's bound, and rough, as what is read off a grid is.
          const slow: Accountant = defineAccountant({
            ...rdp,
            name: 'slow',
            epsilon: (event, query) => {
              asked++;
              const upper = (rdp.epsilon(event, query).upper * share) / 100;
              let read: number;
              if (shape === 'smooth') read = upper;
              else if (shape === 'rough') read = upper * (1 + 1e-6 * Math.sin(1e9 * upper));
              else read = upper * (1 + 0.01 * (Math.floor(300 * Math.log(upper)) & 1));
              return {
                lower: read * 0.999,
                upper: read,
                certificate: 'certified',
                method: 'slow',
                assumptions: [],
              };
            },
          });
          const { value, achieved } = calibrator([rdp, slow])({
            make: (sigma) => sgd(0.01, sigma, 1000),
            target: { epsilon, delta: 1e-5 },
            adjacency,
            direction: 'larger-is-private',
          });
          expect(achieved.upper).toBeLessThanOrEqual(epsilon);
          expect(achieved.upper).toBeGreaterThan(epsilon * (shape === 'jumping' ? 0.98 : 1 - 1e-5));
          expect(achieved).toEqual(
            bestOf([rdp, slow]).epsilon(sgd(0.01, value, 1000), { adjacency, delta: 1e-5 }),
          );
          expect(asked).toBeLessThanOrEqual(shape === 'smooth' ? 12 : 40);
        },
      ),
      { numRuns: inputs(40) },
    );
    const tight: Accountant = defineAccountant({
      ...rdp,
      name: 'tight',
      epsilon: (event, query) => ({
        ...rdp.epsilon(event, query),
        upper: rdp.epsilon(event, query).upper * 0.9,
      }),
    });
    const steps = calibrator([rdp, tight])({
      make: (n) => sgd(0.1, 3, n),
      target: { epsilon: 2, delta: 1e-6 },
      adjacency,
      integer: true,
    });
    expect(tight.epsilon(sgd(0.1, 3, steps.value), { adjacency, delta: 1e-6 }).upper).toBeLessThanOrEqual(2);
    expect(tight.epsilon(sgd(0.1, 3, steps.value + 1), { adjacency, delta: 1e-6 }).upper).toBeGreaterThan(2);
  });

  it('meets δ at ε and ε at δ alike', () => {
    fc.assert(
      fc.property(tenTo(-2, 1.5), tenTo(-10, -2), fc.boolean(), (epsilon, delta, sampled) => {
        const request = {
          make: (sigma: number) => (sampled ? sgd(0.02, sigma, 50) : gaussian(sigma)),
          target: { epsilon, delta },
          adjacency,
          direction: 'larger-is-private',
        } as const;
        const one = calibrate(request);
        const other = calibrate({ ...request, by: 'delta' });
        expect(other.achieved.upper).toBeLessThanOrEqual(delta);
        expect(
          bestOf(accountants).delta(request.make(one.value), { adjacency, epsilon }).upper,
        ).toBeLessThanOrEqual(delta * (1 + 1e-6));
        expect(Math.abs(Math.log(one.value / other.value))).toBeLessThan(1e-6);
      }),
      { numRuns: inputs(40) },
    );
  });

  it('detects the private direction', () => {
    const target = { epsilon: 1, delta: 1e-6 };
    expect(calibrate({ make: gaussian, target, adjacency })).toMatchObject({
      direction: 'larger-is-private',
      value: calibrate({ make: gaussian, target, adjacency, direction: 'larger-is-private' }).value,
    });
    expect(calibrate({ make: (n) => gaussians(20, n), target, adjacency, integer: true }).direction).toBe(
      'smaller-is-private',
    );
    expect(calibrate({ make: (rate) => sgd(rate, 2, 100), target, adjacency }).direction).toBe(
      'smaller-is-private',
    );
    expect(() => calibrate({ make: () => unprotectedEvent, target, adjacency })).toThrow(Unsupported);
  });

  it('stays inside the bracket, and reports when nothing there is private enough', () => {
    const request = {
      make: gaussian,
      target: { epsilon: 1, delta: 1e-5 },
      adjacency,
      direction: 'larger-is-private',
    } as const;
    expect(calibrate({ ...request, bracket: [5, 9] }).value).toBe(5);
    expect(calibrate({ ...request, bracket: [0, 9] }).value).toBeCloseTo(3.7306316348, 8);
    expect(calibrate({ ...request, bracket: [0, 9.5], integer: true }).value).toBe(4);
    expect(() => calibrate({ ...request, bracket: [0, 3] })).toThrow(Unsupported);
    expect(() => calibrate({ ...request, bracket: [3.2, 3.8], integer: true })).toThrow(InvalidParameter);
    // Steps along a slope from near the end of the bracket lead beyond it.
    const least = 13.9928;
    const beside = calibrator([gdp, rdp, pld])({
      ...request,
      make: (sigma) => sgd(0.133, sigma, 3),
      target: { epsilon: 0.096, delta: 2e-10 },
      bracket: [least, 20 * least],
    });
    expect(beside.value).toBeGreaterThanOrEqual(least);
    expect(beside.achieved.upper).toBeLessThanOrEqual(0.096);
    const none = {
      make: (n: number) => gaussians(30, n),
      target: request.target,
      adjacency,
      integer: true,
    } as const;
    const values: number[] = [];
    const seen = calibrate({
      ...none,
      bracket: [0, 9],
      start: 4,
      make: (n) => {
        values.push(n);
        return none.make(n);
      },
    });
    expect(values.every((n) => Number.isInteger(n) && n >= 0 && n <= 9)).toBe(true);
    expect(seen.value).toBe(9);
  });

  it('tries no more values than it may', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), tenTo(-3, 3), (probeLimit, epsilon) => {
        let tried = 0;
        const make = (sigma: number): PrivacyEvent => {
          tried++;
          return gaussian(sigma);
        };
        let found: Interval | undefined;
        try {
          found = calibrate({ make, target: { epsilon, delta: 1e-6 }, adjacency, probeLimit }).achieved;
        } catch (error) {
          expect(error).toBeInstanceOf(Unsupported);
        }
        expect(tried).toBeLessThanOrEqual(probeLimit);
        expect(found?.upper ?? 0).toBeLessThanOrEqual(epsilon);
      }),
      { numRuns: inputs(60) },
    );
  });

  it('returns what it checked, however the cost wanders', () => {
    fc.assert(
      fc.property(
        fc.array(tenTo(-3, 3), { minLength: 1, maxLength: 12 }),
        tenTo(-2, 2),
        fc.boolean(),
        fc.boolean(),
        (costs, epsilon, integer, larger) => {
          const make = (x: number): PrivacyEvent =>
            pure(costs[Math.abs(Math.floor(Math.log2(x) * 3)) % costs.length]);
          const direction = larger ? 'larger-is-private' : 'smaller-is-private';
          try {
            const { value, achieved } = calibrate({
              make,
              target: { epsilon, delta: 0 },
              adjacency,
              integer,
              direction,
            });
            expect(achieved.upper).toBeLessThanOrEqual(epsilon);
            expect(achieved.upper).toBe(
              bestOf(accountants).epsilon(make(value), { adjacency, delta: 0 }).upper,
            );
          } catch (error) {
            expect(error).toBeInstanceOf(Unsupported);
          }
        },
      ),
    );
  });

  it('finds the largest number of steps, and the largest rate', () => {
    const target = { epsilon: 2, delta: 1e-6 };
    const steps = calibrate({
      make: (n) => sgd(0.1, 3, n),
      target,
      adjacency,
      direction: 'smaller-is-private',
      integer: true,
    });
    expect(Number.isInteger(steps.value)).toBe(true);
    expect(steps.achieved.upper).toBeLessThanOrEqual(2);
    expect(rdp.epsilon(sgd(0.1, 3, steps.value + 1), { adjacency, delta: 1e-6 }).upper).toBeGreaterThan(2);
    // The exact number is 155 (by privacy loss distributions); Rényi divergences allow fewer.
    expect(steps.value).toBeLessThanOrEqual(155);
    expect(steps.value).toBeGreaterThan(110);
    const rate = calibrate({
      make: (q) => poisson(q, gaussians(3, 3)),
      target,
      adjacency,
      direction: 'smaller-is-private',
    });
    expect(rate.value).toBeLessThan(1);
    expect(rate.achieved.upper).toBeGreaterThan(2 - 1e-6);
    // A rate above 1 is no event: the search stays where there are some.
    expect(
      calibrate({ make: (q) => poisson(q, gaussian(30)), target, adjacency, direction: 'smaller-is-private' })
        .value,
    ).toBeLessThanOrEqual(1);
  });

  it('finds the least whole number, at both ends of the range', () => {
    const least = (epsilon: number): number =>
      calibrate({
        make: gaussian,
        target: { epsilon, delta: 1e-5 },
        adjacency,
        direction: 'larger-is-private',
        integer: true,
      }).value;
    expect([least(1), least(100), least(1e-6)]).toEqual([4, 1, expect.any(Number)]);
    expect(gdp.epsilon(gaussian(3), { adjacency, delta: 1e-5 }).upper).toBeGreaterThan(1);
    expect(
      calibrate({
        make: (n) => repeatedEvent(pure(1e-17), n),
        target: { epsilon: 1, delta: 0 },
        adjacency,
        direction: 'smaller-is-private',
        integer: true,
      }).value,
    ).toBe(2 ** 52);
  });

  it('reaches tiny and huge targets', () => {
    for (const epsilon of [1e-12, 1e-6, 1e6, 1e12]) {
      const { achieved } = calibrate({
        make: gaussian,
        target: { epsilon, delta: 1e-8 },
        adjacency,
        direction: 'larger-is-private',
      });
      expect(achieved.upper).toBeLessThanOrEqual(epsilon);
      expect(achieved.upper).toBeGreaterThan(epsilon * (1 - 1e-6) - 1e-14);
    }
    const { value } = calibrator([zcdp])({
      make: concentrated,
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
      direction: 'smaller-is-private',
    });
    expect(value).toBeCloseTo(0.024355970359538372, 9);
  });

  it('reports a target that nothing meets', () => {
    const request = { target: { epsilon: 1, delta: 0 }, adjacency, direction: 'larger-is-private' } as const;
    for (const make of [gaussian, () => unprotectedEvent])
      expect(() => calibrate({ ...request, make })).toThrow(Unsupported);
    expect(() =>
      calibrate({
        ...request,
        make: (n) => repeatedEvent(pure(2), n),
        direction: 'smaller-is-private',
        integer: true,
      }),
    ).toThrow(Unsupported);
    expect(() => calibrate({ ...request, make: () => ({ kind: 'acme/unknown', v: 1 }) })).toThrow(
      Unsupported,
    );
  });

  it('ignores an accountant whose answers are not monotone', () => {
    const target = { delta: 1e-12 };
    fc.assert(
      fc.property(
        tenTo(-8.5, -4.5),
        fc.integer({ min: 0, max: 9 }),
        tenTo(9, 12),
        (epsilon, share, cliff) => {
          let asked = 0;
          const named = (name: string, upperOf: (sigma: number, upper: number) => number): Accountant =>
            defineAccountant({
              ...gdp,
              name,
              epsilon: (event, query) => {
                asked++;
                const { upper } = gdp.epsilon(event, query);
                const { sigma } = event as unknown as { readonly sigma: number };
                return {
                  lower: 0,
                  upper: upperOf(sigma, upper),
                  certificate: 'certified',
                  method: name,
                  assumptions: [],
                };
              },
            });
          // Far too much, but for σ beyond the cliff, where it is the tightest.
          const lost = named('lost', (sigma, upper) =>
            sigma > cliff ? upper : Math.max(upper, 1e-3 * (1.1 + Math.sin(sigma * (share + 1)))),
          );
          const slow = named('slow', (_, upper) => upper * (1 + share / 100));
          const { achieved } = calibrator([lost, slow])({
            make: gaussian,
            target: { ...target, epsilon },
            adjacency,
          });
          expect(achieved.upper).toBeLessThanOrEqual(epsilon);
          expect(achieved.upper).toBeGreaterThan(epsilon * (1 - 1e-5));
          expect(asked).toBeLessThan(90);
        },
      ),
      { numRuns: inputs(40) },
    );
  });

  it('reaches tiny targets of sampled runs', () => {
    const make = (sigma: number): PrivacyEvent => sgd(0.01, sigma, 1000);
    for (const by of ['epsilon', 'delta'] as const) {
      const { value } = calibrator([rdp, saddlePoint])({
        make,
        target: { epsilon: 1e-6, delta: 1e-12 },
        adjacency: 'add-remove',
        by,
      });
      expect(Math.abs(value / 1303919 - 1)).toBeLessThan(1e-5);
    }
  });

  it('accepts the last values before refusal', () => {
    const rate = {
      make: (q: number) => sgd(q, 1, 100),
      target: { epsilon: 5000, delta: 1e-6 },
      adjacency,
    } as const;
    for (const start of [0.01, 0.3, 1]) expect(calibrate({ ...rate, start }).value).toBe(1);
    expect(calibrate({ ...rate, bracket: [0, 0.5], start: 0.01 }).value).toBe(0.5);
    expect(
      calibrate({
        make: (delta) => failing(delta, pure(0.5)),
        target: { epsilon: 1, delta: 1e-6 },
        adjacency,
      }).value,
    ).toBe(1e-6);
  });

  it('does not repeat a probe', () => {
    const asked: number[] = [];
    const make = (sigma: number): PrivacyEvent => {
      asked.push(sigma);
      return sgd(0.01, sigma, 1000);
    };
    const { probes } = calibrator([rdp])({ make, target: { epsilon: 1, delta: 1e-5 }, adjacency });
    expect(new Set(asked).size).toBe(asked.length);
    expect(probes).toBe(asked.length);
  });

  it('says that the cost is always the same', () => {
    const target = { epsilon: 2, delta: 1e-6 };
    const ratio = (sigma: number): PrivacyEvent =>
      gaussianEvent(3 * sigma, { 'add-remove': sigma, 'replace-one': 2 * sigma, 'zero-out': 1.1 * sigma });
    for (const make of [ratio, () => pure(0.5), () => freeEvent]) {
      for (const more of [
        {},
        { integer: true },
        { direction: 'smaller-is-private' },
        { direction: 'larger-is-private' },
        { bracket: [1, 1e9] },
      ] as const) {
        expect(() => calibrate({ make, target, adjacency, ...more })).toThrow(
          /cost does not depend on the free number.*meets the target/,
        );
      }
      const bracket = { make, target, adjacency, bracket: [2, 1e9] } as const;
      expect(calibrate({ ...bracket, direction: 'smaller-is-private' }).value).toBe(1e9);
      expect(calibrate({ ...bracket, direction: 'larger-is-private' }).value).toBe(2);
    }
    for (const direction of [undefined, 'smaller-is-private'] as const) {
      const request = {
        make: () => pure(3),
        target,
        adjacency,
        ...(direction === undefined ? {} : { direction }),
      } as const;
      expect(() => calibrate(request)).toThrow(
        /no value.*cost does not depend on the free number.*always 2\.99999\d+;/,
      );
      expect(() => calibrate(request)).toThrow(Unsupported);
    }
    expect(calibrate({ make: () => pure(0.5), target, adjacency, bracket: [3, 3] }).value).toBe(3);
  });

  it('says that Gaussian noise has no ε at δ = 0', () => {
    const make = (sigma: number) => gaussianEvent(sigma, { 'replace-one': 1 });
    expect(() => calibrate({ make, target: { epsilon: 1, delta: 0 }, adjacency: 'replace-one' })).toThrow(
      /ε is always Infinity, as of Gaussian noise at δ = 0; raise ε or δ/u,
    );
  });

  it('says why nothing was found', () => {
    const request = { make: gaussian, target: { epsilon: 1e-3, delta: 1e-6 }, adjacency } as const;
    expect(() => calibrate({ ...request, probeLimit: 3 })).toThrow(
      /limit of 3 probes is reached.*least ε found is .* at 2; raise probeLimit/,
    );
    expect(() => calibrate({ ...request, by: 'delta', probeLimit: 3 })).toThrow(/least δ found/);
    for (const bracket of [undefined, [1, 30], [1, 1]] as const) {
      const turned = {
        ...request,
        direction: 'smaller-is-private',
        ...(bracket === undefined ? {} : { bracket }),
      } as const;
      expect(() => calibrate(turned)).toThrow(
        bracket?.[1] === 1
          ? /at 1, the most private/
          : /moves the other way than the direction 'smaller-is-private'/,
      );
    }
    expect(() => calibrate({ ...request, start: 1e6, direction: 'smaller-is-private' })).toThrow(
      /moves the other way/,
    );
    expect(() => calibrate({ ...request, bracket: [1, 30] })).toThrow(
      /at 30, the most private value that may be tried, ε is still 0\.1.*let the bracket end later/,
    );
    expect(() => calibrate({ ...request, make: (n) => gaussians(20, n), integer: true })).toThrow(
      /at 1, the most private value that may be tried, ε is still 0\.\d+; raise ε or δ, or change/,
    );
  });

  it('asks slow accountants about the most private value first', () => {
    const asked: number[] = [];
    let now = 0;
    const slow: Accountant = defineAccountant({
      ...rdp,
      name: 'slow',
      epsilon: (event, query) => {
        asked.push(now);
        return rdp.epsilon(event, query);
      },
    });
    const make = (n: number): PrivacyEvent => sgd(0.01, 1, (now = n));
    expect(() =>
      calibrator([rdp, slow])({
        make,
        target: { epsilon: 0.1, delta: 1e-12 },
        adjacency,
        integer: true,
        start: 1000,
      }),
    ).toThrow(/at 1, the most private/);
    expect(asked).toEqual([1]);
  });

  it('plans few steps at tiny rates in few probes, on the private side and near the target', () => {
    // Rare large losses: most of a law is one atom, and the rest is far away.
    const tight = [rdp, pld];
    for (const [rate, steps, delta] of [
      [5e-5, 3, 1e-6],
      [1e-6, 3, 1e-7],
      [5e-8, 3, 1e-10],
      [5e-8, 10_000, 1e-10],
    ] as const) {
      const { value, achieved, probes } = calibrator(tight)({
        make: (sigma) => sgd(rate, sigma, steps),
        target: { epsilon: 1, delta },
        adjacency,
        direction: 'larger-is-private',
      });
      expect(achieved.upper).toBeLessThanOrEqual(1);
      expect(achieved.upper).toBeGreaterThan(0.95);
      expect(probes).toBeLessThanOrEqual(20);
      expect(pld.epsilon(sgd(rate, value, steps), { adjacency, delta }).lower).toBeLessThanOrEqual(1);
    }
  }, 120_000);

  it('ends in two narrow answers near the target where wide ones have shown the slope', () => {
    for (const [steps, root] of [
      [10, 0.7793887],
      [100, 0.9020351],
    ] as const) {
      let narrow = 0;
      const counted: Accountant = defineAccountant({
        ...pld,
        epsilon: (event, query) => {
          if (query.width === 1e-5) narrow++;
          return pld.epsilon(event, query);
        },
      });
      const { value, achieved } = calibrator([rdp, counted])({
        make: (sigma) => sgd(0.01, sigma, steps),
        target: { epsilon: 1, delta: 1e-5 },
        adjacency: 'add-remove',
        direction: 'larger-is-private',
      });
      expect(narrow).toBe(2);
      expect(achieved.upper).toBeLessThanOrEqual(1);
      expect(achieved.upper).toBeGreaterThan(1 - 1e-4);
      expect(Math.abs(value / root - 1)).toBeLessThan(3e-5);
    }
  });

  it('finds a value at which the first narrow answer meets the target, whoever gave the narrowest', () => {
    const beside = (name: string, more: number): Accountant =>
      defineAccountant({
        ...gdp,
        name,
        wants: ['pair'],
        epsilon: (event, query) => {
          const { upper } = gdp.epsilon(event, query);
          const [lower, higher] = [upper * (1 - 1e-4), upper * (1 + more)];
          return { lower, upper: higher, certificate: 'certified', method: name, assumptions: [] };
        },
      });
    const both = [rdp, beside('asked', 1e-4), beside('narrowest', 0)];
    const target = { epsilon: 1, delta: 1e-6 };
    const { value, achieved } = calibrator(both)({ make: gaussian, target, adjacency });
    expect(bestOf(both).epsilon(gaussian(value), { adjacency, delta: target.delta })).toEqual(achieved);
    expect(achieved.method).toBe('asked');
    expect(achieved.upper).toBeLessThanOrEqual(1);
    expect(achieved.upper).toBeGreaterThan(1 - 1e-3);
  });

  it('finds at once that any noise meets the target, and gives the least', () => {
    const { value, achieved, probes } = calibrator([rdp, pld])({
      make: (sigma) => sgd(5e-8, sigma, 3),
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
      direction: 'larger-is-private',
    });
    expect(value).toBe(2 ** -500);
    expect(achieved).toMatchObject({ lower: 0, upper: 0 });
    expect(probes).toBeLessThanOrEqual(13);
  });

  it('stops at its abort signal: between probes, and within one', () => {
    const reason = new Error('enough');
    const stopAfter = (looks: number): { throwIfAborted(): void } => ({
      throwIfAborted: () => {
        if (looks-- <= 0) throw reason;
      },
    });
    const request = {
      // Of no other test: answers are remembered.
      make: (sigma: number) => sgd(0.0137, sigma, 100),
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
      direction: 'larger-is-private',
    } as const;
    expect(() => calibrator([rdp, pld], [], { signal: stopAfter(0) })(request)).toThrow(reason);
    for (const one of [rdp, pld, saddlePoint]) {
      let asked = 0;
      const make = (sigma: number): PrivacyEvent => {
        asked++;
        return request.make(sigma);
      };
      // The first probe begins, and does not end.
      expect(() => calibrator([one], [], { signal: stopAfter(4) })({ ...request, make })).toThrow(reason);
      expect(asked).toBe(1);
    }
    let looks = 0;
    const watching = {
      throwIfAborted: () => {
        looks++;
      },
    };
    expect(calibrator([rdp, pld], [], { signal: watching })(request)).toEqual(
      calibrator([rdp, pld])(request),
    );
    expect(looks).toBeGreaterThan(100);
  });

  it('refuses requests that make no sense', () => {
    const good = {
      make: gaussian,
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
      direction: 'larger-is-private',
    } as const;
    const bad = [
      { target: { epsilon: NaN, delta: 0 } },
      { target: { epsilon: -1, delta: 0 } },
      { target: { epsilon: 1, delta: 2 } },
      { tolerance: 0 },
      { tolerance: NaN },
      { direction: 'sideways' as 'larger-is-private' },
      { by: 'both' as 'delta' },
      { bracket: [2, 1] as const },
      { bracket: [NaN, 1] as const },
      { bracket: [1] as unknown as [number, number] },
      { start: NaN },
      { probeLimit: 1 },
      { gap: -1 },
      { make: () => gaussian(NaN) },
    ];
    for (const change of bad) expect(() => calibrate({ ...good, ...change })).toThrow(InvalidParameter);
    expect(() => calibrator([])).toThrow(InvalidParameter);
  });
});
