import {
  type Accountant,
  type AccountingContext,
  assertOptions,
  type Interval,
  InvalidParameter,
  type PrivacyEvent,
} from '@lethe/core';
import { addUp, bisectUp, divideUp, expm1Down, expm1Up, multiplyUp } from '@lethe/numerics';

/** Group size, δ and adjacency. */
export type GroupQuery = AccountingContext & { readonly size: number; readonly delta: number };

/** The search stops at this ε and returns Infinity. */
const mostEpsilon = 1e6;

/**
 * ε for a group of `size` records: `size · ε` for the smallest ε at which `(e^{size·ε} − 1)/(e^ε − 1)` times
 * the event's δ(ε) is at most `delta`. It uses only the event's privacy curve, so it holds for every event
 * and for any two data sets that are `size` neighbouring steps apart. The event `core/group` costs less if
 * more is known.
 *
 * @throws {InvalidParameter} when `size` is not a positive whole number or `delta` is outside [0, 1].
 * @throws {Unsupported} as the accountant does.
 * @see Vadhan 2017, Lemma 2.2.
 */
export function groupEpsilon(
  accountant: Pick<Accountant, 'delta' | 'epsilon'>,
  event: PrivacyEvent,
  query: GroupQuery,
): Interval {
  assertOptions(query, 'groupEpsilon');
  const { size, delta, ...context } = query;
  if (!Number.isSafeInteger(size) || size < 1)
    throw new InvalidParameter(`the size of a group is ${String(size)}; it must be a positive whole number`, {
      size,
    });
  const alone = accountant.epsilon(event, { ...context, delta });
  if (size === 1 || delta === 1 || alone.upper === 0) return alone;
  const excess = (epsilon: number): number => {
    const whole = expm1Up(multiplyUp(size, epsilon));
    const own = accountant.delta(event, { ...context, epsilon }).upper;
    let steps: number;
    if (epsilon === 0) steps = size;
    else if (whole === Infinity) steps = Infinity;
    else steps = divideUp(whole, expm1Down(epsilon));
    return own === 0
      ? -1
      : addUp(steps === Infinity ? 1 : Math.min(1, multiplyUp(own, steps)), -delta) || -Number.MIN_VALUE;
  };
  let low = 0;
  let high = Math.max(alone.upper, 1e-3);
  while (high <= mostEpsilon && excess(high) > 0) {
    low = high;
    high *= 1.5;
  }
  let found: number;
  if (high > mostEpsilon) found = Infinity;
  else if (excess(low) > 0)
    found = bisectUp(excess, low, high, { tolerance: 1e-9 * high, maximumProbes: 60 });
  else found = low;
  return {
    lower: alone.lower,
    upper: multiplyUp(size, found),
    certificate: alone.certificate === 'estimate' ? 'estimate' : 'certified',
    method: `group of ${size}: ${alone.method}`,
    assumptions: alone.assumptions,
  };
}
