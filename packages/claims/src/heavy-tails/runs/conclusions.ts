import { rdp } from '@lethe/accountants';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { normalCdf } from '@lethe/numerics';
import fc from 'fast-check';
import { binomial } from '../../common/binomial.js';
import { above, differs, first, noted } from '../../common/judging.js';
import { boundOf, constantsOf, laws, plannedIn, plannedRun, type Scenario } from './planned-runs.js';
import type { RunsSubject } from './subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;
type Rate = keyof RunsSubject['heavyTailsRates'];

/** Problems of the size that rates are about. */
const settings = fc.record({
  law: laws,
  bits: fc.integer({ min: 8, max: 30 }),
  columns: fc.constantFrom(1, 7, 300),
  noiseMultiplier: fc.constantFrom(0.3, 1, 9),
});
type Setting = typeof settings extends fc.Arbitrary<infer T> ? T : never;

const epsilonOf = ({ noiseMultiplier }: Setting): number => 1 / noiseMultiplier;

/**
 * Where the theorems say something: `√d/(εn) ≤ 1/10`, `ε ≤ √d`, `κ ≤ n/(16 ln n)`, and `μD ≤ 2L` as of every
 * strongly convex risk.
 */
const isCovered = (setting: Setting): boolean => {
  const { law, bits, columns } = setting;
  const n = 2 ** bits;
  const epsilon = epsilonOf(setting);
  const { convexity, startDistance, lipschitz } = constantsOf(law);
  return (
    convexity * startDistance <= 2 * lipschitz &&
    Math.sqrt(columns) / (epsilon * n) <= 0.1 &&
    epsilon <= Math.sqrt(columns) &&
    law.condition <= n / (16 * Math.log(n))
  );
};

const scenarioOf = (
  optimizer: Scenario['optimizer'],
  { law, bits, columns, noiseMultiplier }: Setting,
  params: Scenario['params'],
  without: readonly string[] = [],
): Scenario => ({
  optimizer,
  law,
  records: 2 ** bits,
  columns,
  adjacency: 'replace-one',
  epsilon: 1,
  delta: 1e-6,
  params: { noiseMultiplier, momentOrder: law.order, ...params },
  without,
});

/** A theorem about a method: its rate, and the constants between which the plan’s bound is. */
interface Conclusion {
  readonly id: string;
  readonly optimizer: Scenario['optimizer'];
  readonly rate: Rate;
  readonly statement: string;
  readonly power: string;
  readonly schedules: readonly {
    readonly params: Scenario['params'];
    readonly most: number;
    readonly least: number;
  }[];
  /** `D` of the theorem. */
  readonly distanceOf: (constants: ReturnType<typeof constantsOf>) => number;
  /** Facts that the theorem does not have. @defaultValue none */
  readonly without?: readonly string[];
  readonly mostBits: number;
}

const conclusion =
  ({
    id,
    optimizer,
    rate,
    statement,
    power,
    schedules,
    distanceOf,
    without,
    mostBits,
  }: Conclusion): CheckOf =>
  (subject) =>
    defineClaimCheck({
      id: `lowy/${id}`,
      tier: 'search',
      statement,
      power,
      run: (env) => {
        const ranges = schedules.map(() => [Infinity, 0] as [number, number]);
        return noted(
          env.forAll(
            settings.filter((setting) => isCovered(setting) && setting.bits <= mostBits),
            (setting): Violation | undefined => {
              const own = constantsOf(setting.law);
              const printed = subject.heavyTailsRates[rate].value({
                records: 2 ** setting.bits,
                dimension: setting.columns,
                epsilon: epsilonOf(setting),
                order: own.k,
                moment: own.moment,
                secondMoment: own.secondMoment,
                uniformDoubleMoment: own.uniformDoubleMoment,
                diameter: distanceOf(own),
                smoothness: own.smoothness,
                convexity: own.convexity,
              });
              return first(
                ...schedules.flatMap(({ params, most, least }, i) => {
                  const bound = boundOf(plannedRun(subject, scenarioOf(optimizer, setting, params, without)));
                  const ratio = bound / printed;
                  ranges[i] = [Math.min(ranges[i][0], ratio), Math.max(ranges[i][1], ratio)];
                  return [
                    above('the bound of the plan over the rate', ratio, most),
                    above('the least multiple of the rate, against it', least, ratio),
                  ];
                }),
              );
            },
            { runs: 50 },
          ),
          () =>
            'bounds of ' +
            `${ranges.map(([low, high]) => `${low.toPrecision(3)} to ${high.toPrecision(3)}`).join(', ')} ` +
            'times the rate',
        );
      },
    });

