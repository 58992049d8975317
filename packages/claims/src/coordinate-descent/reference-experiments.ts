import { InvalidParameter, type Sketch } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { convergenceSubject, type ConvergenceSubject } from './convergence-subject.js';

/** The comparisons of Section 4.3 on separable quadratics, and one reversed comparison. */
export type ReferenceExperimentId = 'X-IMP' | 'X-FULL' | 'X-IMP-REV' | 'X-BLOCK';

/** One method of an experiment. */
export interface ReferenceMethod {
  /**
   * `uniform` and `importance`: of coordinates or blocks; `full`: all coordinates, each with its own step;
   * `gradient-descent`: with one step for all.
   */
  readonly method: 'uniform' | 'importance' | 'full' | 'gradient-descent';
  /** `R_{MP⁻¹}`, and `Σ_S`. */
  readonly distance: number;
  readonly deviation: number;
  /** `K` of Theorem 4.2, before and after rounding. */
  readonly exactInnerSteps: number;
  readonly innerSteps: number;
  /** `R²/K + 12 K c Σ_S²`. */
  readonly bound: number;
  /**
   * The largest exact risk over curvatures, and the curvature `h`, relative to the smoothness, at which it
   * occurs.
   */
  readonly worstRisk: number;
  readonly worstCurvature: number;
}

/** An experiment, computed without sampling. The first method is the baseline. */
export interface ReferenceExperiment {
  readonly id: ReferenceExperimentId;
  readonly dimension: number;
  /** `c = log(1/δ)/(n²ε²)`. */
  readonly cost: number;
  readonly methods: readonly ReferenceMethod[];
}

/** Curvatures over smoothness at which risks are computed. */
export const referenceCurvatures: readonly number[] = [
  1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 1e-4, 1e-5,
];

/** A problem: `f = ½ Σ_j h M_j (w_j − w*_j)²` for an unknown relative curvature `h`. */
interface Setting {
  readonly smoothness: Float64Array;
  readonly offsets: Float64Array;
  readonly lipschitz: (coordinates: ArrayLike<number>) => number;
  readonly cost: number;
}
interface Method {
  readonly method: ReferenceMethod['method'];
  readonly sketch: Sketch;
  readonly params: unknown;
  readonly smoothness?: Float64Array;
}

type Parts = Pick<
  ConvergenceSubject,
  | 'fullSketch'
  | 'singleCoordinate'
  | 'blockSketch'
  | 'sketchConstants'
  | 'weightedNorm'
  | 'convexSchedule'
  | 'convexBound'
  | 'separableRisk'
>;

/**
 * Bounds and exact risks of the methods of an experiment.
 *
 * @param dimension - `d` from 2 on; `X-BLOCK` takes multiples of 4 and is meant for 64.
 * @param parts - Functions for the computation.
 * @throws {InvalidParameter} for a dimension that the experiment does not support.
 * @see Maranjyan, Sadiev and Richtárik 2024, Section 4.3, which names the settings and no numbers.
 */
export function referenceExperiments(
  id: ReferenceExperimentId,
  dimension: number,
  parts: Parts = convergenceSubject,
): ReferenceExperiment {
  const step = id === 'X-BLOCK' ? 4 : 1;
  if (!(Number.isSafeInteger(dimension) && dimension >= 2 && dimension % step === 0))
    throw new InvalidParameter(
      `${id} was asked for in ${dimension} dimensions; it takes ` +
        `${id === 'X-BLOCK' ? 'multiples of 4' : 'whole numbers from 2 on'}`,
      { id, dimension },
    );
  const { setting, methods } = experiments[id](dimension, parts);
  return {
    id,
    dimension,
    cost: setting.cost,
    methods: methods.map((method) => outcome(parts, setting, method)),
  };
}

