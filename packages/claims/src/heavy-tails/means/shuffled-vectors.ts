import type { ShuffleContext, Vector } from '@lethe/core';
import { defineClaimCheck, enumerate, type ClaimCheck } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import type { OracleSubject } from './subject.js';

interface Params {
  readonly radius: number;
  readonly levels: number;
}

/** Mean and variance of the ones that one user reports in each entry, over all outcomes. */
function reportOf(
  { shuffledVectorSum }: OracleSubject,
  params: Params,
  context: ShuffleContext,
  x: Vector,
): { readonly mean: readonly number[]; readonly variance: readonly number[] } | null {
  const outcomes = enumerate((random) => shuffledVectorSum.randomise(params, context, x, random));
  if (outcomes === null) return null;
  const per = Array.from(x, (_, j) =>
    outcomes.map(({ value, probability }) => ({
      ones: value.reduce((sum, message) => sum + Number(message === 2 * j + 1), 0),
      probability,
    })),
  );
  const mean = per.map((ones) => ones.reduce((sum, one) => sum + one.ones * one.probability, 0));
  return {
    mean,
    variance: per.map((ones, j) =>
      ones.reduce((sum, one) => sum + (one.ones - mean[j]) ** 2 * one.probability, 0),
    ),
  };
}

/** Estimate of the analyser from ones in the first entry only. */
function estimateOf(
  { shuffledVectorSum }: OracleSubject,
  params: Params,
  context: ShuffleContext,
  ones: number,
): number {
  const { users, dimension } = context;
  const bits = (users * shuffledVectorSum.messageCount(params, context)) / dimension;
  const messages = new Uint32Array(bits * dimension);
  for (let j = 0; j < dimension; j++) messages.fill(2 * j, j * bits, (j + 1) * bits);
  return shuffledVectorSum.analyse(params, context, messages.fill(1, 0, ones))[0];
}

/** Of the radius: numbers at which few draws decide the rounding, of norm below 1 in two dimensions. */
const eighths = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 4, maxLength: 8 });

/** Row C12. */
export const shuffledVectors = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/shuffled-vectors',
    tier: 'search',
    statement:
      'the shuffled sum of vectors of norm up to C is unbiased for Σx, centred at sC; ' +
      'its variance is at most what it declares, which is at most 4dC²(90 ' +
      'ln(4d/δ)/ε̂² + s/(4g²)) with the ε̂ of a proof by advanced composition',
    power:
      'a relative error of 1e-9 of mean and variance, exactly: over all outcomes of up to 130 users ' +
      'in one and two dimensions, at 12 data sets; the bound at 300 settings',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              dimension: fc.constantFrom(1, 2),
              users: fc.integer({ min: 125, max: 130 }),
              levels: fc.integer({ min: 3, max: 6 }),
              radius: fc.integer({ min: -6, max: 6 }).map((k) => 2 ** k),
              entries: eighths,
            }),
            ({ dimension, users, levels, radius, entries }) => {
              const context = { dimension, users, honestUsers: users, target: { epsilon: 15, delta: 0.499 } };
              const params = { radius, levels };
              const kinds = [0, 1, 2].map((k) =>
                Float64Array.from(
                  { length: dimension },
                  (_, j) => (radius * entries[(k + j) % entries.length]) / 8,
                ),
              );
              const reports = kinds.map((x) => reportOf(subject, params, context, x));
              if (reports.includes(null)) return { what: 'the outcomes of a user cannot be listed' };
              const nothing = estimateOf(subject, params, context, 0);
              const unit = estimateOf(subject, params, context, 1) - nothing;
              const counts = [users - 20, 13, 7];
              const total = (of: (kind: number, j: number) => number): number[] =>
                Array.from({ length: dimension }, (_, j) =>
                  counts.reduce((sum, count, kind) => sum + count * of(kind, j), 0),
                );
              const sums = total((kind, j) => kinds[kind][j]);
              const ones = total((kind, j) => defined(reports[kind]).mean[j]);
              const variances = total((kind, j) => defined(reports[kind]).variance[j]);
              return firstOf([
                ...sums.map((want, j) =>
                  differs({
                    what: `the mean of entry ${j} of the estimate`,
                    got: nothing + unit * ones[j],
                    want,
                    tolerance: 1e-9,
                    size: users * radius,
                  }),
                ),
                // The formula: the sum over w = x + C, minus sC.
                ...sums.map((want) =>
                  differs({
                    what: 'the sum of shifted entries, re-centred',
                    got: subject.recentred({ total: want + users * radius, users, radius }),
                    want,
                    tolerance: 1e-9,
                    size: users * radius,
                  }),
                ),
                exceeds({
                  what: 'the variance of the estimate',
                  got: unit ** 2 * variances.reduce((sum, one) => sum + one, 0),
                  most: defined(subject.shuffledVectorSum.varianceBound)(params, context),
                  slack: 1e-9,
                }),
              ]);
            },
            { runs: 12 },
          ),
        () =>
          env.forAll(
            fc.record({
              dimension: fc.integer({ min: 1, max: 30 }),
              users: fc.integer({ min: 20, max: 20_000 }),
              radius: tenTo(-2, 2),
              epsilon: tenTo(-1, 1),
              delta: tenTo(-9, -1),
            }),
            (setting) => {
              const { dimension, users, radius, epsilon, delta } = setting;
              const context = { dimension, users, honestUsers: users, target: { epsilon, delta } };
              if (subject.vectorVariance(setting) / (dimension * radius ** 2 * users) > 1e6) return undefined;
              return exceeds({
                what: 'the variance that is declared',
                got: defined(subject.shuffledVectorSum.varianceBound)({ radius }, context),
                most: subject.vectorVariance(setting),
              });
            },
            { runs: 300 },
          ),
      ),
  });

/** Row C12, as printed. */
export const shuffledVectorsPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/shuffled-vectors-printed',
    tier: 'exact',
    statement:
      'as printed: the sum of the shifted entries less L, ' +
      'the bound on one record, is unbiased for the sum of the entries',
    run: () =>
      tried(
        [
          { users: 2, radius: 1 },
          { users: 100, radius: 3 },
        ],
        ({ users, radius }) =>
          differs({
            what: `the mean of the estimate for ${users} zeros with bound ${radius}`,
            got: subject.recentredPrinted({ total: users * radius, users, radius }),
            want: 0,
          }),
      ),
  });
