import {
  type Calibrate,
  type Calibrated,
  type EventKind,
  InvalidParameter,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { findRoot } from '@lethe/numerics';
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

const mostProbes = 60;

/** The value of a search by sign: positive where the target is missed. */
const signed = ({ meets, excess }: Probe): number => {
  const size = Number.isNaN(excess) ? 1 : Math.min(1000, Math.max(2 ** -60, Math.abs(excess)));
  return meets ? -size : size;
};

/** The least private value found that meets the target, between one that does and one that does not. */
function betweenReals(met: Probe, unmet: Probe, probe: (value: number) => Probe, tolerance: number): number {
  let best = met;
  const known = new Map([met, unmet].map((end) => [Math.log(end.value), end]));
  const [lower, upper] = [...known.keys()].toSorted((a, b) => a - b);
  findRoot(
    (logarithm) => {
      const found = known.get(logarithm) ?? probe(Math.exp(logarithm));
      if (found.meets && Math.abs(found.value - unmet.value) < Math.abs(best.value - unmet.value))
        best = found;
      return signed(found);
    },
    lower,
    upper,
    { tolerance, maximumProbes: mostProbes },
  );
  return best.value;
}

/** The same among whole numbers. */
function betweenWholes(met: Probe, unmet: Probe, probe: (value: number) => Probe): number {
  let [best, worst] = [met.value, unmet.value];
  for (let probes = 0; probes < mostProbes; probes++) {
    const middle = Math.round((best + worst) / 2);
    if (middle === best || middle === worst) break;
    if (probe(middle).meets) best = middle;
    else worst = middle;
  }
  return best;
}

/**
 * A calibration by {@link claimedProfile}, so that laws can plan optimizers without an accountant: doubling,
 * then inverse quadratic interpolation and bisection within a bounded number of probes. The result is checked
 * to meet the target. It throws `Unsupported` if no value meets the target, and rethrows errors of `make`
 * other than `InvalidParameter`.
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
    // Where every value tried meets the target, there is nothing to search between.
    if (unmet.meets) return achieved(met.value);
    return achieved(integer ? betweenWholes(met, unmet, probe) : betweenReals(met, unmet, probe, tolerance));

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
