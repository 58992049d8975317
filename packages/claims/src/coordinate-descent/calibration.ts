import { clippedMeanEvent, repeatedEvent } from '@lethe/core';
import { defineClaimCheck, gaussianCurve, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../common/compare.js';
import { tenTo } from '../common/inputs.js';
import type { SketchingSubject } from './sketching-subject.js';

const runs = fc.record({
  lipschitz: tenTo(-3, 3),
  records: fc.integer({ min: 1, max: 1_000_000 }),
  innerSteps: fc.integer({ min: 1, max: 10_000 }),
  rounds: fc.integer({ min: 1, max: 30 }),
  epsilon: fc.integer({ min: 1, max: 100 }).map((k) => k / 100),
  delta: tenTo(-12, -0.5),
});

/** Known values of the formula: `σ_U²`. */
const anchors = [
  {
    lipschitz: 1,
    innerSteps: 100,
    rounds: 1,
    records: 1000,
    epsilon: 1,
    delta: 1e-6,
    variance: 0.016578612669557128,
  },
  {
    lipschitz: 0.5,
    innerSteps: 10,
    rounds: 3,
    records: 200,
    epsilon: 0.5,
    delta: 1e-5,
    variance: 0.10361632918473206,
  },
];

/** Row 20. */
export const noiseFormula = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/noise-formula',
    tier: 'search',
    statement:
      'the noise of Theorem 4.1 has variance 12 L_U² K T log(1/δ)/(n²ε²), ' +
      'which makes K T releases of sensitivity 2 L_U/n private',
    power: 'a relative error above 1e-12, over 300 runs with up to 300 000 steps, and at two known values',
    run: (env) =>
      both(
        () =>
          tried(anchors, ({ variance, ...run }) =>
            differs({ what: 'the variance', got: subject.runNoiseScale(run) ** 2, want: variance }),
          ),
        () =>
          env.forAll(
            runs,
            (run) => {
              const { lipschitz: L, records: n, innerSteps: K, rounds: T, epsilon, delta } = run;
              const got = subject.runNoiseScale(run);
              return firstOf([
                differs({
                  what: 'the variance',
                  got: got ** 2,
                  want: (12 * L * L * K * T * -Math.log(delta)) / (n * n * epsilon * epsilon),
                }),
                differs({
                  what: 'the noise',
                  got,
                  want: ((2 * L) / n) * subject.theoremNoiseMultiplier({ steps: K * T, epsilon, delta }),
                }),
              ]);
            },
            { runs: 300 },
          ),
      ),
  });

/** Row 21. */
export const sizeDoesNotMatter = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/size-does-not-matter',
    tier: 'search',
    statement:
      'at that noise the slope of the whole run is ε²/(6 log(1/δ)) and its Gaussian parameter ε/√(3 ' +
      'log(1/δ)), for all numbers of steps, rounds and records, and all Lipschitz constants of sets',
    power: 'a relative error above 1e-12, over 300 runs with three sets each',
    run: (env) =>
      env.forAll(
        fc.record({ run: runs, constants: fc.array(tenTo(-3, 3), { minLength: 3, maxLength: 3 }) }),
        ({ run, constants }) =>
          firstOf(
            constants.flatMap((lipschitz) => {
              const { innerSteps, rounds, records, epsilon, delta } = run;
              const steps = innerSteps * rounds;
              const noiseMultiplier =
                subject.runNoiseScale({ ...run, lipschitz }) /
                (subject.boundedMeanSensitivity(lipschitz, records)['replace-one'] ?? Number.NaN);
              return [
                differs({
                  what: 'the slope',
                  got: subject.renyiSlope({ steps, noiseMultiplier }),
                  want: epsilon ** 2 / (6 * -Math.log(delta)),
                }),
                differs({
                  what: 'the Gaussian parameter',
                  got: Math.sqrt(steps) / noiseMultiplier,
                  want: subject.theoremGaussianMu({ epsilon, delta }),
                }),
              ];
            }),
          ),
        { runs: 300 },
      ),
  });

/**
 * Known values at the noise of Theorem 4.1, to the digits
 * given: `μ`, slope, ε and order by divergences, exact δ at ε.
 */
