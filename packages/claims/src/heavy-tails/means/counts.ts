import type { ShuffleContext } from '@lethe/core';
import { defineClaimCheck, enumerate, type ClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { binomial } from '../../common/binomial.js';
import { tenTo } from '../../common/inputs.js';
import type { OracleSubject } from './subject.js';

/**
 * Distribution of the ones: one user's number, rounded at random between two levels, plus noise; other users
 * cancel.
 */
function onesOf(noise: Float64Array, place: number, levels: number): Float64Array {
  const low = Math.floor(place);
  const share = place - low;
  const out = new Float64Array(noise.length + levels + 1);
  noise.forEach((mass, k) => {
    out[k + low] += (1 - share) * mass;
    out[k + low + 1] += share * mass;
  });
  return out;
}
const hockeyStick = (p: Float64Array, q: Float64Array, epsilon: number): number =>
  p.reduce((sum, mass, k) => sum + Math.max(0, mass - Math.exp(epsilon) * q[k]), 0);

const places = [0, 0.25, 0.5, 0.9, 1];
/** The worst pair of numbers: δ at `ε(2/g + |Δz|/τ)`, both ways. */
function within(
  noise: Float64Array,
  { levels, epsilon, delta }: { readonly levels: number; readonly epsilon: number; readonly delta: number },
  what: string,
): Violation | undefined {
  return firstOf(
    places.flatMap((a) =>
      places.map((b) =>
        exceeds({
          what: `δ of ${what} between numbers at ${a} and ${b} of the range`,
          got: hockeyStick(
            onesOf(noise, a * levels, levels),
            onesOf(noise, b * levels, levels),
            epsilon * (2 / levels + Math.abs(a - b)),
          ),
          most: delta,
        }),
      ),
    ),
  );
}

const settings = [
  { users: 16, levels: 4, epsilon: 1, delta: 0.01 },
  { users: 16, levels: 4, epsilon: 4, delta: 0.1 },
  { users: 4, levels: 2, epsilon: 0.5, delta: 1e-3 },
  { users: 9, levels: 6, epsilon: 12, delta: 1e-6 },
];

/** Random bits of all users in the shipped protocol: the messages that carry no data. */
const noiseBitsOf = ({ shuffledScalarSum }: OracleSubject, levels: number, context: ShuffleContext): number =>
  context.users * (shuffledScalarSum.messageCount({ lower: 0, upper: 1, levels }, context) - levels);

/** Row C10. */
export const countPrivacy = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/count-privacy',
    tier: 'exact',
    statement:
      'for two data sets that differ in one number, the counts of ones are (ε(2/g + |Δz|/τ), ' +
      'δ)-indistinguishable, for the noise printed in Lemma 56 and for the shipped fair bits; and the ' +
      'lemma’s conditions on the noise imply p below 1/2',
    power:
      'noise of a three-hundredth of the printed one (7.0 δ), or of a three-hundredth of the bits: exact ' +
      'distributions of the counts at four settings with 25 pairs of numbers',
    run: () =>
      tried(settings, (setting) => {
        const { users, levels, epsilon, delta } = setting;
        const { noiseBits, probability } = subject.countNoise(setting);
        const context = {
          dimension: 1,
          users,
          honestUsers: users,
          target: { epsilon: epsilon * (1 + 2 / levels), delta },
        };
        return firstOf([
          probability < 0.5
            ? undefined
            : {
                what: `the probability of a noise bit is ${probability}`,
                measured: probability,
                allowed: 0.5,
              },
          within(binomial(users * noiseBits, probability), setting, 'the printed noise'),
          // The whole range with rounding costs the target, so a change of Δz costs its share.
          context.target.epsilon <= 15
            ? within(binomial(noiseBitsOf(subject, levels, context), 0.5), setting, 'the fair bits')
            : undefined,
        ]);
      }),
  });

