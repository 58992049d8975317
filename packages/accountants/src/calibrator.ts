import { type Accountant, type Calibrate, type Calibrated, type CalibrationRequest, type EventKind, type Interval, InvalidParameter, Unsupported } from '@lethe/core';
import { bestOf } from './best-of.js';
import { narrow, nextCandidate, type Bracket, type Probe } from './bracket.js';

/** Beyond these exponents of 2 nothing is probed. */
const mostExponent = 500;
const mostProbes = 120;

/**
 * Makes the calibration that plans are given: the least private value whose certified upper bound meets the target.
 *
 * What it returns has been checked to meet the target, whether or not the cost really is monotone. A value that `make` or
 * the accountants reject as `InvalidParameter` counts as one that does not meet it, so that rates stay below 1.
 *
 * The calibration throws `InvalidParameter` for a bad request, and `Unsupported` when no value meets the target or when no
 * accountant can account for the events.
 *
 * @param kinds - Event kinds beyond core's.
 */
export function calibrator(accountants: readonly Accountant[], kinds: readonly EventKind[] = []): Calibrate {
  const best = bestOf(accountants, kinds);
  return (request) => {
    const { make, target: { epsilon, delta }, adjacency, direction } = request;
    requireRequest(request);
    const failures: InvalidParameter[] = [];
    let accepted = 0;
    const probe = (value: number): Probe => {
      let achieved: Interval | undefined;
      try {
        achieved = best.epsilon(make(value), { adjacency, delta });
        accepted++;
      } catch (error) {
        if (!(error instanceof InvalidParameter)) throw error;
        failures.push(error);
      }
      return { value, achieved, met: achieved !== undefined && achieved.upper <= epsilon };
    };
    const found = search(probe, request);
    if (found !== undefined) return found;
    if (accepted === 0 && failures.length > 0) throw failures[0]!;
    throw new Unsupported(`no value of the free number meets ε = ${epsilon} at δ = ${delta}, although the search went to its ends; raise ε or δ, or change what is fixed`, { epsilon, delta, adjacency, direction });
  };
}

function requireRequest({ target: { epsilon, delta }, tolerance = 1e-9, direction }: CalibrationRequest): void {
  if (typeof epsilon !== 'number' || !(epsilon >= 0)) throw new InvalidParameter(`the target ε is ${String(epsilon)}; it must be a number from 0`, { epsilon });
  if (typeof delta !== 'number' || !(delta >= 0 && delta <= 1)) throw new InvalidParameter(`the target δ is ${String(delta)}; it must be a number from 0 to 1`, { delta });
  if (!(tolerance > 0 && tolerance < 1)) throw new InvalidParameter(`the tolerance is ${String(tolerance)}; it must lie between 0 and 1`, { tolerance });
  if (direction !== 'larger-is-private' && direction !== 'smaller-is-private') {
    throw new InvalidParameter(`the direction is '${String(direction)}'; it must be 'larger-is-private' or 'smaller-is-private'`, { direction });
  }
}

function search(probe: (value: number) => Probe, request: CalibrationRequest): Calibrated | undefined {
  const { integer = false, tolerance = 1e-9, direction, target } = request;
  const outwards = enclose(probe, direction === 'larger-is-private', integer);
  if (outwards === undefined) return undefined;
  let bracket: Bracket = outwards;
  for (let probes = 0; probes < mostProbes; probes++) {
    const candidate = nextCandidate(bracket, { integer, tolerance, target: target.epsilon });
    if (candidate === undefined) break;
    bracket = narrow(bracket, probe(candidate));
  }
  return { value: bracket.met.value, achieved: bracket.met.achieved! };
}

/** Walks from 1 by growing powers of 2 until the target changes from unmet to met. `unmet` is absent where the search ended. */
function enclose(probe: (value: number) => Probe, larger: boolean, integer: boolean): Bracket | undefined {
  const start = probe(1);
  // Met: look for less private values; unmet: for more private ones.
  const up = larger !== start.met;
  let last = start;
  for (let exponent = 1; ; exponent *= 2) {
    const clamped = Math.min(exponent, integer ? 52 : mostExponent);
    if (integer && !up) return start.met ? { met: start, unmet: undefined, stall: 0 } : undefined;
    const next = probe(up ? 2 ** clamped : 2 ** -clamped);
    if (next.met !== start.met) return start.met ? { met: last, unmet: next, stall: 0 } : { met: next, unmet: last, stall: 0 };
    last = next;
    if (clamped < exponent || clamped === mostExponent) return start.met ? { met: last, unmet: undefined, stall: 0 } : undefined;
  }
}
