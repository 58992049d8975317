import { box, defined, proximalIndicator, proximalL1, type Proximal } from '@lethe/numerics';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc, { type Arbitrary } from 'fast-check';
import { both } from '../../common/compare.js';
import { answered, finished } from '../../common/finished.js';
import { above, differs, first, noted } from '../../common/judging.js';
import { listOf, powers } from '../../common/inputs.js';
import { apart, dot, minus, plus } from '../../common/vectors.js';
import { exactDescentRisk } from './exact-sgd.js';
import { quadratic, quadraticInputs, eachSequence, type QuadraticInput } from './problems.js';
import type { OptimizerSubject } from './subject.js';

type CheckOf = (subject: OptimizerSubject) => ClaimCheck;

const dimension = 3;
/**
 * A composite risk with a planted minimiser: a quadratic plus
 * a linear function that balances a subgradient of `f¹` there.
 */
interface CompositeInput {
  readonly risk: QuadraticInput;
  readonly kind: 'none' | 'l1' | 'box';
  readonly minimiser: readonly number[];
  readonly duals: readonly number[];
  readonly strength: number;
  readonly from: readonly number[];
}
const compositeInputs = (options: { readonly flat?: boolean } = {}): Arbitrary<CompositeInput> =>
  fc.record({
    risk: quadraticInputs(dimension, options),
    kind: fc.constantFrom('none' as const, 'l1' as const, 'box' as const),
    minimiser: listOf(dimension, -2, 2),
    duals: listOf(dimension, -8, 8).map((all) => all.map((k) => k / 8)),
    strength: powers(-3, 3),
    from: listOf(dimension, -8, 8).map((all) => all.map((k) => k / 2)),
  });

const nothing: Proximal = {
  name: 'nothing',
  value: () => 0,
  proxInto: (out, z) => {
    out.set(z);
    return out;
  },
};

function composite({ risk, kind, minimiser, duals, strength, from }: CompositeInput) {
  const best = Float64Array.from(minimiser);
  const { value, gradient, smoothness, convexity } = quadratic({ ...risk, centre: [...best] });
  const domain = box({
    lower: new Float64Array(dimension).fill(-2),
    upper: new Float64Array(dimension).fill(2),
  });
  let part: Proximal;
  if (kind === 'none') part = nothing;
  else if (kind === 'l1') part = proximalL1({ strength });
  else part = proximalIndicator(domain);
  // The slope of the smooth part at the minimiser: minus a subgradient of f¹ there.
  const pull = best.map((entry, j) => {
    if (kind === 'none') return 0;
    if (kind === 'l1') return -strength * (entry === 0 ? duals[j] : Math.sign(entry));
    return Math.abs(entry) === 2 ? -Math.sign(entry) * Math.abs(duals[j]) * strength : 0;
  });
  const start =
    kind === 'box'
      ? domain.projectInto(new Float64Array(dimension), Float64Array.from(from))
      : Float64Array.from(from);
  const smooth = (w: Float64Array): number => value(w) + dot(pull, minus(w, best));
  const slope = (w: Float64Array): Float64Array => plus(gradient(w), pull);
  return {
    part,
    smooth,
    slope,
    smoothness,
    convexity,
    start,
    best,
    gap: (w: Float64Array): number => smooth(w) + part.value(w) - part.value(best),
  };
}
type Composite = ReturnType<typeof composite>;

/** The minimum of `⟨g, y − w⟩ + (c/2)‖y − w‖² + f¹(y) − f¹(w)`, and the minimiser. */
function leastOf(
  { part }: Pick<Composite, 'part'>,
  w: Float64Array,
  slope: Float64Array,
  curvature: number,
): { readonly least: number; readonly at: Float64Array } {
  const at = part.proxInto(
    new Float64Array(dimension),
    w.map((entry, j) => entry - slope[j] / curvature),
    1 / curvature,
  );
  return { least: modelOf({ part }, w, slope, curvature)(at), at };
}
const modelOf =
  ({ part }: Pick<Composite, 'part'>, w: Float64Array, slope: Float64Array, curvature: number) =>
  (y: Float64Array): number =>
    dot(slope, minus(y, w)) + (curvature / 2) * apart(y, w) + part.value(y) - part.value(w);