/** Number of ones reported by one user, over all outcomes. */
function reportOf(
  { shuffledScalarSum }: OracleSubject,
  levels: number,
  context: ShuffleContext,
  x: number,
): { readonly mean: number; readonly variance: number; readonly messages: number } | null {
  const outcomes = enumerate((random) =>
    shuffledScalarSum.randomise({ lower: 0, upper: 1, levels }, context, Float64Array.of(x), random),
  );
  if (outcomes === null) return null;
  const ones = outcomes.map(({ value, probability }) => ({
    count: value.reduce((sum, message) => sum + message, 0),
    probability,
  }));
  const mean = ones.reduce((sum, { count, probability }) => sum + count * probability, 0);
  return {
    mean,
    variance: ones.reduce((sum, { count, probability }) => sum + (count - mean) ** 2 * probability, 0),
    messages: outcomes[0].value.length,
  };
}
/** Estimate of the analyser from the number of ones. */
const estimateOf = (
  { shuffledScalarSum }: OracleSubject,
  levels: number,
  context: ShuffleContext,
  all: number,
  ones: number,
): number =>
  shuffledScalarSum.analyse(
    { lower: 0, upper: 1, levels },
    context,
    new Uint32Array(all).fill(1, 0, ones),
  )[0];

/** Variance of rounding numbers half-way between levels. */
const roundingOf = (
  subject: OracleSubject,
  { users, range, levels }: { readonly users: number; readonly range: number; readonly levels: number },
): number =>
  subject.countVariance({
    range,
    levels,
    fractions: Array.from({ length: users }, () => 0.5),
    noiseBits: 0,
    probability: 0.5,
  });

