import { addDown, divideUp, multiplyUp } from '@lethe/numerics';
import {
  assertOptions,
  BudgetExceeded,
  defineEvent,
  definedSensitivity,
  InvalidParameter,
  parseOrThrow,
  sensitivitySchema,
  sensitivityUnder,
  Unsupported,
  type PrivacyEvent,
  type RandomSource,
  type Sensitivity,
} from '@lethe/core';
import * as z from 'zod';

const positive = z.number().positive();
const schema = z.strictObject({
  kind: z.literal('lethe/above-threshold'),
  v: z.literal(1),
  epsilon: positive,
  cutOff: z.int().positive(),
  sensitivity: sensitivitySchema,
});

/** Answers above the threshold of the run that realises the event. */
const mostRealised = 4;

/**
 * A whole run of {@link aboveThreshold}, with any number of answers below the threshold: ε-differentially
 * private for queries of the sensitivity of its noise, and `sε` for `s` times that sensitivity.
 */
export const aboveThresholdEvent = defineEvent({
  name: 'lethe/above-threshold',
  version: 1,
  summary: 'Answers above a noisy threshold, up to a cut-off.',
  source: { id: 'lyu-su-li-2017', item: 'Theorem 2' },
  schema,
  examples: [
    {
      kind: 'lethe/above-threshold',
      v: 1,
      epsilon: 1,
      cutOff: 3,
      sensitivity: { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
    },
    { kind: 'lethe/above-threshold', v: 1, epsilon: 1e-12, cutOff: 1, sensitivity: { 'add-remove': 7 } },
  ],
  claims: [
    {
      property: 'characterised',
      statement: 'pure with ε times the sensitivity; Unsupported under an adjacency without one',
    },
    { property: 'assumptions', statement: 'noise is real-valued: certificates assume real arithmetic' },
  ],
  assumptions: ['real-arithmetic'],
  characterise: {
    pure: ({ epsilon, sensitivity }, adjacency) =>
      multiplyUp(epsilon, sensitivityUnder(sensitivity, adjacency, "the event 'lethe/above-threshold'")),
  },
  // Queries at the threshold that move down but for the last ones, which move up: up to the cut-off.
  realise: [
    {
      draw({ epsilon, cutOff, sensitivity }, adjacency, side, random) {
        const moved = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/above-threshold'");
        const run = aboveThreshold({ epsilon, cutOff, sensitivity: 1 }, random);
        const length = 2 * Math.min(cutOff, mostRealised);
        return Array.from({ length }, (_, i) => {
          if (run.isExhausted) return 0;
          const up = i < length / 2 ? -1 : 1;
          return Number(run.ask((side === 0 ? up : -up) * (moved / 2), 0));
        });
      },
    },
  ],
});

const optionsSchema = z.strictObject({
  epsilon: positive,
  cutOff: z.int().positive(),
  sensitivity: positive,
  monotone: z.boolean().default(false),
  split: positive.optional(),
});

/** Options of a run of the sparse vector technique. */
export interface AboveThresholdOptions {
  /** ε of the whole run. */
  readonly epsilon: number;
  /** Number of answers above the threshold after which the run stops. */
  readonly cutOff: number;
  /** Sensitivity of every single query. */
  readonly sensitivity: number;
  /**
   * Between neighbours all queries move the same way, as counts do under add-remove: half the noise on
   * queries then does. Under replace-one, which is a removal and an addition, counts do not: for the event
   * give it the sum of both sensitivities. @defaultValue false
   */
  readonly monotone?: boolean;
  /**
   * ε of the answers in units of that of the threshold. @defaultValue the ratio that makes comparisons most
   * accurate, `(2c)^(2/3)`; `c^(2/3)` when monotone
   */
  readonly split?: number;
}

/** A run of the sparse vector technique. */
export interface AboveThreshold {
  /**
   * Whether `value` with noise reaches the noised `threshold`. No value is released. The event of the
   * whole run is charged before the first question.
   *
   * @throws {InvalidParameter} for a value or threshold that is not finite;
   * {@link BudgetExceeded} after the cut-off. Neither draws noise.
   */
  ask(value: number, threshold: number): boolean;
  /** Answers above the threshold so far. */
  readonly positives: number;
  readonly isExhausted: boolean;
  /** Scale of the Laplace noise on every query, and on the threshold, once. */
  readonly scales: { readonly query: number; readonly threshold: number };
  /**
   * The event of the whole run, to be charged before the first question.
   * @param relative - Sensitivities in units of `sensitivity`.
   */
  event(relative: Sensitivity): PrivacyEvent;
}

/**
 * The sparse vector technique in its correct form: the threshold is noised once, with scale `Δ/ε₁`, and never
 * again; every query afresh, with scale `2cΔ/ε₂` (`cΔ/ε₂` when monotone); ε₁ + ε₂ = ε, and it stops after `c`
 * answers above the threshold. Answers below cost nothing more, however many there are. Noise in doubles is
 * idealised.
 *
 * @throws {InvalidParameter} for options outside their domains;
 * {@link Unsupported} where no double holds the noise.
 * @see Lyu, Su, Li 2017, Algorithms 1 and 7, Theorems 2 to 5 and Section 4.2.
 */
export function aboveThreshold(options: AboveThresholdOptions, random: RandomSource): AboveThreshold {
  assertOptions(options, 'aboveThreshold');
  const { epsilon, cutOff, sensitivity, monotone, split } = parseOrThrow(
    optionsSchema,
    options,
    'aboveThreshold',
  );
  const scales = scalesOf({ epsilon, sensitivity, factor: monotone ? cutOff : 2 * cutOff, split });
  const noise = new Float64Array(1);
  const laplace = (scale: number): number => scale * random.laplaceInto(noise)[0];
  const shift = laplace(scales.threshold);
  let positives = 0;
  return Object.freeze({
    ask(value: number, threshold: number): boolean {
      if (!Number.isFinite(value) || !Number.isFinite(threshold))
        throw new InvalidParameter(
          `value ${value} was compared with threshold ${threshold}; both must be finite`,
          { value, threshold },
        );
      if (positives === cutOff)
        throw new BudgetExceeded(
          `${cutOff} answers were above the threshold, ` +
            'as many as this run may give; start another, and charge it',
          { spent: cutOff, asked: 1, limit: cutOff },
        );
      const isAbove = value - threshold + laplace(scales.query) >= shift;
      if (isAbove) positives++;
      return isAbove;
    },
    get positives() {
      return positives;
    },
    get isExhausted() {
      return positives === cutOff;
    },
    scales,
    event: (relative: Sensitivity) =>
      ({
        kind: 'lethe/above-threshold',
        v: 1,
        epsilon,
        cutOff,
        sensitivity: definedSensitivity(relative),
      }) as PrivacyEvent,
  });
}

interface Split {
  readonly epsilon: number;
  readonly sensitivity: number;
  readonly factor: number;
  readonly split: number | undefined;
}

/**
 * Range of noise scales: smaller noise would be subnormal
 * doubles, and larger noise could overflow.
 */
const finest = 1e-290;
const coarsest = 1e290;

/**
 * Scales, rounded up, for shares of ε that add up to no more than it. The ratio is that for which the
 * variance of the difference of the two noises is least.
 */
function scalesOf({
  epsilon,
  sensitivity,
  factor,
  split = Math.cbrt(factor * factor),
}: Split): AboveThreshold['scales'] {
  const first = epsilon / (1 + split);
  const second = addDown(epsilon, -first);
  if (first > 0 && second > 0) {
    const scales = Object.freeze({
      query: divideUp(multiplyUp(factor, sensitivity), second),
      threshold: divideUp(sensitivity, first),
    });
    if (Object.values(scales).every((scale) => scale >= finest && scale <= coarsest)) return scales;
  }
  throw new Unsupported(
    `no double holds noise of scale ${sensitivity}·${factor}/ε for ε = ${epsilon} split 1 : ` +
      `${split}; ask for another ε, give values in a larger unit, or a split nearer to 1`,
    { epsilon, sensitivity, split },
  );
}
