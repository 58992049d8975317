import type { CoreEvent, PrivacyEvent } from '@lethe/core';
import { eventsWithin } from './events-within.js';

/**
 * The Rényi orders at which `event` or a nested event states a divergence. The curve may jump upwards there,
 * so a search over orders tries them first.
 */
export function statedOrders(event: PrivacyEvent): readonly number[] {
  const orders = new Set<number>();
  for (const inner of eventsWithin(event)) {
    const core = inner as CoreEvent;
    if (core.kind === 'core/renyi') for (const { order } of core.orders) orders.add(order);
  }
  return [...orders];
}
