import type { Interval } from '@lethe/core';

/** A value that was tried. `achieved` is absent where the value was refused. */
export interface Probe { readonly value: number; readonly achieved: Interval | undefined; readonly met: boolean }

/** A value that meets the target and, unless the search ended, one that does not. */
export interface Bracket {
  readonly met: Probe;
  readonly unmet: Probe | undefined;
  /** How many steps in a row have left more than half of the bracket. */
  readonly stall: number;
}

interface Rule { readonly integer: boolean; readonly tolerance: number; readonly target: number }

/** The next value to try, or `undefined` when the bracket is tight. */
export function nextCandidate({ met, unmet, stall }: Bracket, { integer, tolerance, target }: Rule): number | undefined {
  if (unmet === undefined) return undefined;
  const low = Math.min(met.value, unmet.value);
  const high = Math.max(met.value, unmet.value);
  if (integer ? high - low <= 1 : high - low <= tolerance * low) return undefined;
  if (integer) {
    const guess = Math.round(stall < 2 ? secant(met, unmet, target) ?? geometric(low, high) : low + (high - low) / 2);
    return Math.min(high - 1, Math.max(low + 1, guess));
  }
  const guess = stall < 2 ? secant(met, unmet, target) : undefined;
  if (guess === undefined) return geometric(low, high);
  // A guess beside an end is moved off it by less than the tolerance, so that the next step can close the bracket there.
  const least = low * (1 + tolerance * 0.75);
  const most = high / (1 + tolerance * 0.75);
  const candidate = Math.min(most, Math.max(least, guess));
  return candidate > low && candidate < high ? candidate : undefined;
}

/** The bracket after a probe inside it. */
export function narrow(bracket: Bracket, probe: Probe): Bracket {
  const next = probe.met ? { ...bracket, met: probe } : { ...bracket, unmet: probe };
  const width = ({ met, unmet }: Bracket): number => Math.abs(Math.log(met.value / unmet!.value));
  return { ...next, stall: width(next) > width(bracket) / 2 ? bracket.stall + 1 : 0 };
}

const geometric = (low: number, high: number): number => Math.sqrt(low) * Math.sqrt(high);

/** Where the line through both ends, in logarithms, meets the target. */
function secant(met: Probe, unmet: Probe, target: number): number | undefined {
  const a = Math.log(met.achieved!.upper / target);
  const b = Math.log((unmet.achieved?.upper ?? Infinity) / target);
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === b) return undefined;
  const share = a / (a - b);
  return Math.exp(Math.log(met.value) + share * (Math.log(unmet.value) - Math.log(met.value)));
}
