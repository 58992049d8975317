import { type Calibrate, type Calibrated, type EventKind, InvalidParameter, type PrivacyEvent, Unsupported } from '@lethe/core';
import { claimedProfile } from './claimed-profile.js';

/** Beyond these powers of 2 nothing is tried. */
const furthest = 60;

/**
 * A calibration by {@link claimedProfile}, so that laws can plan optimizers without an accountant: doubling, then bisection
 * within a bounded number of probes. What it returns was checked to meet the target.
 *
 * It throws `Unsupported` when no value meets the target, and what `make` throws other than `InvalidParameter`.
 */
export function calibrateByProfile(kinds: readonly EventKind[] = []): Calibrate {
  return ({ make, target, adjacency, direction, integer = false, tolerance = 1e-9 }) => {
    if (!(target.epsilon >= 0) || !(target.delta >= 0 && target.delta <= 1)) {
      throw new InvalidParameter(`the target is ε = ${target.epsilon}, δ = ${target.delta}; ε must be at least 0 and δ between 0 and 1`, { target });
    }
    const meets = (value: number): boolean => {
      let event: PrivacyEvent;
      try { event = make(value); } catch (error) {
        if (error instanceof InvalidParameter) return false;
        throw error;
      }
      return claimedProfile(event, adjacency, kinds).delta(target.epsilon) <= target.delta;
    };
    /** From 0, the most private towards: `at(k)` grows more private with k. */
    const at = (k: number): number => (direction === 'larger-is-private' ? 2 ** k : 2 ** -k);
    const least = integer && direction === 'larger-is-private' ? 0 : -furthest;
    const most = integer && direction === 'smaller-is-private' ? 0 : furthest;
    let exponent = 0;
    if (meets(1)) while (exponent > least && meets(at(exponent - 1))) exponent--;
    else do { exponent++; } while (exponent <= most && !meets(at(exponent)));
    if (exponent > most) throw new Unsupported(`no value of the free number up to ${at(most)} meets ε = ${target.epsilon} at δ = ${target.delta}`, { target, direction });
    let met = at(exponent);
    let unmet = exponent === least ? met : at(exponent - 1);
    for (let probes = 0; probes < 60; probes++) {
      const middle = integer ? Math.round((met + unmet) / 2) : Math.sqrt(met * unmet);
      if (middle === met || middle === unmet || Math.abs(met - unmet) <= tolerance * Math.min(met, unmet)) break;
      if (meets(middle)) met = middle;
      else unmet = middle;
    }
    return achieved(met);

    function achieved(value: number): Calibrated {
      const { epsilon, assumptions, from } = claimedProfile(make(value), adjacency, kinds);
      const upper = Math.min(target.epsilon, epsilon(target.delta));
      return { value, achieved: { lower: 0, upper, certificate: 'certified', method: `claimed profile (${from.join(', ')})`, assumptions } };
    }
  };
}
