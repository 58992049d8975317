import { seededRandom, type Fact, type Problem, type RecordDomain, type Ref } from '@lethe/core';
import { accountants, calibrator } from '@lethe/accountants';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { logBinomial, normalCdf } from '@lethe/numerics';
import * as z from 'zod';
import { above, differs, first } from '../common/judging.js';
import type { SparseGradientsSubject } from './subject.js';

const failure = 0.1;
const epsilon = 0.5;

interface Asked {
  readonly records: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly delta: number;
  readonly smoothness?: number;
  /** `null` for facts that say nothing. */
  readonly startDistance?: number | null;
  readonly domain?: Ref<'domain'>;
  readonly schedule: 'theorem-7.1' | 'theorem-7.6';
}

const bounded = z.object({ bound: z.number() });
const planned = z.object({
  lambda: z.number(),
  noiseScale: z.number(),
  tolerance: z.number(),
  distance: z.number(),
  utility: bounded,
  empirical: bounded,
});
type Planned = z.output<typeof planned>;

const logarithms = ({ delta, dimension }: Asked): number =>
  Math.log(1 / delta) * Math.log(dimension / failure);
const settings = [1e3, 1e5, 1e6].flatMap((records) =>
  [10, 1e3].flatMap((dimension) => [1, 10].map((sparsity) => ({ records, dimension, sparsity }))),
);

/** One coordinate, on which minimisers of linear losses are known. */
const onInterval = {
  dimension: 1,
  sparsity: 1,
  delta: 1e-6,
  domain: l2BallDomain({ radius: 5 }),
  schedule: 'theorem-7.6',
} as const;
interface SignedRecords {
  readonly records: number;
  readonly bias: number;
  readonly lambda: number;
  readonly noiseScale: number;
}

