import { InvalidParameter } from '@lethe/core';
import type { EProcess } from './e-process.js';
import { requirePositive } from './require.js';
import { wealth } from './wealth.js';

/** The maximum loss of a bet, and its aggressiveness. */
export interface BetOptions {
  /** The maximum loss of one payoff: `Z ≥ −largestLoss`. Positive. */
  readonly largestLoss: number;
  /** Maximum fraction of the wealth at risk at a time, in (0, 1). @defaultValue 0.9 */
  readonly cap?: number;
  /** A payoff as large as may be hoped for, which tells `reach`. @defaultValue `largestLoss` */
  readonly largestGain?: number;
}

/** The default of {@link BetOptions.cap}. */
export const usualCap = 0.9;

/**
 * Bets against H0: `E[Z | past] ≤ 0`, for payoffs `Z ≥ −largestLoss`, fed one by one.
 * Wealth is multiplied by `1 + λZ`, with `λ` the mean of past payoffs over their second moment, both shrunk:
 * about `gap²/(2·variance)` nats per payoff, for any gap.
 *
 * @see Waudby-Smith & Ramdas, Estimating means of bounded random
 * variables by betting (arXiv:2010.09686), section on aGRAPA.
 * `reach` is that of payoffs which are all `largestGain`.
 *
 * @throws {InvalidParameter} for a payoff that is not finite or below `−largestLoss`.
 */
export function bet({ largestLoss, cap = usualCap, largestGain = largestLoss }: BetOptions): EProcess {
  requirePositive('largestLoss', largestLoss);
  if (!(cap > 0 && cap < 1))
    throw new InvalidParameter(`cap is ${cap}; give a share above 0 and below 1`, { cap });
  const prior = (largestLoss * largestLoss) / 4;
  const boldest = cap / largestLoss;
  let sum = 0;
  let squares = prior;
  return wealth((payoff: number) => {
    if (!(payoff >= -largestLoss && payoff < Infinity)) {
      throw new InvalidParameter(`the payoff is ${payoff}; it must be finite and at least −${largestLoss}`, {
        payoff,
        largestLoss,
      });
    }
    const wanted = sum / squares;
    const share = wanted > 0 ? Math.min(wanted, boldest) : 0;
    sum += payoff;
    squares += payoff * payoff;
    return Math.log1p(share * payoff);
  }, reach);

  /** Wealth of bets that all win the largest gain. */
  function reach(samples: number): number {
    let total = 0;
    for (let k = 0; k < samples; k++) {
      const share = Math.min((k * largestGain) / (prior + k * largestGain * largestGain), boldest);
      if (k > 0 && share === boldest) return total + (samples - k) * Math.log1p(boldest * largestGain);
      total += Math.log1p(share * largestGain);
    }
    return total;
  }
}