/** Row C55: the risks for which the condition holds. */
export const proximalPlClass: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/proximal-pl-class',
    tier: 'search',
    statement:
      'With a μ-strongly convex, β-smooth quadratic and f¹ = 0, an ℓ1 norm or a box: ' +
      'μ(F − F*) ≤ −β min_y[⟨∇F⁰, y − w⟩ + (β/2)‖y − w‖² + f¹(y) − f¹(w)], ' +
      'which only grows with β; with f¹ = 0 it is ½‖∇F‖² and holds with the least ' +
      'positive eigenvalue where the quadratic is flat along some directions.',
    power:
      'Attained along the flattest direction with f¹ = 0: any smaller factor than ½ on the right, or a ' +
      'larger μ. A proximal map, through the shipped descent, that is off by one part in 10⁹.',
    run: (env) =>
      both(
        env.forAll(
          compositeInputs(),
          (input) => {
            const made = composite(input);
            const { start, slope, smoothness, convexity, gap } = made;
            const size = 1e-11 * (1 + smoothness) * (1 + gap(start));
            const model = leastOf(made, start, slope(start), smoothness);
            const here = subject.proximalDecrease({ least: model.least, curvature: smoothness });
            const twice = subject.proximalDecrease({
              least: leastOf(made, start, slope(start), 2 * smoothness).least,
              curvature: 2 * smoothness,
            });
            // The shipped step of length 1/β is the minimiser of the model.
            const stepped = finished(
              subject.proximalSgd({
                rounds: 1,
                stepSizes: [1 / smoothness],
                proximal: (out, z, eta) => {
                  made.part.proxInto(out, z, eta);
                },
                start,
                oracle: (point) => answered(slope(point)),
              }),
            );
            return first(
              above('μ(F − F*)', convexity * gap(start), here, smoothness * size),
              above('the decrease at β', here, twice, smoothness * size),
              above('F*, against F', 0, gap(start), size),
              above(
                'the distance of a step to the minimiser of its model',
                Math.sqrt(apart(stepped, model.at)),
                1e-12 *
                  (1 +
                    Math.sqrt(dot(start, start)) +
                    Math.sqrt(dot(slope(start), slope(start))) / smoothness),
                0,
              ),
              input.kind === 'none'
                ? differs('the decrease with f¹ = 0', here, dot(slope(start), slope(start)) / 2, 1e-9)
                : undefined,
            );
          },
          { runs: 800 },
        ),
        env.forAll(
          compositeInputs({ flat: true }),
          (input) => {
            const made = composite({ ...input, kind: 'none' });
            const { start, slope, gap } = made;
            const positive = input.risk.eigenvalues.filter((lambda) => lambda > 0);
            const slack = 1e-11 * (1 + gap(start));
            return positive.length === 0
              ? undefined
              : above(
                  'the least positive eigenvalue times F − F*',
                  Math.min(...positive) * gap(start),
                  dot(slope(start), slope(start)) / 2,
                  slack * Math.max(...positive),
                );
          },
          { runs: 300 },
        ),
      ),
  });

const errors = fc
  .tuple(listOf(dimension, -4, 4), fc.oneof(fc.constant(0), powers(-4, 4)))
  .map(([direction, size]) => Float64Array.from(direction, (entry) => entry * size));

