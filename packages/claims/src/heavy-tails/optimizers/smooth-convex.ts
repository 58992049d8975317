import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { above, differs, first, noted } from '../../common/judging.js';
import { powers } from '../../common/inputs.js';
import type { OptimizerSubject } from './subject.js';

type CheckOf = (subject: OptimizerSubject) => ClaimCheck;

const settings = fc
  .record({
    bits: fc.integer({ min: 2, max: 24 }),
    dimension: fc.integer({ min: 1, max: 1000 }),
    epsilon: powers(-3, 3),
    order: fc.constantFrom(2, 2.5, 3, 4, 8),
    moment: powers(-6, 6),
    thinner: powers(-6, 0),
    diameter: powers(-3, 3),
    smoothness: powers(-10, 10),
  })
  .map(({ bits, thinner, ...rest }) => ({
    ...rest,
    records: 2 ** bits,
    secondMoment: thinner * rest.moment,
  }));

/** Row C40: `T` and `C` of Theorem 31. */
export const smoothConvexChoices: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/smooth-convex-choices',
    tier: 'search',
    statement:
      'With T of Theorem 31 as a real number and r_2 in its second branch, βD²/T² is max{r_2 D/√n, r_k D ' +
      'q}, q = (√(dT)/(εn))^((k−1)/k), and r_k D q is the last term of Eq. 2 with r_2 there, too; the ' +
      'shipped schedule rounds T up and stays within 8βD²/(T(T+1)) + 8Dr_2/√n + 16Dr_k q + (8/√T + ' +
      '1)Dr_k q/(k−1), up to the rounding of batches.',
    power: 'An exponent, or the wrong moment in a branch; of the clip norm, one part in 10⁹.',
    run: (env) =>
      noted(
        env.forAll(
          settings,
          (setting) => {
            const {
              records: n,
              dimension: d,
              epsilon,
              order: k,
              moment,
              secondMoment,
              diameter: D,
              smoothness: beta,
            } = setting;
            const lift = (T: number): number => (Math.sqrt(d * T) / (epsilon * n)) ** ((k - 1) / k);
            const real = subject.smoothConvexRounds(setting, 'corrected');
            const left = (beta * D ** 2) / real ** 2;
            const statistical = (secondMoment * D) / Math.sqrt(n);
            const noisy = moment * D * lift(real);
            const rate = subject.heavyTailsRates['convex-linear-time'].value(setting);
            const made = subject.smoothConvexSchedule({ ...setting, slots: n }, 'corrected');
            const { rounds: T, batchSize, clipNorm, eta, bias, variance, excessRisk } = made;
            const uneven = n / (batchSize * T);
            const q = lift(T);
            const explicit =
              (8 * beta * D ** 2) / (T * (T + 1)) +
              (8 * D * secondMoment) / Math.sqrt(n) +
              16 * D * moment * q +
              ((8 / Math.sqrt(T) + 1) * D * moment * q) / (k - 1);
            // Rounding can make a power of two come out slightly too large.
            const whole = (scale: number): number => Math.min(n, Math.max(1, Math.ceil(real * scale)));
            const usual = real >= 1 && real <= n / 2 && epsilon * n >= Math.sqrt(d);
            if (usual) most = Math.max(most, excessRisk / rate);
            return first(
              differs('βD²/T²', left, Math.max(statistical, noisy)),
              differs('Eq. 2, from T', rate, statistical + moment * D * lift(1) + noisy),
              above('T', T, whole(1 + 1e-12), 0),
              above('T, from below', whole(1 - 1e-12), T, 0),
              differs('C', clipNorm, moment * ((epsilon * n) / Math.sqrt(d * T)) ** (1 / k)),
              above('the records used', T * batchSize, n),
              differs('η', eta, Math.max(2 * beta, (T ** 1.5 * Math.hypot(Math.sqrt(variance), bias)) / D)),
              differs(
                'the bound',
                excessRisk,
                subject.acSaExcessRisk({
                  rounds: T,
                  eta,
                  error: Math.hypot(Math.sqrt(variance), bias),
                  bias,
                  diameter: D,
                }),
              ),
              above('the bound of the schedule', excessRisk, uneven * explicit),
              usual ? above('the bound of the schedule over the rate', excessRisk / rate, 60) : undefined,
            );
          },
          { runs: 600 },
        ),
        () => `largest multiple of Eq. 2: ${most.toFixed(1)}`,
      ),
  });
};

/** Row C40, R26 as printed: fails. */
export const printedSmoothConvexRounds: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/smooth-convex-rounds-printed',
    tier: 'exact',
    statement:
      'With the printed T, βD²/T² is at most a hundred times r_2 D/√n + r_k D q (R26), at n = 10¹⁶, k = ' +
      '4, d = ε = βD/r_k = 1 and r_2 = r_k/10⁶.',
    power: 'The left side is r_k D/√n, more than 300 times the sum.',
    run: (env) =>
      env.forAll(
        fc.constant({
          records: 1e16,
          dimension: 1,
          epsilon: 1,
          order: 4,
          moment: 1,
          secondMoment: 1e-6,
          diameter: 1,
          smoothness: 1,
        }),
        (setting) => {
          const real = subject.smoothConvexRounds(setting, 'printed');
          const q = (Math.sqrt(real) / setting.records) ** 0.75;
          return above(
            'βD²/T²',
            1 / real ** 2,
            100 * (setting.secondMoment / Math.sqrt(setting.records) + q),
          );
        },
        { runs: 1 },
      ),
  });