function outcome(
  parts: Parts,
  { smoothness: truth, offsets, lipschitz, cost }: Setting,
  { method, sketch, params, smoothness = truth }: Method,
): ReferenceMethod {
  const d = smoothness.length;
  const marginals = sketch.marginals(params, d);
  const unitNoise = 12 * cost;
  const { noise } = parts.sketchConstants(sketch, params, { smoothness, lipschitz });
  const distance = parts.weightedNorm(
    offsets,
    smoothness.map((M, j) => M / marginals[j]),
  );
  const { innerSteps, exact } = parts.convexSchedule({ distance, noise, unitNoise });
  const noiseScale = new Float64Array(d);
  for (const {
    drawn: { coordinates },
  } of defined(sketch.enumerate(params, d)))
    for (const j of coordinates) noiseScale[j] = lipschitz(coordinates) * Math.sqrt(unitNoise * innerSteps);
  const risks = referenceCurvatures.map((h) =>
    parts.separableRisk({
      curvature: truth.map((M) => h * M),
      smoothness,
      marginals,
      noiseScale,
      offsets,
      innerSteps,
    }),
  );
  const worstRisk = Math.max(...risks);
  return {
    method,
    distance,
    deviation: Math.sqrt(noise),
    exactInnerSteps: exact,
    innerSteps,
    worstRisk,
    worstCurvature: referenceCurvatures[risks.indexOf(worstRisk)],
    bound: parts.convexBound({ distance, innerSteps, stepNoise: unitNoise * innerSteps * noise }),
  };
}

/** `first` in the first entry, `others` elsewhere. */
const spiked = (dimension: number, one: number, others: number): Float64Array =>
  Float64Array.from({ length: dimension }, (_, j) => (j === 0 ? one : others));
const rootOfSum =
  (squares: (j: number) => number) =>
  (coordinates: ArrayLike<number>): number =>
    Math.sqrt(Array.from(coordinates).reduce((sum, j) => sum + squares(j), 0));

const single = ({ singleCoordinate }: Parts, smoothness: Float64Array): readonly Method[] => [
  { method: 'uniform', sketch: singleCoordinate, params: { choice: { by: 'uniform' } } },
  {
    method: 'importance',
    sketch: singleCoordinate,
    params: { choice: { by: 'importance', smoothness: [...smoothness] } },
  },
];
const descent = ({ fullSketch }: Parts, smoothness: Float64Array): Method => ({
  method: 'gradient-descent',
  sketch: fullSketch,
  params: {},
  smoothness: smoothness.map(() => Math.max(...smoothness)),
});

function onCoordinates(dimension: number, parts: Parts, smoothness: Float64Array) {
  const setting = {
    smoothness,
    offsets: spiked(dimension, 1, 1e-3 / dimension),
    lipschitz: rootOfSum((j) => smoothness[j]),
    cost: 1e-4,
  };
  return { setting, methods: single(parts, smoothness) };
}

const experiments: Readonly<
  Record<
    ReferenceExperimentId,
    (dimension: number, parts: Parts) => { readonly setting: Setting; readonly methods: readonly Method[] }
  >
> = {
  'X-IMP': (dimension, parts) => onCoordinates(dimension, parts, spiked(dimension, 100 * dimension, 1)),
  'X-IMP-REV': (dimension, parts) => onCoordinates(dimension, parts, spiked(dimension, 1, 100 * dimension)),
  'X-FULL': (dimension, parts) => {
    const smoothness = spiked(dimension, 1, 100 * dimension);
    const setting = {
      smoothness,
      offsets: spiked(dimension, 1, 1e-3 / dimension),
      lipschitz: () => 1,
      cost: 1e-4,
    };
    return {
      setting,
      methods: [descent(parts, smoothness), { method: 'full', sketch: parts.fullSketch, params: {} }],
    };
  },
  'X-BLOCK': (dimension, parts) => {
    const size = dimension / 4;
    const blockOf = (j: number): number => Math.floor(j / size);
    const smoothness = Float64Array.from({ length: dimension }, (_, j) => (j < size ? 1e4 : 1));
    // Along several blocks at once the squares of their constants add up.
    const lipschitz = (coordinates: ArrayLike<number>): number =>
      Math.sqrt(
        [...new Set(Array.from(coordinates, blockOf))].reduce(
          (sum, block) => sum + (block === 0 ? 1e4 : 0.01),
          0,
        ),
      );
    const blocks = [0, 1, 2, 3].map((block) =>
      Array.from(smoothness.keys()).filter((j) => blockOf(j) === block),
    );
    return {
      setting: {
        smoothness,
        offsets: Float64Array.from(smoothness, (_, j) => (j === size ? 1 : 0)),
        lipschitz,
        cost: 1e-6,
      },
      methods: [
        { method: 'uniform', sketch: parts.blockSketch, params: { blocks, choice: { by: 'uniform' } } },
        {
          method: 'importance',
          sketch: parts.blockSketch,
          params: { blocks, choice: { by: 'importance', smoothness: [...smoothness] } },
        },
        descent(parts, smoothness),
        { method: 'full', sketch: parts.fullSketch, params: {} },
      ],
    };
  },
};
