import { InvalidParameter } from '@lethe/core';
import { normalQuantileBounds } from '@lethe/numerics';
import type { Calibration, CalibrationOptions } from './options.js';

/** What an attack that finds out whether a record is there may reach. */
export interface DetectionTarget {
  /** Largest rate of true positives, above `falseAlarms` and below 1. */
  readonly detection: number;
  /** Rate of false alarms at which it holds, in (0, 1). */
  readonly falseAlarms: number;
}

/** A calibration with the (ε, δ) that shows the target to be met. */
export interface DetectionCalibration extends Calibration {
  readonly epsilon: number;
  readonly delta: number;
}

/** First distance between slopes, as a share of the interval in which the best one lies. */
const firstStep = 0.08;
/** A value that is better by less than this share ends the search. */
const enough = 3e-5;
/** Parabolas through the best three slopes. */
const mostParabolas = 4;

/**
 * The least private value with which no attack detects a record more often than `target.detection` at
 * `target.falseAlarms`.
 *
 * Every (ε, δ) that holds bounds the true positives by a line through `(falseAlarms, detection)`: of slope
 * `e^ε` where `δ = detection − e^ε falseAlarms`, or of slope `e^−ε` where
 * `δ = 1 − falseAlarms − e^ε (1 − detection)`. The values that meet one of these lines are searched for the
 * least private. A set of slopes whose lines lie above a concave curve is an interval, so that the search has
 * one minimum. It begins at the slope that is best for Gaussian noise, and goes on by parabolas.
 *
 * @param calibrate - As `calibrator` makes it.
 * @param options - As for a calibration by δ, without its target.
 * @throws {InvalidParameter} for rates outside their domain. Throws as a calibration by δ.
 * @see Dong, Roth, Su 2022, Proposition 6.
 */
export function calibrateDetection(
  calibrate: (options: CalibrationOptions) => Calibration,
  options: Omit<CalibrationOptions, 'target' | 'by'>,
  { detection, falseAlarms }: DetectionTarget,
): DetectionCalibration {
  if (!(falseAlarms > 0 && falseAlarms < 1))
    throw new InvalidParameter(`the rate of false alarms is ${falseAlarms}; it must be above 0 and below 1`, {
      falseAlarms,
    });
  if (!(detection > falseAlarms && detection < 1))
    throw new InvalidParameter(
      `the rate of detection is ${detection}; it must be above the rate of false alarms, ${falseAlarms}, ` +
        'which a coin reaches, and below 1',
      { detection, falseAlarms },
    );
  let probes = 0;
  let { start, direction } = options;
  const at = (slope: number): Tried => {
    const epsilon = Math.abs(slope);
    const delta =
      slope >= 0
        ? detection - Math.exp(epsilon) * falseAlarms
        : 1 - falseAlarms - Math.exp(epsilon) * (1 - detection);
    const found = calibrate({
      tolerance: 1e-6,
      ...options,
      ...(start === undefined ? {} : { start }),
      ...(direction === undefined ? {} : { direction }),
      by: 'delta',
      target: { epsilon, delta },
    });
    probes += found.probes;
    ({ value: start, direction } = found);
    const sign = direction === 'larger-is-private' ? 1 : -1;
    return { slope, cost: sign * Math.log(found.value), found: { ...found, epsilon, delta, probes } };
  };
  // At these slopes δ is 0.
  const ends = [-Math.log((1 - falseAlarms) / (1 - detection)), Math.log(detection / falseAlarms)] as const;
  let [left, middle, right] = around(at, gaussianSlope(detection, falseAlarms), ends);
  for (let parabolas = 0; parabolas < mostParabolas; parabolas++) {
    const slope = lowest(left, middle, right);
    if (!(slope > left.slope && slope < right.slope) || slope === middle.slope) break;
    const next = at(slope);
    const gained = middle.cost - next.cost;
    if (gained <= 0) {
      if (slope < middle.slope) left = next;
      else right = next;
    } else {
      [left, middle, right] = slope < middle.slope ? [left, next, middle] : [middle, next, right];
    }
    if (Math.abs(gained) < enough) break;
  }
  return { ...middle.found, probes };
}

/** A line that was tried. */
interface Tried {
  /** Its slope, as a logarithm. */
  readonly slope: number;
  /** Lower for a less private value. */
  readonly cost: number;
  readonly found: DetectionCalibration;
}

/** Logarithm of the slope of the best attack on Gaussian noise, where it goes through the target. */
const gaussianSlope = (detection: number, falseAlarms: number): number =>
  (normalQuantileBounds(falseAlarms).upper ** 2 - normalQuantileBounds(detection).upper ** 2) / 2;

/** Three slopes between the ends, of which the middle one costs least. */
function around(
  at: (slope: number) => Tried,
  first: number,
  [low, high]: readonly [number, number],
): [left: Tried, middle: Tried, right: Tried] {
  let step = firstStep * (high - low);
  /** A step from `slope`, or half of the way to an end that is nearer. */
  const next = (slope: number, side: number): Tried =>
    at(side < 0 ? Math.max(slope - step, (slope + low) / 2) : Math.min(slope + step, (slope + high) / 2));
  const middle = at(first);
  const below = next(first, -1);
  const above = below.cost < middle.cost ? undefined : next(first, 1);
  if (above !== undefined && above.cost >= middle.cost) return [below, middle, above];
  const side = above === undefined ? -1 : 1;
  let [behind, best] = [middle, above ?? below];
  for (;;) {
    step *= 2;
    const ahead = next(best.slope, side);
    if (ahead.cost >= best.cost || Math.abs(ahead.slope - best.slope) < enough)
      return side < 0 ? [ahead, best, behind] : [behind, best, ahead];
    [behind, best] = [best, ahead];
  }
}

/** The slope at which a parabola through three is lowest; NaN where they are on a line. */
function lowest(left: Tried, middle: Tried, right: Tried): number {
  const [before, after] = [middle.slope - left.slope, right.slope - middle.slope];
  const [fall, rise] = [(middle.cost - left.cost) / before, (right.cost - middle.cost) / after];
  return middle.slope - (fall * after + rise * before) / (2 * (rise - fall));
}