/** Row C11. */
export const countMoments = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/count-moments',
    tier: 'search',
    statement:
      'the shuffled sum of numbers is unbiased for all inputs, and its variance is (τ/g)² times the ' +
      'variance of rounding, frac(1 − frac) for each number, plus that of noise bits, s·b·p(1 − p); with ' +
      '√s levels rounding adds at most a quarter of τ², in any unit; at the printed noise the variance ' +
      'is at most 90τ² ln(2/δ)(1 − p)/ε² + sτ²/(4g²)',
    power:
      'a relative error of 1e-9 of mean and variance, exactly: over all outcomes of up to 130 users ' +
      'of the shipped protocol, at 12 data sets; the printed formula at 200 settings; levels that depend ' +
      'on the unit, in the formula and in the shipped protocol',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              users: fc.integer({ min: 100, max: 130 }),
              levels: fc.integer({ min: 2, max: 9 }),
              sixteenths: fc.array(fc.integer({ min: 0, max: 16 }), { minLength: 130, maxLength: 130 }),
            }),
            ({ users, levels, sixteenths }) => {
              // The smallest number of noise bits: the proved one for ε = 15 and δ near 1/2.
              const context = {
                dimension: 1,
                users,
                honestUsers: users,
                target: { epsilon: 15, delta: 0.499 },
              };
              const numbers = sixteenths.slice(0, users).map((k) => k / 16);
              const by = new Map(
                [...new Set(numbers)].map((x) => [x, reportOf(subject, levels, context, x)]),
              );
              if ([...by.values()].includes(null)) return { what: 'the outcomes of a user cannot be listed' };
              const reports = numbers.map((x) => defined(by.get(x)));
              const messages = reports[0].messages;
              const all = users * messages;
              const nothing = estimateOf(subject, levels, context, all, 0);
              const unit = estimateOf(subject, levels, context, all, 1) - nothing;
              const noiseBits = users * (messages - levels);
              const fractions = numbers.map((x) => x * levels - Math.floor(x * levels));
              return firstOf([
                differs({
                  what: 'the mean of the estimate',
                  got: nothing + unit * reports.reduce((sum, { mean }) => sum + mean, 0),
                  want: numbers.reduce((sum, x) => sum + x, 0),
                  tolerance: 1e-9,
                  size: users,
                }),
                differs({
                  what: 'the variance of the estimate',
                  got: unit ** 2 * reports.reduce((sum, { variance }) => sum + variance, 0),
                  want: subject.countVariance({ range: 1, levels, fractions, noiseBits, probability: 0.5 }),
                  tolerance: 1e-9,
                }),
                exceeds({
                  what: 'the variance',
                  got: subject.countVariance({ range: 1, levels, fractions, noiseBits, probability: 0.5 }),
                  most: defined(subject.shuffledScalarSum.varianceBound)(
                    { lower: 0, upper: 1, levels },
                    context,
                  ),
                  slack: 1e-9,
                }),
              ]);
            },
            { runs: 12 },
          ),
        () =>
          env.forAll(
            fc.record({ users: fc.integer({ min: 1, max: 10_000 }), range: tenTo(-6, 6) }),
            ({ users, range }) =>
              exceeds({
                what: 'the variance of rounding, over that of one number',
                got:
                  roundingOf(subject, { users, range, levels: subject.countLevels({ users, range }) }) /
                  range ** 2,
                most: 1 / 4,
                slack: 1e-9,
              }),
            { runs: 200 },
          ),
        // The shipped levels depend only on the number of users: the error relative to the range is equal in
        // any unit, and rounding is at most a quarter of it.
        () =>
          env.forAll(
            fc.record({
              users: fc.integer({ min: 1000, max: 10_000 }),
              range: tenTo(-6, 6),
              epsilon: fc.constantFrom(1, 5, 15),
            }),
            ({ users, range, epsilon }) => {
              const context = { dimension: 1, users, honestUsers: users, target: { epsilon, delta: 1e-3 } };
              const share = (upper: number): number =>
                defined(subject.shuffledScalarSum.varianceBound)({ lower: 0, upper }, context) / upper ** 2;
              const levels = Math.ceil(Math.sqrt(users));
              const all = subject.shuffledScalarSum.messageCount({ lower: 0, upper: range }, context);
              return firstOf([
                differs({
                  what: 'the variance that is declared, over that in the unit of the range,',
                  got: share(range),
                  want: share(1),
                  tolerance: 1e-9,
                }),
                differs({
                  what: 'that of rounding and of the noise bits of all users',
                  got: share(range),
                  want: (users / 4 + (users * (all - levels)) / 4) / levels ** 2,
                  tolerance: 1e-9,
                }),
              ]);
            },
            { runs: 60 },
          ),
        () =>
          env.forAll(
            fc.record({
              users: fc.integer({ min: 1, max: 10_000 }),
              levels: fc.integer({ min: 2, max: 100 }),
              range: tenTo(-3, 3),
              epsilon: fc.integer({ min: 1, max: 150 }).map((k) => k / 10),
              delta: tenTo(-10, -1),
            }),
            (setting) => {
              const { users, levels, range, epsilon, delta } = setting;
              const { noiseBits, probability } = subject.countNoise(setting);
              const fractions = Array.from({ length: users }, () => 0.5);
              return exceeds({
                what: 'the variance at the printed noise',
                got: subject.countVariance({
                  range,
                  levels,
                  fractions,
                  noiseBits: users * noiseBits,
                  probability,
                }),
                most:
                  (90 * range ** 2 * Math.log(2 / delta) * (1 - probability)) / epsilon ** 2 +
                  (users * range ** 2) / (4 * levels ** 2),
                slack: 1e-9,
              });
            },
            { runs: 200 },
          ),
      ),
  });

/** Row C11, as printed. */
export const countMomentsPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/count-moments-printed',
    tier: 'exact',
    statement:
      'as printed: with g ≥ τ√s levels the variance is of the order of (τ²/ε²) ln(1/δ), here at most a ' +
      'hundred times that, in every unit of τ',
    run: () =>
      tried(
        [
          { users: 10_000, range: 1 },
          { users: 10_000, range: 0.01 },
        ],
        ({ users, range }) =>
          exceeds({
            what: `the variance of rounding ${users} numbers up to ${range}, over τ²`,
            got:
              roundingOf(subject, { users, range, levels: subject.countLevelsPrinted({ users, range }) }) /
              range ** 2,
            most: (100 * Math.log(1 / 0.1)) / 1,
          }),
      ),
  });
