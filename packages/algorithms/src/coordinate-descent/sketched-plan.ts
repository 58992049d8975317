import {
  clippedMeanSensitivity,
  InvalidParameter,
  LetheError,
  referenceTo,
  sensitivityUnder,
  Unsupported,
  type PlanContext,
} from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import * as z from 'zod';
import { meanAt } from '../common/given-mean.js';
import { centralSlots } from '../common/problem-facts.js';
import { foundBefore, quantileBefore } from '../standard/quantile-before.js';
import { coordinateConstraintsOf } from './coordinate-constraints.js';
import type { PlannedParams, SketchChoice } from './descent-schema.js';
import { plannedSketch } from './planned-sketch.js';
import { meanOf, radiusOf, constantsOf } from './mean-along.js';
import { lackingFor, lengthOf, obstacleIn, printedBound, reachOf, riskBound } from './sketched-utility.js';
import { theoremNoiseMultiplier } from './schedule.js';

/** What every method that {@link sketchedPlan} plans declares of itself. */
export const declared = {
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  regularisers: 'separable',
  schedule: z.looseObject({
    rounds: z.int().positive(),
    innerSteps: z.int().positive(),
    noiseMultiplier: z.number().positive(),
    smoothness: z.array(z.number().positive()).min(1),
    mean: referenceTo('mean'),
    sketch: z.strictObject({
      kind: z.literal('sketch'),
      name: z.string(),
      params: z.record(z.string(), z.unknown()),
    }),
  }),
} as const;

type Context = Omit<PlanContext<PlannedParams, { readonly convex: true; readonly smooth: true }>, 'random'>;

/** Both calibrations say how much noise the whole run’s steps need. */
interface Calibrated {
  readonly noiseMultiplier: number;
  readonly gaussianMu: number;
  readonly stepNoise: number;
}

/**
 * Plans Algorithm 1, and a method it comprises, for a sketch by name: smoothness constants, Lipschitz
 * constants or clips, rounds and steps, then the noise for exactly those. Where the clip is found, noise in
 * the mean is that for the largest radius of the search.
 *
 * @throws {Unsupported} when a fact is missing that a parameter could stand in for; the message says which.
 * @throws {InvalidParameter} for parameters that do not fit each other, and budgets outside Theorem 4.1 if it
 * is asked for.
 */
export function sketchedPlan(
  method: string,
  choice: SketchChoice,
  { problem, registry, domain, regulariser, budget, params, noiseFor }: Context,
) {
  const records = centralSlots(problem);
  const { adjacency } = problem;
  const land = coordinateConstraintsOf({ domain, regulariser });
  const sketch = plannedSketch(registry, choice, params, problem, land);
  const { quantile } = quantileBefore(params.clip?.radius, { problem, budget });
  const mean = meanOf(params);
  const largest = quantile === null ? mean : meanAt(registry, mean, quantile.largest);
  const radius = radiusOf(method, largest, { problem, registry }, sketch);
  const constants = constantsOf(sketch, radius);
  const reach = reachOf(problem, sketch, land);
  const factor = sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean');
  /** `N` at a noise multiplier. */
  const noiseAt = (multiplier: number): number => (multiplier * (factor / records)) ** 2 * constants.noise;
  if (params.calibration === 'theorem' && adjacency !== 'replace-one')
    throw new Unsupported(
      `Theorem 4.1 is for replace-one, and the problem has ${adjacency}; use calibration 'exact'`,
      { adjacency },
    );
  /** Noise over sensitivity of one step, if the run had only one, and the counts of its clip. */
  const single = {
    exact: () => gaussian.multiplierFor({}, budget) / Math.sqrt(1 - shareOfCounts(params)),
    theorem: () => theoremNoiseMultiplier({ ...budget, steps: 1 }),
  };
  const length = lengthOf(
    params,
    reach,
    constants,
    () => (single[params.calibration]() * (factor / records)) ** 2,
  );
  const steps = length.rounds * length.innerSteps;
  if (!Number.isSafeInteger(steps))
    throw new InvalidParameter(
      `${length.rounds} rounds of ${length.innerSteps} steps are more than can be counted; take fewer`,
      { rounds: length.rounds, innerSteps: length.innerSteps },
    );
  const draft = {
    ...length,
    sketch: {
      kind: 'sketch' as const,
      name: sketch.plugin.name,
      params: sketch.params as Readonly<Record<string, unknown>>,
    },
    smoothness: [...sketch.smoothness],
    mean,
    ...(quantile === null ? {} : { quantile }),
  };
  const noiseMultiplier =
    params.noiseMultiplier ??
    (params.calibration === 'theorem'
      ? theoremNoiseMultiplier({ ...budget, steps })
      : noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier })));
  const calibrated = (multiplier: () => number): Calibrated | null => {
    const value = known(multiplier);
    return value === null
      ? null
      : { noiseMultiplier: value, gaussianMu: Math.sqrt(steps) / value, stepNoise: noiseAt(value) };
  };
  const stepNoise = noiseAt(noiseMultiplier);
  const riskNoise = constants.noise === 0 ? 0 : stepNoise * (constants.riskNoise / constants.noise);
  const obstacle = quantile === null ? obstacleIn({ land, radius, adjacency }) : foundBefore;
  const utility =
    obstacle === null ? riskBound(length, reach, { stepNoise, riskNoise, follows: sketch.follows }) : null;
  return {
    ...draft,
    noiseMultiplier,
    stepNoise,
    riskNoise,
    calibration: params.noiseMultiplier === undefined ? params.calibration : 'given',
    noise: {
      exact: calibrated(() =>
        params.calibration === 'exact' && params.noiseMultiplier === undefined
          ? noiseMultiplier
          : Math.sqrt(steps) * single.exact(),
      ),
      theorem:
        adjacency === 'replace-one' && quantile === null
          ? calibrated(() => theoremNoiseMultiplier({ ...budget, steps }))
          : null,
    },
    constants: { ...constants },
    utility,
    uncovered: utility === null ? (obstacle ?? lackingFor(length, reach)) : null,
    printedBound: obstacle === null ? printedBound(length, reach, stepNoise) : null,
  };
}

/** The part of the budget, as μ², that a plan keeps for finding its clip. */
const shareOfCounts = ({ clip }: PlannedParams): number =>
  typeof clip?.radius === 'object' ? clip.radius.share : 0;

/** What is computed for comparison only may not exist. */
function known(value: () => number): number | null {
  try {
    return value();
  } catch (error) {
    if (error instanceof LetheError) return null;
    throw error;
  }
}