/** Of Laplace noise, or of Gaussian noise in the classical calibration. */
const multiplierOf = (delta: number): number =>
  (delta === 0 ? 1 : Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon;

/** Rows 114, 115 and 118 to 120 of the claims: strengths of the regulariser, and the bounds they give. */
export function strengthChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const { outputPerturbation, empiricalStrength, populationStrength, perturbationRisk } = subject;
  const { hinge, huber, logistic } = subject;
  const lipschitz = 2;
  const planOf = ({
    records,
    dimension,
    sparsity,
    delta,
    smoothness = 3,
    startDistance = 5,
    domain = wholeSpaceDomain({}),
    schedule,
  }: Asked): Planned => {
    const declared = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'from-domain' });
    const problem: Problem<{ readonly convex: true; readonly smooth: true }> = {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension,
      slots: [records],
      domain,
      loss: { kind: 'loss', name: 'logistic', params: {} },
      capabilities: { convex: true, smooth: true },
      facts: {
        lipschitz: declared(lipschitz),
        smoothness: declared(smoothness),
        sparsity: declared(sparsity),
        ...(startDistance === null ? {} : { startDistance: declared(startDistance) }),
      },
    };
    const run = outputPerturbation.prepare({
      problem,
      registry: [...mechanisms, ...losses],
      budget: { epsilon, delta },
      params: {
        schedule,
        failure,
        noiseMultiplier: multiplierOf(delta),
      },
      calibrate: calibrator(accountants),
      random: seededRandom('strengths'),
    });
    return planned.parse(run.plan);
  };
  /** Bound on the excess risk but with probability β, with the printed noise and projections at most. */
  const explicit = (asked: Asked, { lambda, noiseScale, distance }: Planned, projections: 1 | 2): number => {
    const { dimension, sparsity, delta } = asked;
    const entry =
      delta === 0 ? Math.log(dimension / failure) : Math.sqrt(2 * Math.log((2 * dimension) / failure));
    return projections * Math.sqrt(sparsity) * lipschitz * noiseScale * entry + (lambda * distance ** 2) / 2;
  };
  const listed = (asked: Asked, projections: 1 | 2, wanted: number, rate: number): Violation | undefined => {
    const plan = planOf(asked);
    const { lambda, noiseScale, tolerance, empirical } = plan;
    const { records, sparsity, dimension, delta, smoothness = 3 } = asked;
    const what = JSON.stringify(asked);
    const printed =
      delta === 0
        ? ((2 * Math.sqrt(sparsity) * lipschitz) / (lambda * epsilon * records)) *
          (1 + (Math.sqrt(Math.min(2, dimension / sparsity)) * smoothness) / lambda)
        : (2 * lipschitz * Math.sqrt(2 * Math.log(1.25 / delta))) / (lambda * epsilon * records);
    // Of the solver; in ℓ1 it counts √d times.
    const error = 4 * tolerance * (delta === 0 ? Math.sqrt(dimension) : 1) * multiplierOf(delta);
    const missed = Math.sqrt(sparsity) * lipschitz * tolerance;
    return first(
      differs(`λ at ${what}`, lambda, wanted),
      differs(`the scale of the noise at ${what}`, noiseScale, printed + error),
      // Answers are rounded to a grid.
      differs(`the bound at ${what}`, empirical.bound, explicit(asked, plan, projections) + missed, 1e-4),
      above(`a tenth of the bound at ${what}`, empirical.bound / 10, rate),
    );
  };
  /** P[F(x̂) − F(D) > excess] for losses −Lzx, signs z of mean `bias` and x in [−D, D]. */
  const missesBy = (excess: number, { records, bias, lambda, noiseScale }: SignedRecords): number => {
    const place = 5 - excess / (lipschitz * bias);
    if (place <= -5) return 0;
    let sum = 0;
    for (let k = 0; k <= records; k++) {
      const mean = (2 * k) / records - 1;
      const minimiser = Math.min(5, Math.max(-5, (lipschitz * mean) / lambda));
      const logChance =
        logBinomial(records, k) + k * Math.log((1 + bias) / 2) + (records - k) * Math.log((1 - bias) / 2);
      if (logChance > -60) sum += Math.exp(logChance) * normalCdf((place - minimiser) / noiseScale);
    }
    return sum;
  };
  return [
    defineClaimCheck({
      id: 'ghazi/empirical-strength',
      tier: 'exact',
      statement:
        'at the printed λ the shipped plan has the noise of the listing, ' +
        'and excess empirical risk of at most 10 times the printed rates but ' +
        'with probability β; δ = 0 where εn ≥ L²s ln(d/β)/(D²H²), which is λ ≤ H',
      power: 'another power of a number, a factor in noise or bound',
      run: () =>
        judge(
          24,
          first(
            ...settings.flatMap((setting) => {
              const approximate: Asked = { ...setting, delta: 1e-6, schedule: 'theorem-7.1' };
              const root =
                (setting.sparsity * logarithms(approximate)) ** 0.25 / Math.sqrt(epsilon * setting.records);
              const pure: Asked = { ...setting, delta: 0, schedule: 'theorem-7.1' };
              const share =
                (setting.sparsity * Math.log(setting.dimension / failure)) / (epsilon * setting.records);
              const cube = Math.cbrt(((lipschitz ** 2 * 3) / 25) * share);
              return [
                listed(approximate, 1, (lipschitz / 5) * root, lipschitz * 5 * root),
                cube <= 3 ? listed(pure, 1, cube, 25 * cube) : undefined,
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/empirical-strength-printed',
      tier: 'exact',
      statement:
        'for δ = 0 the printed λ gives at most 10 times the printed rate but with probability β, for ' +
        'every H: 100 records Hx²/2 with H = 10⁻⁶, ε = 10⁻⁴ and d = s = L = D = 1 have their minimiser ' +
        'at 0, and noise alone costs more',
      run() {
        const [n, small, h] = [100, 1e-4, 1e-6];
        const lambda = Math.cbrt((h * Math.log(1 / failure)) / (small * n));
        const scale = ((2 * Math.SQRT2) / (lambda * small * n)) * ((2 * h) / lambda + 1);
        // Noise exceeds this with probability β; the slope of the loss is below 1 there.
        const noise = scale * Math.log(1 / failure);
        return judge(
          2,
          first(
            above('the slope', h * noise, 1),
            above('the excess risk with probability β', (h * noise ** 2) / 2, 10 * lambda),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/strength-by-diameter',
      tier: 'exact',
      statement:
        'for δ > 0 a diameter may stand for the distance to the minimiser, ' +
        'with the regulariser centred in the domain',
      power: 'no bound without a distance, or one without the projection',
      run: () =>
        judge(
          12,
          first(
            ...settings.map((setting) => {
              const asked: Asked = {
                ...setting,
                delta: 1e-6,
                startDistance: null,
                domain: l2BallDomain({ radius: 2.5 }),
                schedule: 'theorem-7.1',
              };
              const root =
                (setting.sparsity * logarithms(asked)) ** 0.25 / Math.sqrt(epsilon * setting.records);
              return listed(asked, 2, (lipschitz / 5) * root, lipschitz * 5 * root);
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/population-strength',
      tier: 'exact',
      statement:
        'at the λ of Theorem 7.6 for δ > 0, which the shipped plan has, the bound on the expected excess ' +
        'population risk is at most 10 times the printed rate without its term in B, for ε from 1/2 to ' +
        '10⁶; and on one coordinate with linear losses of random signs the excess population risk of the ' +
        'shipped plan is at most 10 times the printed rate with probability 1 − β, summed over the ' +
        'binomial law of the records and the noise',
      power:
        'the λ of Theorem 7.1, which goes to zero with 1/ε; ' +
        'another λ by 10⁻⁹; noise that is 300 times as large',
      run: () =>
        judge(
          48,
          first(
            ...[1e3, 1e4, 1e5].flatMap((records) =>
              [1 / Math.sqrt(records), 0.1, 0.5, 0.9].map((bias) => {
                const asked = { ...onInterval, records };
                const { lambda, noiseScale } = planOf(asked);
                const rate =
                  lipschitz *
                  5 *
                  (logarithms(asked) ** 0.25 / Math.sqrt(epsilon * records) +
                    (Math.sqrt(Math.log(records)) + 2) * Math.sqrt(Math.log(1 / failure) / records));
                return above(
                  `the probability of an excess of 10 times the rate, n = ${records}, E z = ${bias}`,
                  missesBy(10 * rate, { records, bias, lambda, noiseScale }),
                  failure,
                );
              }),
            ),
            ...settings.map((setting) =>
              differs(
                `the planned λ at ${JSON.stringify(setting)}`,
                planOf({ ...setting, delta: 1e-6, schedule: 'theorem-7.6' }).lambda,
                populationStrength(
                  { ...setting, lipschitz, smoothness: 3, distance: 5 },
                  { epsilon, delta: 1e-6, failure },
                ),
              ),
            ),
            ...settings.flatMap((setting) =>
              [0.5, 100, 1e6].map((large) => {
                const at = { ...setting, lipschitz, smoothness: 3, distance: 5 };
                const delta = 1e-6;
                const lambda = populationStrength(at, { epsilon: large, delta, failure });
                const sigma =
                  (2 * lipschitz * Math.sqrt(2 * Math.log(1.25 / delta))) /
                  (lambda * large * setting.records);
                const rate =
                  lipschitz *
                  5 *
                  ((setting.sparsity * Math.log(1 / delta) * Math.log(setting.dimension / failure)) ** 0.25 /
                    Math.sqrt(large * setting.records) +
                    Math.sqrt((Math.log(setting.records) * Math.log(1 / failure)) / setting.records));
                return above(
                  `a tenth of the bound at ${JSON.stringify(setting)}, ε = ${large}`,
                  perturbationRisk(at, {
                    lambda,
                    largest: sigma * Math.sqrt(2 * Math.log(2 * setting.dimension)),
                    projections: 2,
                  }) / 10,
                  rate,
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/pure-population-range',
      tier: 'exact',
      statement:
        'shipped convex losses, of which none is constant, have no range on the whole space, and have ' +
        'one where iterates are bounded',
      power: 'a loss that declares a range without a bound on iterates',
      run: () =>
        judge(
          6,
          first(
            ...Object.entries({
              hinge: (domain: RecordDomain) => hinge.facts({}, domain),
              huber: (domain: RecordDomain) => huber.facts({ width: 1 }, domain),
              logistic: (domain: RecordDomain) => logistic.facts({}, domain),
            }).flatMap(([name, factsOf]) => {
              const records = { columns: 2, featureNorm: 1, labelBound: 1 };
              const rangeOf = (domain: RecordDomain): number => factsOf(domain)['range']?.value ?? Infinity;
              return [
                above(`the range of ${name} on a ball`, rangeOf({ ...records, iterateNorm: 2 }), 10),
                above(`10⁹, against the range of ${name}`, 1e9, rangeOf(records)),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/pure-population-printed',
      tier: 'exact',
      statement:
        'a convex loss on the whole space that is not constant can have a range of B: max(0, x − 1) ' +
        'differs by more than B between 0 and 3 + B',
      run: () =>
        judge(
          4,
          first(
            ...[0, 1, 1e3, 1e9].map((range) => above('the difference', Math.max(0, 3 + range - 1), range)),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/expected-population-risk',
      tier: 'exact',
      statement:
        'plans bound the expected excess population risk by c√s·L·E‖ξ‖∞ + 2L²/(λn) + λD²/2; at the λ of ' +
        'Theorem 7.1 this is at most 10 times the printed rates for ε ≤ 1',
      power: 'a bound without stability, or with that of 4L/(λn)',
      run: () =>
        judge(
          24,
          first(
            ...settings.flatMap((setting) =>
              [1e-6, 0].map((delta) => {
                const asked: Asked = { ...setting, delta, schedule: 'theorem-7.1' };
                const at = { ...setting, lipschitz, smoothness: 3, distance: 5 };
                const lambda = empiricalStrength(at, { epsilon, delta, failure });
                if (delta === 0 && lambda > 3) return undefined;
                const plan = planOf(asked);
                let harmonic = 0;
                for (let k = setting.dimension; k >= 1; k--) harmonic += 1 / k;
                const entry = delta === 0 ? harmonic : Math.sqrt(2 * Math.log(2 * setting.dimension));
                const wanted =
                  Math.sqrt(setting.sparsity) * lipschitz * plan.noiseScale * entry +
                  (2 * lipschitz ** 2) / (plan.lambda * setting.records) +
                  (plan.lambda * 25) / 2;
                return first(
                  differs(
                    `the bound at ${JSON.stringify(asked)}`,
                    plan.utility.bound,
                    wanted + Math.sqrt(setting.sparsity) * lipschitz * plan.tolerance,
                    1e-4,
                  ),
                  differs(
                    `the bound by its formula at ${JSON.stringify(asked)}`,
                    perturbationRisk(at, {
                      lambda: plan.lambda,
                      largest: plan.noiseScale * entry,
                      projections: 1,
                    }),
                    wanted,
                  ),
                  // The printed rate is D²λ.
                  above(
                    `a tenth of the bound at ${JSON.stringify(asked)}`,
                    plan.utility.bound / 10,
                    25 * lambda,
                  ),
                );
              }),
            ),
          ),
        ),
    }),
  ];
}
