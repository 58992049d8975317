import {
  type Calibrate,
  type Calibrated,
  type EventKind,
  InvalidParameter,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { claimedProfile } from './claimed-profile.js';

/** Largest power of 2 tried in either direction. */
const furthest = 60;

/** One tested value of the free number. */
interface Probe {
  readonly value: number;
  readonly meets: boolean;
  /** `ln(δ/target)`; NaN or infinite if undefined. */
  readonly excess: number;
}

/** Additional fraction of a chord step, so that the farther end moves too. */
const overshoot = 0.05;

/**
 * The next value between one that meets the target and one that does not: slightly beyond the zero of the
 * chord, in logarithms. Every third time, and without a chord, their geometric mean.
 */
function between(met: Probe, unmet: Probe, tolerance: number, probes: number): number {
  const mean = Math.sqrt(met.value * unmet.value);
  const part = met.excess / (met.excess - unmet.excess);
  if (probes % 3 === 2 || !(part > 0 && part < 1)) return mean;
  const width = Math.log(unmet.value / met.value);
  const margin = tolerance / (2 * Math.abs(width));
  const beyond = (length: number): number => Math.min(0.5, length * (1 + overshoot) + margin);
  return met.value * Math.exp(width * (part < 0.5 ? beyond(part) : 1 - beyond(1 - part)));
}

/**
 * A calibration by {@link claimedProfile}, so that laws can plan optimizers without an accountant: doubling,
 * then chords and bisection within a bounded number of probes. The result is checked to meet the target. It
 * throws `Unsupported` if no value meets the target, and rethrows errors of `make` other than
 * `InvalidParameter`.
 */
export function calibrateByProfile(kinds: readonly EventKind[] = []): Calibrate {
  return ({ make, target, adjacency, direction, integer = false, tolerance = 1e-9 }) => {
    if (!(target.epsilon >= 0) || !(target.delta >= 0 && target.delta <= 1)) {
      throw new InvalidParameter(
        `the target is ε = ${target.epsilon}, δ = ${target.delta}; ` +
          'ε must be at least 0 and δ between 0 and 1',
        { target },
      );
    }
    /** Logarithm of δ over its target, and whether the target is met; NaN if there is no such event. */
    const probe = (value: number): Probe => {
      let event: PrivacyEvent;
      try {
        event = make(value);
      } catch (error) {
        if (error instanceof InvalidParameter) return { value, meets: false, excess: NaN };
        throw error;
      }
      const delta = claimedProfile(event, adjacency, kinds).delta(target.epsilon);
      return { value, meets: delta <= target.delta, excess: Math.log(delta) - Math.log(target.delta) };
    };
    /** Powers of two from 0 towards more privacy: `at(k)` is more private for larger k. */
    const at = (k: number): number => (direction === 'larger-is-private' ? 2 ** k : 2 ** -k);
    const least = integer && direction === 'larger-is-private' ? 0 : -furthest;
    const most = integer && direction === 'smaller-is-private' ? 0 : furthest;
    let exponent = 0;
    let met = probe(1);
    let unmet = met;
    if (met.meets) {
      for (; exponent > least && unmet.meets; exponent--) {
        met = unmet;
        unmet = probe(at(exponent - 1));
      }
      if (unmet.meets) met = unmet;
    } else {
      while (!met.meets && exponent < most) {
        unmet = met;
        met = probe(at(++exponent));
      }
    }
    if (!met.meets)
      throw new Unsupported(
        `no value of the free number up to ${at(most)} meets ε = ${target.epsilon} at δ = ${target.delta}`,
        { target, direction },
      );
    for (let probes = 0; probes < 60; probes++) {
      const middle = integer
        ? Math.round((met.value + unmet.value) / 2)
        : between(met, unmet, tolerance, probes);
      if (
        middle === met.value ||
        middle === unmet.value ||
        Math.abs(met.value - unmet.value) <= tolerance * Math.min(met.value, unmet.value)
      )
        break;
      const found = probe(middle);
      if (found.meets) met = found;
      else unmet = found;
    }
    return achieved(met.value);

    function achieved(value: number): Calibrated {
      const { assumptions, from } = claimedProfile(make(value), adjacency, kinds);
      return {
        value,
        achieved: {
          lower: 0,
          upper: target.epsilon,
          certificate: 'certified',
          method: `claimed profile (${from.join(', ')})`,
          assumptions,
        },
      };
    }
  };
}
