import { type Sensitivity, definedSensitivity } from '../adjacency.js';
import type { CoreEvent, PrivacyEvent, SamplerSpec } from './schema.js';

/** Nothing was released: the unit of composition. */
export const freeEvent: CoreEvent<'core/free'> = Object.freeze({ kind: 'core/free', v: 1 });
/** Released without noise: no privacy at all (ε = ∞). */
export const unprotectedEvent: CoreEvent<'core/unprotected'> = Object.freeze({ kind: 'core/unprotected', v: 1 });

/** Gaussian noise of standard deviation `sigma` on a value of the given ℓ2 sensitivity. */
export const gaussianEvent = (sigma: number, sensitivity: Sensitivity): CoreEvent<'core/gaussian'> =>
  ({ kind: 'core/gaussian', v: 1, sigma, sensitivity: definedSensitivity(sensitivity) });

/** The exponential mechanism at `epsilon`, for a score whose sensitivity was used as scale. */
export const exponentialEvent = (epsilon: number, sensitivity: Sensitivity): CoreEvent<'core/exponential'> =>
  ({ kind: 'core/exponential', v: 1, epsilon, sensitivity: definedSensitivity(sensitivity) });

/** `count` runs of `event`, adaptively composed. */
export const repeatedEvent = (event: PrivacyEvent, count: number): CoreEvent<'core/compose'> => ({ kind: 'core/compose', v: 1, parts: [{ event, count }] });

/** All of `events`, adaptively composed. */
export const composedEvent = (events: readonly PrivacyEvent[]): CoreEvent<'core/compose'> =>
  ({ kind: 'core/compose', v: 1, parts: events.map((event) => ({ event, count: 1 })) });

/** Events with their counts, adaptively composed. */
export const countedEvent = (parts: readonly { readonly event: PrivacyEvent; readonly count: number }[]): CoreEvent<'core/compose'> =>
  ({ kind: 'core/compose', v: 1, parts: parts.map(({ event, count }) => ({ event, count })) });

/** Events on disjoint sets of slots: the pointwise maximum of their profiles. */
export const parallelEvent = (parts: readonly PrivacyEvent[]): CoreEvent<'core/parallel'> => ({ kind: 'core/parallel', v: 1, parts: [...parts] });

/**
 * Rényi divergence of order `order` at most `divergence`, at each order given; sorted here.
 *
 * Stated for the run's adjacency, like every cost without a sensitivity.
 */
export const renyiEvent = (orders: readonly { readonly order: number; readonly divergence: number }[]): CoreEvent<'core/renyi'> =>
  ({ kind: 'core/renyi', v: 1, orders: orders.map(({ order, divergence }) => ({ order, divergence })).toSorted((a, b) => a.order - b.order) });

/** What was spent adaptively under a filter that keeps `limit`. */
export const filteredEvent = (limit: PrivacyEvent): CoreEvent<'core/filtered'> => ({ kind: 'core/filtered', v: 1, limit });

/** `event`, but with probability at most `delta`, whatever the data, everything is shown. */
export const failingEvent = (delta: number, event: PrivacyEvent): CoreEvent<'core/failing'> => ({ kind: 'core/failing', v: 1, delta, event });

/** Everything in `event` computed from one secret batch drawn by `sampler`. */
export const sampledEvent = (sampler: SamplerSpec, event: PrivacyEvent): CoreEvent<'core/sampled'> => ({ kind: 'core/sampled', v: 1, sampler, event });

/** What `event` costs a group of `size` records that differ all at once. */
export const groupEvent = (size: number, event: PrivacyEvent): CoreEvent<'core/group'> => ({ kind: 'core/group', v: 1, size, event });
