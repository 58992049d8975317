import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { differs, first } from '../common/judging.js';
import { sketchCase, sketchInputs, type SketchInput } from './sketch-inputs.js';

interface Units {
  readonly sketch: SketchInput;
  /** Powers of 2. */
  readonly smoothness: readonly number[];
  readonly lipschitz: readonly number[];
  readonly offsets: readonly number[];
}

const units = fc.integer({ min: 1, max: 4 }).chain((dimension) =>
  fc.record({
    sketch: sketchInputs(dimension),
    ...Object.fromEntries(
      ['smoothness', 'lipschitz', 'offsets'].map((name) => [
        name,
        fc.array(fc.integer({ min: -4, max: 4 }), { minLength: dimension, maxLength: dimension }),
      ]),
    ),
  }),
) as fc.Arbitrary<Units>;

const compared = [
  'full',
  'dp-sgd',
  'coordinates-uniform',
  'coordinates-importance',
  'dp-cd',
  'blocks-uniform',
  'blocks-importance',
] as const;

/** Rates of Table 1 on two blocks, in some units. */
function ratesIn(
  subject: ConvergenceSubject,
  { smoothness, lipschitz, offsets }: Units,
  loss: number,
  model: number,
) {
  const constants = lipschitz.map((k) => (2 ** k * loss) / model);
  const half = Math.ceil(smoothness.length / 2);
  const all = smoothness.map((_, j) => j);
  const setting = {
    smoothness: Float64Array.from(smoothness, (k) => (2 ** k * loss) / model ** 2),
    offsets: offsets.map((k) => 2 ** k * model),
    strongConvexity: (2 ** -5 * loss) / model ** 2,
    lipschitz: (coordinates: ArrayLike<number>) =>
      Math.sqrt(Array.from(coordinates).reduce((sum, j) => sum + constants[j] ** 2, 0)),
    blocks: [all.slice(0, half), all.slice(half)].filter(({ length }) => length > 0),
  };
  return { setting, rates: compared.map((system) => subject.rates[system](setting)) };
}

/** All that Theorem 4.2 says of a problem in some units: the loss times `loss`, the model times `model`. */
function said(subject: ConvergenceSubject, { sketch, ...powers }: Units, loss: number, model: number) {
  const smoothness = Float64Array.from(powers.smoothness, (k) => (2 ** k * loss) / model ** 2);
  const squares = Float64Array.from(powers.lipschitz, (k) => ((2 ** k * loss) / model) ** 2);
  const { sketch: plugin, params, marginals } = sketchCase(subject, sketch, smoothness);
  const constants = subject.sketchConstants(plugin, params, { smoothness, lipschitz: squares });
  const distance = subject.weightedNorm(
    powers.offsets.map((k) => 2 ** k * model),
    smoothness.map((M, j) => M / marginals[j]),
  );
  const unitNoise = 2 ** -12;
  const strongConvexity = (2 ** -5 * loss) / model ** 2;
  const one = subject.convexSchedule({ distance, noise: constants.noise, unitNoise });
  const gap = 2 * loss;
  const condition = constants.smoothness / strongConvexity;
  const many = subject.stronglyConvexSchedule({ condition, gap, noise: constants.noise, unitNoise });
  const per = unitNoise * one.innerSteps;
  const all = unitNoise * many.innerSteps * many.rounds;
  const noises = { stepNoise: all * constants.noise, riskNoise: all * constants.riskNoise };
  const explicit = { condition, ratio: Math.max(2, many.ratio), unit: (constants.noise * unitNoise) / 12 };
  return {
    lengths: [
      one.exact,
      one.innerSteps,
      many.innerSteps,
      many.rounds,
      many.ratio,
      subject.roundLength({ strongConvexity, steepest: constants.smoothness }),
    ],
    bounds: [
      subject.convexBound({ distance, innerSteps: one.innerSteps, stepNoise: per * constants.noise }),
      subject.roundBound({ distance, gap, innerSteps: one.innerSteps, stepNoise: per * constants.noise }),
      subject.sharpRoundBound({
        distance,
        innerSteps: one.innerSteps,
        stepNoise: per * constants.noise,
        riskNoise: per * constants.riskNoise,
      }),
      subject.blockwiseRoundBound({
        distance,
        gap,
        innerSteps: one.innerSteps,
        stepNoise: per * constants.noise,
        riskNoise: per * constants.riskNoise,
        leastProbability: Math.min(...marginals),
      }),
      subject.stronglyConvexBound({ gap, condition, ...many, ...noises }),
      subject.sharpStronglyConvexBound({ gap, condition, ...many, ...noises }),
      subject.safeStronglyConvexBound(explicit),
      ...ratesIn(subject, { sketch, ...powers }, loss, model).rates.flatMap(({ convex, stronglyConvex }) => [
        convex,
        stronglyConvex,
      ]),
    ],
  };
}

/** Row 44: units. */
export const scaleInvariance: (subject: ConvergenceSubject) => ClaimCheck = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/scale-invariance',
    tier: 'search',
    statement:
      'Scaling the loss leaves K and T as they are and scales every bound and every rate of Table 1 with ' +
      'it; scaling the model changes none of them.',
    power: 'Any lost square or root of R, Σ, M or L.',
    run: (env) =>
      env.forAll(
        fc.tuple(units, fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 })),
        ([given, lossBits, modelBits]) => {
          const loss = 4 ** lossBits;
          const model = 2 ** modelBits;
          const here = said(subject, given, 1, 1);
          const there = said(subject, given, loss, model);
          return first(
            ...here.lengths.map((length, k) =>
              differs(`number ${k} of the schedules in other units`, there.lengths[k], length, 1e-12),
            ),
            ...here.bounds.map((bound, k) =>
              differs(`bound ${k} in other units`, there.bounds[k], bound * loss, 1e-12),
            ),
          );
        },
        {
          runs: 200,
          examples: [
            [{ sketch: { family: 'full' }, smoothness: [1, 0], lipschitz: [1, 0], offsets: [0, 1] }, 1, 1],
          ],
        },
      ),
  });

/** Row 44, as a line of Table 1 is printed: fails. */
export const printedScaling: (subject: ConvergenceSubject) => ClaimCheck = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/importance-rate-printed',
    tier: 'search',
    statement:
      'The strongly convex rate of blocks by importance, ' +
      'with ‖L_A‖_{M⁻¹} not squared as in Table 1, scales with the loss.',
    power: 'Scaling the loss by 4 scales it by 2.',
    run: (env) =>
      env.forAll(
        units,
        (given) => {
          const printed = (loss: number): number => {
            const { setting, rates } = ratesIn(subject, given, loss, 1);
            const { stronglyConvex } = rates[compared.indexOf('blocks-importance')];
            return (
              stronglyConvex /
              subject.weightedNorm(
                setting.smoothness.map((_, j) =>
                  setting.lipschitz(defined(setting.blocks.find((block) => block.includes(j)))),
                ),
                setting.smoothness.map((M) => 1 / M),
              )
            );
          };
          return differs('the rate after scaling the loss by 4', printed(4), 4 * printed(1));
        },
        { runs: 20 },
      ),
  });
