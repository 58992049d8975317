import type { CoreEvent, PrivacyEvent } from '@lethe/core';
import { eventsWithin } from './events-within.js';

/**
 * The Rényi orders at which `event`, or an event inside it, states a divergence: there its curve may jump upwards, so a search
 * over orders looks at them first.
 */
export function statedOrders(event: PrivacyEvent): readonly number[] {
  const orders = new Set<number>();
  for (const inner of eventsWithin(event)) {
    const core = inner as CoreEvent;
    if (core.kind === 'core/renyi') for (const { order } of core.orders) orders.add(order);
  }
  return [...orders];
}
