import { IncompatiblePlugins } from '@lethe/core';
import type { Bounds } from '@lethe/numerics';

/** Rounding may put a lower bound above an upper one by this share of it, and by this much of an ε. */
const rounding = { share: 1e-6, epsilon: 1e-9 };

/**
 * Certified bounds on one number that were found apart. A lower bound that rounding put above the upper one
 * is lowered to it.
 *
 * @param of - What the number is.
 * @param sources - Where the bounds come from, for the message.
 * @throws {IncompatiblePlugins} where the lower bound is farther above: then one of the two is wrong, and no
 * number is safe.
 */
export function consistent(
  { lower, upper }: Bounds,
  of: 'epsilon' | 'delta',
  sources: { readonly lower: string; readonly upper: string },
): Bounds {
  const most = upper * (1 + rounding.share) + (of === 'epsilon' ? rounding.epsilon : 0);
  if (lower > most)
    throw new IncompatiblePlugins(
      `${sources.lower} shows ${of} ≥ ${lower}, but ${sources.upper} certifies ${of} ≤ ${upper}: one of ` +
        'them is wrong; run the laws of the plugins that are not Lethe’s',
      { lower, upper, sources },
    );
  return { lower: Math.min(lower, upper), upper };
}
