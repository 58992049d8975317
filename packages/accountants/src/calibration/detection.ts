import { InvalidParameter } from '@lethe/core';
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

/** Share of a golden-section search that is left after a step. */
const golden = (Math.sqrt(5) - 1) / 2;
/** Width of the last interval of log slopes, relative to the first. */
const enough = 2e-3;

/**
 * The least private value with which no attack detects a record more often than `target.detection` at
 * `target.falseAlarms`.
 *
 * Every (ε, δ) that holds bounds the true positives by a line through `(falseAlarms, detection)`: of slope
 * `e^ε` where `δ = detection − e^ε falseAlarms`, or of slope `e^−ε` where
 * `δ = 1 − falseAlarms − e^ε (1 − detection)`. The values that meet one of these lines are searched for the
 * least private. A set of slopes whose lines lie above a concave curve is an interval, so that the search has
 * one minimum.
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
  let start = options.start;
  const at = (logSlope: number): DetectionCalibration => {
    const epsilon = Math.abs(logSlope);
    const delta =
      logSlope >= 0
        ? detection - Math.exp(epsilon) * falseAlarms
        : 1 - falseAlarms - Math.exp(epsilon) * (1 - detection);
    const found = calibrate({
      tolerance: 1e-6,
      ...options,
      ...(start === undefined ? {} : { start }),
      by: 'delta',
      target: { epsilon, delta },
    });
    probes += found.probes;
    start = found.value;
    return { ...found, epsilon, delta, probes };
  };
  const isBetter = (one: DetectionCalibration, other: DetectionCalibration): boolean =>
    one.direction === 'larger-is-private' ? one.value < other.value : one.value > other.value;
  /** At these ends δ is 0. */
  let low = -Math.log((1 - falseAlarms) / (1 - detection));
  let high = Math.log(detection / falseAlarms);
  const whole = high - low;
  let left = { slope: high - golden * whole, found: at(high - golden * whole) };
  let right = { slope: low + golden * whole, found: at(low + golden * whole) };
  while (high - low > enough * whole) {
    if (isBetter(left.found, right.found)) {
      high = right.slope;
      right = left;
      const slope = high - golden * (high - low);
      left = { slope, found: at(slope) };
    } else {
      low = left.slope;
      left = right;
      const slope = low + golden * (high - low);
      right = { slope, found: at(slope) };
    }
  }
  const best = isBetter(left.found, right.found) ? left.found : right.found;
  return { ...best, probes };
}