/** Row C56: Lemma 47 and Eq. 63. */
export const proximalPerturbation: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/proximal-perturbation',
    tier: 'search',
    statement:
      'An error u of the gradient moves the minimiser of ⟨g, y − w⟩ + β‖y − w‖² + f¹(y) by at most ' +
      '‖u‖/(2β), and raises its value there by at most ‖u‖²/(4β), which is half of Eq. 63; both with ' +
      'equality for f¹ = 0; f¹ an ℓ1 norm or a box otherwise.',
    power: 'One part in 10⁹ of either constant.',
    run: (env) =>
      env.forAll(
        fc.tuple(compositeInputs(), errors),
        ([input, wrong]) => {
          const made = composite(input);
          const { start, slope, smoothness } = made;
          const size = Math.sqrt(dot(wrong, wrong));
          const right = leastOf(made, start, slope(start), 2 * smoothness);
          const moved = leastOf(made, start, plus(slope(start), wrong), 2 * smoothness);
          const shift = Math.sqrt(apart(right.at, moved.at));
          const cost = modelOf(made, start, slope(start), 2 * smoothness)(moved.at) - right.least;
          const terms = { error: size, smoothness };
          const slack = 1e-11 * (1 + Math.abs(right.least) + size ** 2 / smoothness);
          // The shipped step with the erroneous gradient goes to the minimiser of the erroneous model.
          const stepped = finished(
            subject.proximalSgd({
              rounds: 1,
              stepSizes: [1 / (2 * smoothness)],
              proximal: (out, z, eta) => {
                made.part.proxInto(out, z, eta);
              },
              start,
              oracle: (point) => answered(plus(slope(point), wrong)),
            }),
          );
          return first(
            above(
              'how far the minimisers are apart',
              shift,
              subject.proximalShift(terms),
              1e-12 * (1 + shift),
            ),
            above('what the error costs', cost, subject.proximalCost(terms), slack),
            above('the cost, against Eq. 63', subject.proximalCost(terms), size ** 2 / (2 * smoothness)),
            above(
              'a shipped step, from the minimiser of the wrong model',
              Math.sqrt(apart(stepped, moved.at)),
              1e-11 * (1 + Math.sqrt(dot(start, start)) + size / smoothness),
              0,
            ),
            input.kind !== 'none' || size === 0
              ? undefined
              : first(
                  Math.abs(shift - subject.proximalShift(terms)) <= 1e-9 * shift + 1e-13
                    ? undefined
                    : {
                        what: `the shift for f¹ = 0 is ${shift}, not ${subject.proximalShift(terms)}`,
                        measured: shift,
                        allowed: subject.proximalShift(terms),
                      },
                  Math.abs(cost - subject.proximalCost(terms)) <= slack + 1e-9 * cost
                    ? undefined
                    : {
                        what: `the cost for f¹ = 0 is ${cost}, not ${subject.proximalCost(terms)}`,
                        measured: cost,
                        allowed: subject.proximalCost(terms),
                      },
                ),
          );
        },
        { runs: 1000 },
      ),
  });