const table = [
  {
    epsilon: 1,
    delta: 0.33,
    mu: 0.548327,
    slope: 0.15033128,
    byDivergence: 0.966828,
    order: 3.7157,
    exact: 1.181e-2,
  },
  {
    epsilon: 1,
    delta: 1e-3,
    mu: 0.21967,
    slope: 0.02412747,
    byDivergence: 0.840624,
    order: 17.9205,
    exact: 1.933e-7,
  },
  {
    epsilon: 1,
    delta: 1e-5,
    mu: 0.170156,
    slope: 0.01447648,
    byDivergence: 0.830973,
    order: 29.2008,
    exact: 9.432e-11,
  },
  {
    epsilon: 1,
    delta: 1e-6,
    mu: 0.15533,
    slope: 0.01206374,
    byDivergence: 0.82856,
    order: 34.841,
    exact: 2.298e-12,
  },
  {
    epsilon: 0.5,
    delta: 1e-5,
    mu: 0.085078,
    slope: 0.00361912,
    byDivergence: 0.411867,
    order: 57.4016,
    exact: 3.682e-11,
  },
  {
    epsilon: 0.1,
    delta: 1e-6,
    mu: 0.015533,
    slope: 0.00012064,
    byDivergence: 0.08177,
    order: 339.4095,
    exact: 1.47e-13,
  },
];

/** The exact δ of a whole run, by the accountant that is exact for Gaussian noise. */
const exactDelta = (
  subject: SketchingSubject,
  { steps, epsilon, delta }: { readonly steps: number; readonly epsilon: number; readonly delta: number },
): number =>
  subject.gdp.delta(
    repeatedEvent(
      clippedMeanEvent(subject.theoremNoiseMultiplier({ steps, epsilon, delta }), 'replace-one'),
      steps,
    ),
    { adjacency: 'replace-one', epsilon },
  ).upper;

/** Row 22. */
export const exactlyPrivate = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/exactly-private',
    tier: 'exact',
    statement:
      'the exact δ of a run with the noise of Theorem 4.1, from the accountant that is exact for ' +
      'Gaussian noise, is far below the target δ',
    power:
      'any excess over 900 budgets; six known values of δ to 1e-3, of slope, μ, ' +
      'order and ε to the digits given',
    run: () =>
      both(
        () =>
          tried(table, ({ epsilon, delta, ...known }) => {
            const slope = subject.renyiSlope({
              steps: 40,
              noiseMultiplier: subject.theoremNoiseMultiplier({ steps: 40, epsilon, delta }),
            });
            const { epsilon: byDivergence, order } = subject.renyiConversion({ slope, delta });
            const mu = subject.theoremGaussianMu({ epsilon, delta });
            return firstOf([
              differs({ what: 'μ', got: mu, want: known.mu, tolerance: 4e-5 }),
              differs({ what: 'the slope', got: slope, want: known.slope, tolerance: 5e-5 }),
              differs({
                what: 'ε by divergences',
                got: byDivergence,
                want: known.byDivergence,
                tolerance: 1e-5,
              }),
              differs({ what: 'the order', got: order, want: known.order, tolerance: 2e-5 }),
              differs({
                what: 'the exact δ',
                got: exactDelta(subject, { steps: 40, epsilon, delta }),
                want: known.exact,
                tolerance: 1e-3,
              }),
              differs({
                what: 'the exact δ against the Gaussian curve',
                got: exactDelta(subject, { steps: 40, epsilon, delta }),
                want: gaussianCurve(mu, epsilon).upper,
                tolerance: 1e-6,
              }),
            ]);
          }),
        () =>
          tried(
            [0.333, 0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-6, 1e-9, 1e-30].flatMap((delta) =>
              Array.from({ length: 100 }, (_, k) => ({ epsilon: (k + 1) / 100, delta })),
            ),
            ({ epsilon, delta }) =>
              firstOf(
                [1, 977].map((steps) =>
                  exceeds({
                    what: `the exact δ of ${steps} steps`,
                    got: exactDelta(subject, { steps, epsilon, delta }),
                    most: delta,
                    slack: 0,
                  }),
                ),
              ),
          ),
      ),
  });

/** Row 24 as printed. */
export const printedNoise = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/noise-printed',
    tier: 'search',
    statement:
      'as printed: noise N(0, σ_S I), whose standard deviation is the root ' +
      'of the σ_S of Theorem 4.1, makes the run private',
    run: (env) =>
      env.forAll(
        runs,
        (run) => {
          const { innerSteps, rounds, lipschitz, records, epsilon, delta } = run;
          const deviation = Math.sqrt(subject.runNoiseScale(run));
          const mu = (Math.sqrt(innerSteps * rounds) * ((2 * lipschitz) / records)) / deviation;
          return exceeds({ what: 'the exact δ', got: gaussianCurve(mu, epsilon).lower, most: delta });
        },
        { runs: 300 },
      ),
  });
