import { definedSensitivity, type Sensitivity } from '../adjacency.js';
import type { CoreEvent, PrivacyEvent, SamplerSpec } from './schema.js';

/** The empty release: it costs nothing and is the neutral element of composition. */
export const freeEvent: CoreEvent<'core/free'> = Object.freeze({ kind: 'core/free', v: 1 });
/** A release without noise: no privacy (ε = ∞). */
export const unprotectedEvent: CoreEvent<'core/unprotected'> = Object.freeze({
  kind: 'core/unprotected',
  v: 1,
});

/** Gaussian noise of standard deviation `sigma` on a value of the given ℓ2 sensitivity. */
export const gaussianEvent = (sigma: number, sensitivity: Sensitivity): CoreEvent<'core/gaussian'> => ({
  kind: 'core/gaussian',
  v: 1,
  sigma,
  sensitivity: definedSensitivity(sensitivity),
});

/** The exponential mechanism at `epsilon`, for a score divided by its sensitivity. */
export const exponentialEvent = (
  epsilon: number,
  sensitivity: Sensitivity,
): CoreEvent<'core/exponential'> => ({
  kind: 'core/exponential',
  v: 1,
  epsilon,
  sensitivity: definedSensitivity(sensitivity),
});

/** Adaptive composition of `count` runs of `event`. */
export const repeatedEvent = (event: PrivacyEvent, count: number): CoreEvent<'core/compose'> => ({
  kind: 'core/compose',
  v: 1,
  parts: [{ event, count }],
});

/** Adaptive composition of `events`. */
export const composedEvent = (events: readonly PrivacyEvent[]): CoreEvent<'core/compose'> => ({
  kind: 'core/compose',
  v: 1,
  parts: events.map((event) => ({ event, count: 1 })),
});

/** Adaptive composition of events, each with its count. */
export const countedEvent = (
  parts: readonly { readonly event: PrivacyEvent; readonly count: number }[],
): CoreEvent<'core/compose'> => ({
  kind: 'core/compose',
  v: 1,
  parts: parts.map(({ event, count }) => ({ event, count })),
});

/** Events on disjoint sets of slots: the pointwise maximum of their profiles. */
export const parallelEvent = (parts: readonly PrivacyEvent[]): CoreEvent<'core/parallel'> => ({
  kind: 'core/parallel',
  v: 1,
  parts: [...parts],
});

/**
 * Bounds on the Rényi divergence: at most `divergence` at each `order`. This function sorts the orders.
 *
 * The bounds hold for the run's adjacency, as for every event without a sensitivity.
 *
 * @param mu - A bound that holds as well: the event is μ-GDP.
 */
export const renyiEvent = (
  orders: readonly { readonly order: number; readonly divergence: number }[],
  mu?: number,
): CoreEvent<'core/renyi'> => ({
  kind: 'core/renyi',
  v: 1,
  ...(mu === undefined ? {} : { mu }),
  orders: orders
    .map(({ order, divergence }) => ({ order, divergence }))
    .toSorted((a, b) => a.order - b.order),
});

/**
 * An adaptive interaction that costs at most `limit`, for all that is known: under a privacy filter with that
 * limit, or by a proof. No lower end follows.
 */
export const filteredEvent = (limit: PrivacyEvent): CoreEvent<'core/filtered'> => ({
  kind: 'core/filtered',
  v: 1,
  limit,
});

/**
 * `event`, except that with probability at most `delta`, for all data, the release may reveal every record.
 */
export const failingEvent = (delta: number, event: PrivacyEvent): CoreEvent<'core/failing'> => ({
  kind: 'core/failing',
  v: 1,
  delta,
  event,
});

/**
 * The best of a random number of runs of `base`, which includes the score: it ends after each run with
 * `stopProbability`, and after `cap` runs.
 */
export const selectionEvent = (
  base: PrivacyEvent,
  { stopProbability, cap }: { readonly stopProbability: number; readonly cap: number },
): CoreEvent<'core/selection'> => ({ kind: 'core/selection', v: 1, base, stopProbability, cap });

/**
 * The best of K runs of `base`, which includes the score, where `P(K = k)` is proportional to
 * `C(k + η − 1, k)(1 − γ)^k` from `k = 1` on, with η the `shape` and γ the `stopProbability`. Shape 1 is
 * geometric, shape 0 logarithmic.
 */
export const negativeBinomialSelectionEvent = (
  base: PrivacyEvent,
  { shape, stopProbability }: { readonly shape: number; readonly stopProbability: number },
): CoreEvent<'core/negative-binomial-selection'> => ({
  kind: 'core/negative-binomial-selection',
  v: 1,
  base,
  shape,
  stopProbability,
});

/**
 * The best of K runs of `base`, which includes the score, where K is a Poisson variable of this `mean`, drawn
 * again when it is 0.
 */
export const poissonSelectionEvent = (
  base: PrivacyEvent,
  { mean }: { readonly mean: number },
): CoreEvent<'core/poisson-selection'> => ({ kind: 'core/poisson-selection', v: 1, base, mean });

/** `event` computed from one secret batch drawn by `sampler`. */
export const sampledEvent = (sampler: SamplerSpec, event: PrivacyEvent): CoreEvent<'core/sampled'> => ({
  kind: 'core/sampled',
  v: 1,
  sampler,
  event,
});

/** Cost of `event` for a group of `size` records that differ together. */
export const groupEvent = (size: number, event: PrivacyEvent): CoreEvent<'core/group'> => ({
  kind: 'core/group',
  v: 1,
  size,
  event,
});