/** Row C57: one step under the condition. */
export const proximalPlStep: CheckOf = (subject) => {
  return defineClaimCheck({
    id: 'lowy/proximal-pl-step',
    tier: 'search',
    statement:
      'For every error u of the gradient, one shipped step of length 1/(2β) satisfies F(w⁺) − F* ≤ (1 − ' +
      'μ/2β)(F(w) − F*) + ‖u‖²/(4β), and one of length 1/β the same with 1 − μ/β and ‖u‖²/(2β); attained ' +
      'from the minimiser along a direction of curvature β.',
    power:
      'The contraction of the one length with the other, or half of the error’s term with the length 1/β.',
    run: (env) =>
      both(
        ...(['half', 'whole'] as const).map((stepSize) =>
          env.forAll(
            fc.tuple(compositeInputs(), errors),
            ([input, wrong]) => {
              const made = composite(input);
              const { start, slope, smoothness, convexity, gap } = made;
              const next = finished(
                subject.proximalSgd({
                  rounds: 1,
                  stepSizes: [(stepSize === 'half' ? 0.5 : 1) / smoothness],
                  proximal: (out, z, eta) => {
                    made.part.proxInto(out, z, eta);
                  },
                  start,
                  oracle: (point) => answered(plus(slope(point), wrong)),
                }),
              );
              const bound = subject.proximalPlStepBound({
                gap: gap(start),
                error: Math.sqrt(dot(wrong, wrong)),
                smoothness,
                convexity,
                stepSize,
              });
              return above(
                `F(w⁺) − F* after a step of ${stepSize} the length 1/β`,
                gap(next),
                bound,
                1e-11 * (1 + gap(start) + dot(wrong, wrong) / smoothness) * (1 + smoothness),
              );
            },
            {
              runs: 800,
              examples: [
                [
                  {
                    risk: { eigenvalues: [1, 1, 1], direction: [0, 0, 0], centre: [0, 0, 0] },
                    kind: 'none',
                    minimiser: [0, 0, 0],
                    duals: [0, 0, 0],
                    strength: 1,
                    from: [0, 0, 0],
                  },
                  Float64Array.of(2, 0, 0),
                ],
                // Without an error the flattest direction is the slowest: a step of half the length does not
                // contract by 1 − μ/β there.
                [
                  {
                    risk: { eigenvalues: [0.125, 4, 4], direction: [0, 0, 0], centre: [0, 0, 0] },
                    kind: 'l1',
                    minimiser: [1, 0, 0],
                    duals: [0, 0, 0],
                    strength: 1,
                    from: [-4, 0, 0],
                  },
                  Float64Array.of(0, 0, 0),
                ],
              ],
            },
          ),
        ),
      ),
  });
};

/** Row C57, R10 as printed: fails. */
export const printedProximalModel: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/proximal-model-printed',
    tier: 'exact',
    statement:
      'Eq. 65, which bounds the minimum of the model with the error by the minimum without it plus (Σ² + ' +
      'B²)/β (R10): one dimension, β = 1, slope 4, a bias of −1, no noise and f¹ = 0.',
    power: 'The left side is −9/4 and the right side −3: ⟨b, y_* − w⟩ is missing.',
    run: (env) =>
      env.forAll(
        fc.constant({ slope: 4, error: -1, smoothness: 1 }),
        ({ slope, error, smoothness }) => {
          const least = (g: number): number =>
            leastOf({ part: nothing }, new Float64Array(dimension), Float64Array.of(g, 0, 0), 2 * smoothness)
              .least;
          return above(
            'the least value of the model with the error',
            least(slope + error),
            subject.printedModelBound({ least: least(slope), error: Math.abs(error), smoothness }),
          );
        },
        { runs: 1 },
      ),
  });