/** Row C85. */
export const smoothConvexConclusion = conclusion({
  id: 'smooth-convex-conclusion',
  optimizer: 'noisyClippedAcSa',
  rate: 'convex-linear-time',
  statement:
    'The bound of a plan with T and C of Theorem 31 is at most 8 times Eq. 2, with r_2 in its last ' +
    'branch, and that of the schedule least-bound at most 5 times; neither is below the rate.',
  power:
    'A bound with another exponent of n, d, ε, β or D, which over 22 doublings of n leaves these limits.',
  schedules: [
    { params: { schedule: 'corrected' }, most: 8, least: 2 },
    { params: { schedule: 'least-bound' }, most: 5, least: 1 },
  ],
  distanceOf: ({ diameter }) => diameter,
  without: ['startDistance'],
  mostBits: 30,
});

/** Row C86. */
export const stronglyConvexConclusion = conclusion({
  id: 'strongly-convex-conclusion',
  optimizer: 'noisyClippedSgd',
  rate: 'strongly-convex-linear-time',
  statement:
    'The bound of a plan with T and C of Theorem 34 is at most 300 times Eq. 3, as the proof has it ' +
    '(288), and that of the schedule least-bound at most 60 times.',
  power: 'A bound with a smaller exponent of n, d or ε, or a larger one of κ.',
  schedules: [
    { params: { schedule: 'corrected' }, most: 300, least: 0 },
    { params: { schedule: 'least-bound' }, most: 60, least: 0 },
  ],
  distanceOf: ({ startDistance }) => startDistance,
  mostBits: 30,
});

/** Row C87. */
export const proximalConclusion = conclusion({
  id: 'proximal-pl-conclusion',
  optimizer: 'noisyClippedProximalSgd',
  rate: 'proximal-pl',
  statement:
    'The bound of a plan with T and C of Theorem 48 is at most 6 times its rate with r_2² for the ' +
    'sample, as Theorem 20 has it; that of the schedule least-bound at most 4 times.',
  power: 'A bound with a smaller exponent of n, d or ε, or a larger one of κ.',
  schedules: [
    { params: { schedule: 'corrected' }, most: 6, least: 0 },
    { params: { schedule: 'least-bound' }, most: 4, least: 0 },
  ],
  distanceOf: ({ startDistance }) => startDistance,
  mostBits: 30,
});

/** Row C88. */
export const localizedConclusion = conclusion({
  id: 'localized-conclusion',
  optimizer: 'localizedSubgradient',
  rate: 'non-smooth',
  statement:
    'The bound of a plan with the numbers of Theorem 41 is at most 40 times the rate of Theorem 12, ' +
    'r̃_{2k}D(1/√n + (√(d ln n)/(εn))^((k−1)/k)), for n = 2^l; and never below it.',
  power: 'A bound with another exponent of n, d or ε, which over 20 doublings of n leaves these limits.',
  schedules: [{ params: { schedule: 'corrected' }, most: 40, least: 1 }],
  distanceOf: ({ startDistance }) => startDistance,
  mostBits: 28,
});

/** Row C89. */
export const blocksConclusion = conclusion({
  id: 'blocks-conclusion',
  optimizer: 'localizedStronglyConvex',
  rate: 'non-smooth-strongly-convex',
  statement:
    'The bound of a plan of Appendix G.3 is at most 64 · 2 · 40² times the rate of Theorem 18, ' +
    '(r̃_{2k}²/μ)(1/n + (√(d ln n)/(εn))^((2k−2)/k)): what Eq. 60 makes of the constant 40 of each block.',
  power: 'A bound with a smaller exponent of n, d or ε.',
  schedules: [{ params: { schedule: 'corrected' }, most: 64 * 2 * 40 ** 2, least: 0 }],
  distanceOf: ({ startDistance }) => startDistance,
  mostBits: 28,
});

