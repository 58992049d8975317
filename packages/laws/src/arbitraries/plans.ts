import type { PublicPlan } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { eventOf, type EventShape } from './events.js';

/**
 * Plans with events of {@link eventOf}; they shrink to a plan
 * for one gradient, without a bound on its utility.
 */
export function planOf(events: EventShape = {}): Arbitrary<PublicPlan> {
  const utility = fc.option(
    fc.constantFrom(1, 0, 1e-9, 1e9).map((bound) => ({ bound, source: 'a theorem' })),
    { nil: null },
  );
  return fc.record(
    { event: eventOf(events), utility, gradients: fc.constantFrom(1, 0, 2, 1000, 1e12) },
    { noNullPrototype: true },
  );
}