/** Row C58: Proposition 46. */
export const proximalPlBound: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/proximal-pl-bound',
    tier: 'search',
    statement:
      'The exact risk of the last iterate on quadratics under noise and bias is within (1 − μ/2β)^T Δ + ' +
      '(1 − (1 − μ/2β)^T)(B² + Σ²)/(2μ), which pure bias along the flattest direction reaches, and ' +
      'within Proposition 46; it equals the mean over all runs of the shipped descent with two-point ' +
      'noise; at μ = β it converges to Σ²/(6β); T and the noise of Theorem 48 are those of the batches ' +
      'actually used, and T, which is defined by B and Σ, is no worse than ⌈κ⌉.',
    power: 'Any smaller constant of the sharper bound; noise that is half of what privacy asks for.',
    run: (env) =>
      noted(
        both(
          env.forAll(
            fc.record({
              eigenvalues: fc.array(powers(-4, 2), { minLength: 2, maxLength: 2 }),
              offsets: listOf(2, -4, 4),
              direction: listOf(2, -3, 3),
              bias: fc.constantFrom(0, 0.25, 4),
              noise: listOf(2, 0, 4),
              rounds: fc.integer({ min: 1, max: 300 }),
            }),
            ({ eigenvalues, offsets, direction, bias, noise, rounds }) => {
              const beta = Math.max(...eigenvalues);
              const mu = Math.min(...eigenvalues);
              const pushed = direction.map((entry) => bias * entry);
              const gap = eigenvalues.reduce((sum, lambda, j) => sum + (lambda * offsets[j] ** 2) / 2, 0);
              const { last } = exactDescentRisk({
                eigenvalues,
                offsets,
                bias: pushed,
                variances: noise,
                stepSizes: Array.from({ length: rounds }, () => 1 / (2 * beta)),
              });
              const run = {
                smoothness: beta,
                convexity: mu,
                gap,
                rounds,
                variance: noise[0] + noise[1],
                bias: Math.hypot(...pushed),
              };
              const sharp = subject.proximalPlExcessRisk(run, 'corrected');
              const kept = (1 - mu / (2 * beta)) ** rounds;
              const error = run.variance + run.bias ** 2;
              if (sharp > 0) most = Math.max(most, last / sharp);
              let walked = gap;
              for (let t = 0; t < rounds; t++)
                walked = subject.proximalPlStepBound({
                  gap: walked,
                  error: Math.sqrt(error),
                  smoothness: beta,
                  convexity: mu,
                  stepSize: 'half',
                });
              return first(
                above('the exact risk', last, sharp, 1e-12 * (1 + sharp)),
                above(
                  'the exact risk, by Proposition 46',
                  last,
                  subject.proximalPlExcessRisk(run, 'printed'),
                ),
                differs('the sharper bound, from the steps of row C57', sharp, walked),
                differs(
                  'Proposition 46',
                  subject.proximalPlExcessRisk(run, 'printed'),
                  kept * gap + (4 * error) / mu,
                ),
              );
            },
            { runs: 500 },
          ),
          env.forAll(
            powers(-4, 4),
            (beta) => {
              const settled = (bias: number, variance: number): number =>
                exactDescentRisk({
                  eigenvalues: [beta],
                  offsets: [0],
                  bias: [bias],
                  variances: [variance],
                  stepSizes: Array.from({ length: 200 }, () => 1 / (2 * beta)),
                }).last;
              const run = { smoothness: beta, convexity: beta, gap: 0, rounds: 200 };
              return first(
                differs('the risk under noise', settled(0, 3), 3 / (6 * beta)),
                differs(
                  'the risk under bias',
                  settled(3, 0),
                  subject.proximalPlExcessRisk({ ...run, variance: 0, bias: 3 }, 'corrected'),
                ),
                above(
                  'the risk under noise',
                  settled(0, 3),
                  subject.proximalPlExcessRisk({ ...run, variance: 3, bias: 0 }, 'corrected'),
                ),
              );
            },
            { runs: 9 },
          ),
          env.forAll(
            fc.record({
              eigenvalues: fc.array(powers(-2, 2), { minLength: 2, maxLength: 2 }),
              offsets: listOf(2, -4, 4),
              pushed: listOf(2, -2, 2),
              noise: listOf(2, 0, 3),
              rounds: fc.integer({ min: 1, max: 5 }),
            }),
            ({ eigenvalues, offsets, pushed, noise, rounds }) => {
              const stepSizes = Array.from({ length: rounds }, () => 1 / (2 * Math.max(...eigenvalues)));
              let mean = 0;
              eachSequence(4, rounds, (outcome) => {
                const w = finished(
                  subject.proximalSgd({
                    rounds,
                    stepSizes,
                    proximal: (out, z) => {
                      out.set(z);
                    },
                    start: Float64Array.from(offsets),
                    oracle: (point, t) =>
                      answered(
                        Float64Array.from(
                          point,
                          (entry, j) =>
                            eigenvalues[j] * entry +
                            pushed[j] +
                            (Math.floor(outcome[t] / (j + 1)) % 2 === 0 ? 1 : -1) * noise[j],
                        ),
                      ),
                  }),
                );
                mean +=
                  w.reduce((sum, entry, j) => sum + eigenvalues[j] * entry * entry, 0) / (2 * 4 ** rounds);
              });
              return differs(
                'the mean risk over all outcomes',
                mean,
                exactDescentRisk({
                  eigenvalues,
                  offsets,
                  bias: pushed,
                  variances: noise.map((one) => one * one),
                  stepSizes,
                }).last,
                1e-8,
              );
            },
            { runs: 30 },
          ),
          env.forAll(
            fc.record({
              bits: fc.integer({ min: 4, max: 22 }),
              d: fc.integer({ min: 1, max: 500 }),
              epsilon: powers(-3, 3),
              order: fc.constantFrom(2, 2.5, 3, 4, 8),
              moment: powers(-3, 4),
              gap: powers(-3, 6),
              convexity: powers(-4, 3),
              condition: powers(0, 4),
            }),
            ({ bits, d, epsilon, order, moment, gap, convexity, condition }) => {
              const n = 2 ** bits;
              const {
                rounds,
                batches,
                batchSize,
                clipNorm,
                noise,
                variance,
                bias,
                excessRisk,
                printedBound,
              } = subject.proximalPlSchedule(
                {
                  slots: n,
                  dimension: d,
                  smoothness: convexity * condition,
                  convexity,
                  gap,
                  order,
                  moment,
                  secondMoment: moment,
                  epsilon,
                },
                'printed',
              );
              const run = { smoothness: convexity * condition, convexity, gap, rounds, variance, bias };
              // T is defined by B and Σ, which depend on it: of those
              // tried none has a lower bound, the first of them ⌈κ⌉.
              const known = {
                slots: n,
                dimension: d,
                smoothness: convexity * condition,
                convexity,
                gap,
                order,
                moment,
                secondMoment: moment,
                epsilon,
              };
              const best = subject.proximalPlSchedule(known, 'corrected').excessRisk;
              const beginning =
                condition <= n
                  ? subject.proximalPlSchedule(known, 'corrected', { rounds: condition }).excessRisk
                  : Infinity;
              return first(
                above('the bound of the shipped T', best, beginning),
                differs('the batches', batches, rounds),
                above('the records used', batches * batchSize, n),
                differs(
                  'C',
                  clipNorm,
                  moment * ((epsilon * n) ** 2 / (d * rounds ** 2)) ** (1 / (2 * order)),
                ),
                differs(
                  'dσ²',
                  d * noise ** 2,
                  subject.stepNoise({ dimension: d, clipNorm, rounds: n / batchSize, epsilon, records: n }),
                ),
                differs('B', bias, moment ** order / ((order - 1) * clipNorm ** (order - 1))),
                differs('Σ²', variance, d * noise ** 2 + moment ** 2 / batchSize),
                differs('the bound', excessRisk, subject.proximalPlExcessRisk(run, 'corrected')),
                differs(
                  'what is printed',
                  defined(printedBound),
                  subject.proximalPlExcessRisk(run, 'printed'),
                ),
              );
            },
            { runs: 300 },
          ),
        ),
        () => `largest share of the sharper bound ${most.toFixed(3)}`,
      ),
  });
};

/** Row C58, R11 as printed: fails. */
export const printedProximalNoise: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/proximal-noise-printed',
    tier: 'exact',
    statement:
      'The noise of a clipped mean that is ε²/2-concentrated DP has ' +
      'dσ² = 2dC²T²/(ε²n²), as the proof of Theorem 48 prints (R11).',
    power: 'It is 4dC²T²/(ε²n²), from the sensitivity 2CT/n.',
    run: (env) =>
      env.forAll(
        fc.constant({ dimension: 5, clipNorm: 3, rounds: 4, epsilon: 0.5, records: 100 }),
        (setting) => {
          const sensitivity = (2 * setting.clipNorm * setting.rounds) / setting.records;
          const rho = setting.epsilon ** 2 / 2;
          return differs(
            'the noise that privacy asks for',
            (setting.dimension * sensitivity ** 2) / (2 * rho),
            subject.printedStepNoise(setting),
          );
        },
        { runs: 1 },
      ),
  });
