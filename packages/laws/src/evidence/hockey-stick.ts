import { InvalidParameter } from '@lethe/core';
import { bet, usualCap } from './bet.js';
import type { PairedEProcess } from './e-process.js';
import { fedBy } from './wealth.js';

/** One point of a privacy profile. */
export interface HockeyStickOptions {
  readonly epsilon: number;
  readonly delta: number;
}

/** A bet on one point of a profile. */
export interface HockeyStick extends PairedEProcess {
  /** By how much one pair raises `logE` at most. */
  readonly mostGain: number;
}

/**
 * H0: `P(S) ≤ e^epsilon Q(S) + delta`, fed with the values of a witness `w ∈ [0, 1]` (the indicator of `S`,
 * for example) at a draw of `P` and a draw of `Q`. The witness may change each time, if it depends on earlier
 * draws only.
 *
 * @throws {InvalidParameter} for `epsilon < 0`, `delta`
 * outside [0, 1), or when pushed a value outside [0, 1].
 */
export function hockeyStick({ epsilon, delta }: HockeyStickOptions): HockeyStick {
  const scale = Math.exp(epsilon);
  if (!(epsilon >= 0 && scale < Infinity))
    throw new InvalidParameter(`epsilon is ${epsilon}; give a number from 0 to 709`, { epsilon });
  if (!(delta >= 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; give a number from 0, below 1: at 1 nothing is claimed`, {
      delta,
    });
  const largestLoss = scale + delta;
  const process = fedBy(bet({ largestLoss, largestGain: 1 - delta }), (fromP: number, fromQ: number) => {
    if (!(fromP >= 0 && fromP <= 1 && fromQ >= 0 && fromQ <= 1))
      throw new InvalidParameter(`the witness gave ${fromP} and ${fromQ}; its values lie between 0 and 1`, {
        fromP,
        fromQ,
      });
    return fromP - scale * fromQ - delta;
  });
  return Object.assign(process, { mostGain: Math.log1p((usualCap / largestLoss) * (1 - delta)) });
}
