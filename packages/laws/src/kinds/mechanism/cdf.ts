import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { cdfOf, isExact } from './call.js';

/** Positions of many scales, on both sides of 0. */
const positions = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.integer({ min: -400, max: 400 }).map((k) => k / 16) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(1, -1), fc.integer({ min: -1074, max: 1023 }))
      .map(([sign, k]) => sign * 2 ** k),
  },
);

/** A few roundings of a number near 1. */
const rounding = 2 ** -50;

export const cdfLaw = defineLaw({
  id: 'mechanism/cdf',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'the declared distribution function is valid: between 0 and 1, non-decreasing, ' +
    'with limits 0 and 1, and for integer noise constant between integers',
  power:
    'one value outside [0, 1], a NaN, a decrease or a wrong limit, on 400 pairs of positions of every scale',
  check(subject, env) {
    const cdf = cdfOf(subject);
    const whole = isExact(subject);
    const flat = (x: number): Violation | undefined => {
      const from = Math.floor(x);
      const moved = cdf(from + 0.5) - cdf(from);
      if (!whole || !(Math.abs(x) < 2 ** 40) || Math.abs(moved) <= rounding) return undefined;
      return {
        what:
          'between integers the distribution function of integer noise is constant; ' +
          `from ${from} to ${from + 0.5} it moves by ${moved}`,
        measured: moved,
        allowed: 0,
      };
    };
    return env.forAll(
      fc.tuple(positions, positions),
      ([a, b]): Violation | undefined => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        for (const x of [low, high]) {
          const value = cdf(x);
          if (!(value >= 0 && value <= 1))
            return {
              what: `the distribution function is ${value} at ${x}; it must be a probability`,
              measured: value,
            };
          const limit = x < 0 ? 0 : 1;
          if (Math.abs(x) >= 2 ** 900 && !(Math.abs(value - limit) <= rounding))
            return {
              what: `the distribution function is ${value} at ${x}; it must be ${limit} there`,
              measured: value,
              allowed: limit,
            };
        }
        const [atLow, atHigh] = [cdf(low), cdf(high)];
        if (!(atLow <= atHigh * (1 + rounding)))
          return {
            what: `the distribution function falls from ${atLow} at ${low} to ${atHigh} at ${high}`,
            measured: atLow,
            allowed: atHigh,
          };
        return flat(a);
      },
      {
        runs: 400,
        examples: [
          [-Infinity, Infinity],
          [-Number.MAX_VALUE, Number.MAX_VALUE],
          [0, Number.MIN_VALUE],
          [-0, 0],
        ],
      },
    );
  },
});

export const symmetricLaw = defineLaw({
  id: 'mechanism/symmetric',
  kind: 'mechanism',
  tier: 'search',
  onClaim: true,
  statement: 'noise and its negative have the same distribution: F(x) = 1 − F(−x−) wherever F is declared',
  power: 'an asymmetry of 1e-14 at one of 200 positions',
  check: (subject, env) => {
    const cdf = cdfOf(subject);
    // Positions on both sides of a possible atom.
    const jump = isExact(subject) ? 0.5 : 0;
    return env.forAll(
      positions.filter((x) => Math.abs(x) < 2 ** 40),
      (x): Violation | undefined => {
        const at = jump === 0 ? x : Math.floor(x) + jump;
        const gap = cdf(at) + cdf(-at) - 1;
        return Math.abs(gap) <= 2 ** -46
          ? undefined
          : {
              what:
                `the probabilities of the two tails at ${at} and at its ` +
                `opposite should be equal; they differ by ${gap}`,
              measured: gap,
              allowed: 0,
            };
      },
      { runs: 200 },
    );
  },
});