/** Row C90. */
export const subsampledConclusion: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/subsampled-conclusion',
    tier: 'search',
    statement:
      'Phases on Poisson draws of rate 1/√n_i ask for Σ √n_i T_i gradients on average, at most 2.1 ln(n) ' +
      'n^(3/2+1/k) where D, moments and ε are of order 1, and T_i, λ_i, D_i and C_i are those of full ' +
      'batches. Calibrated to the same ε and δ by Rényi divergences, their noise is at most a quarter ' +
      'more, so that the bound is within a factor of 1.5.',
    power: 'A factor of 2 of the gradients, 6 % of the noise.',
    run: (env) => {
      let [gradients, noise, worse] = [0, 0, 0];
      const found = env.forAll(
        fc.record({
          order: fc.constantFrom(2, 4),
          bits: fc.integer({ min: 4, max: 10 }),
          columns: fc.constantFrom(1, 5),
          delta: fc.constantFrom(1e-4, 1e-7),
        }),
        ({ order, bits, columns, delta }): Violation | undefined => {
          const n = 2 ** bits;
          const one = { moment: 1, thinner: 1, uniform: 1, growth: 1, slope: 1 };
          const shape = { smoothness: 1, condition: 1, radius: 0.5, near: 1, gap: 1 };
          const planOf = (variant: string) =>
            plannedRun(subject, {
              optimizer: 'localizedSubgradient',
              law: { order, ...one, ...shape },
              records: n,
              columns,
              adjacency: 'zero-out',
              epsilon: 1,
              delta,
              params: { variant, momentOrder: order },
              accountants: [subject.gdp, rdp],
            });
          const [full, drawn] = [planOf('full-batch'), planOf('subsampled')];
          const [whole, part] = [plannedIn(full).phases, plannedIn(drawn).phases];
          const asked = part.reduce((sum, { records, rounds }) => sum + Math.sqrt(records) * rounds, 0);
          const share = asked / (Math.log(n) * n ** (1.5 + 1 / order));
          const ratio = boundOf(drawn) / boundOf(full);
          gradients = Math.max(gradients, share);
          worse = Math.max(worse, ratio);
          return first(
            differs('the gradients', plannedIn(drawn).expectedGradients, asked),
            above('the gradients over ln(n) n^(3/2+1/k)', share, 2.1),
            above(
              'the ε of the run at δ',
              rdp.epsilon(plannedIn(drawn).event, { adjacency: 'zero-out', delta }).upper,
              1,
              1e-6,
            ),
            above('the bound over that of full batches', ratio, 1.5),
            ...part.flatMap((phase, i) => {
              noise = Math.max(noise, phase.noise / whole[i].noise);
              return [
                ...(['rounds', 'strength', 'radius', 'clipNorm'] as const).map((name) =>
                  differs(`${name} of phase ${i + 1}`, phase[name], whole[i][name]),
                ),
                above(
                  `noise of phase ${i + 1} over that of full batches`,
                  phase.noise / whole[i].noise,
                  1.25,
                ),
              ];
            }),
          );
        },
        { runs: 3, examples: [{ order: 4, bits: 4, columns: 1, delta: 1e-4 }] },
      );
      return noted(
        found,
        () =>
          `gradients ${gradients.toFixed(2)} ln(n) n^(3/2+1/k), noise ${noise.toFixed(3)} times that of ` +
          `full batches, bounds ${worse.toFixed(2)} times`,
      );
    },
  });

/** Half of the total variation between `n` coins of bias `b` and of `−b`, doubled: `E|E[ν | X]|`. */
const coins = (n: number, bias: number): readonly [Float64Array, Float64Array] => [
  binomial(n, (1 + bias) / 2),
  binomial(n, (1 - bias) / 2),
];

/** `E|E[ν | X]|` and `E E[ν | X]²` of the sign of `n` coins of bias `±b`. */
function learnt(n: number, bias: number): { readonly first: number; readonly second: number } {
  const [up, down] = coins(n, bias);
  let [absolute, squared] = [0, 0];
  up.forEach((x, h) => {
    const apart = x - down[h];
    absolute += Math.abs(apart) / 2;
    if (x + down[h] > 0) squared += apart ** 2 / (x + down[h]) / 2;
  });
  return { first: absolute, second: squared };
}

/** `P(the sign is missed)` from `H ± N` in place of records, `H` non-null ones of `n`, at cost ρ. */
const missed = (n: number, p: number, rho: number): number =>
  binomial(n, p).reduce((sum, chance, h) => sum + chance * normalCdf(-h * Math.sqrt(rho / 2)), 0);

const hard = fc.record({
  records: fc.constantFrom(1, 2, 3, 10, 50, 300, 1000),
  rho: fc.constantFrom(1e-4, 0.01, 0.3, 1),
  order: fc.constantFrom(2, 3, 8),
  moment: fc.constantFrom(0.5, 3),
  radius: fc.constantFrom(0.2, 2),
  convexity: fc.constantFrom(0.1, 4),
  dimension: fc.constantFrom(1, 40, 1000),
});

/** `min{1, c√d/(n√ρ)}`. */
const spikes = (dimension: number, n: number, rho: number, c: number): number =>
  Math.min(1, (c * Math.sqrt(dimension)) / (n * Math.sqrt(rho)));

/** A height between two multiples of another. */
const between = (what: string, got: number, low: number, high: number): Violation | undefined =>
  first(above(what, got, high), above(`${what}, from below`, low, got));

/** Row C91. */
export const convexLowerConclusion: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/convex-lower-conclusion',
    tier: 'search',
    statement:
      'The shipped lower bound of Theorems 7 and 26 is the larger of its terms, each of the order of the ' +
      'printed one, with proved constants: between 0.25 and 1 times D r_2/√n, and between 0.06 and 1 ' +
      'times the private term at r_2 = r_k and ρ ≤ d. In one dimension the first is at most the exact ' +
      'Bayes risk of its instance and at least ¾ of it, the second at most the exact risk of a ρ-zCDP ' +
      'method, noisy sums, and at least ¼ of it.',
    power: 'A factor of 4/3 of the first term, of 4 of the second.',
    run: (env) =>
      env.forAll(
        hard,
        ({ records: n, rho, order: k, moment, radius, dimension: d }): Violation | undefined => {
          const { convexLowerBound: bound } = subject;
          const at = (dimension: number) =>
            bound.evaluate(bound.params.parse({ n, dimension, rho, momentOrder: k, moment, radius }));
          const { value, terms } = at(d);
          const line = at(1);
          const bias = 1 / (2 * Math.sqrt(n));
          const p = spikes(1, n, rho, 0.25);
          const bayes = radius * moment * bias * (1 - learnt(n, bias).first);
          const noisy = 2 * radius * moment * p ** (1 - 1 / k) * missed(n, p, rho);
          const price = Math.min(1, Math.sqrt(d / rho) / n) ** ((k - 1) / k);
          return first(
            differs('the bound', value, Math.max(terms['nonPrivate'], terms['private'])),
            between(
              'the first term over D r_2/√n',
              (terms['nonPrivate'] * Math.sqrt(n)) / (radius * moment),
              0.24,
              1,
            ),
            between(
              'the private term over the printed one',
              terms['private'] / (radius * moment * price),
              0.06,
              1,
            ),
            between('the first term over the Bayes risk', line.terms['nonPrivate'] / bayes, 0.75, 1 + 1e-9),
            between('the private term over the risk of noisy sums', line.terms['private'] / noisy, 0.25, 1),
          );
        },
        { runs: 80 },
      ),
  });

/** Row C92. */
export const stronglyConvexLowerConclusion: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/strongly-convex-lower-conclusion',
    tier: 'search',
    statement:
      'The shipped lower bound of Theorems 8 and 28 is the larger of its terms, each of the order of the ' +
      'printed one, with proved constants: at least r_2²/(8eμ(n + 1)) and at most r_2²/(8μn), and ' +
      'between 0.002 and 1 times the private term at r_2 = r_k and ρ ≤ d. The first is at most the exact ' +
      'Bayes risk of its instance and at least ¾ of it, in one dimension the second at most the exact ' +
      'risk of a ρ-zCDP method, noisy sums.',
    power: 'A factor of 4/3 of the first term, of 4 of the second.',
    run: (env) =>
      env.forAll(
        hard,
        ({ records: n, rho, order: k, moment, convexity: mu, dimension: d }): Violation | undefined => {
          const { stronglyConvexLowerBound: bound } = subject;
          const at = (dimension: number) =>
            bound.evaluate(bound.params.parse({ n, dimension, rho, momentOrder: k, moment, convexity: mu }));
          const { value, terms } = at(d);
          const line = at(1);
          const bias = 1 / Math.sqrt(n + 1);
          const p = spikes(1, n, rho, 0.25);
          const scale = moment ** 2 / (8 * mu);
          const told = 1 - 2 * missed(n, p, rho);
          const price = Math.min(1, Math.sqrt(d / rho) / n) ** ((2 * k - 2) / k);
          return first(
            differs('the bound', value, Math.max(terms['nonPrivate'], terms['private'])),
            between(
              'the first term over r_2²/(8μ)',
              terms['nonPrivate'] / scale,
              1 / (Math.E * (n + 1)),
              1 / n,
            ),
            between(
              'the private term over the printed one',
              (terms['private'] * mu) / (moment ** 2 * price),
              0.002,
              1,
            ),
            between(
              'the first term over the Bayes risk',
              terms['nonPrivate'] / (scale * bias ** 2 * (1 - learnt(n, bias).second)),
              0.75,
              1 + 1e-9,
            ),
            between(
              'the private term over the risk of noisy sums',
              line.terms['private'] / (scale * p ** (2 - 2 / k) * (1 - told ** 2)),
              0.25,
              1,
            ),
          );
        },
        { runs: 80 },
      ),
  });
