import {
  composedEvent,
  gaussianEvent,
  parallelEvent,
  renyiEvent,
  repeatedEvent,
  sampledEvent,
  type Adjacency,
  type PrivacyEvent,
  type Sensitivity,
} from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';

/** Sensitivity of a sum of records with norm at most 1: 1 to presence, 2 to replacement. */
const sumSensitivity: Sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
/** Sensitivity 1 under every adjacency. */
const unitSensitivity: Sensitivity = { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 };

/** An event given as JSON. */
export const json = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;

export const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, sumSensitivity);
export const laplace = (scale: number): PrivacyEvent =>
  json({ kind: 'core/laplace', v: 1, scale, sensitivity: sumSensitivity });
export const pure = (epsilon: number): PrivacyEvent => json({ kind: 'core/pure', v: 1, epsilon });
export const concentrated = (rho: number): PrivacyEvent => json({ kind: 'core/zcdp', v: 1, rho });
const renyi = (orders: readonly (readonly [order: number, divergence: number])[]): PrivacyEvent =>
  renyiEvent(orders.map(([order, divergence]) => ({ order, divergence })));
export const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  json({ kind: 'core/approximate', v: 1, epsilon, delta });
const exponential = (epsilon: number): PrivacyEvent =>
  json({ kind: 'core/exponential', v: 1, epsilon, sensitivity: unitSensitivity });
export const response = (p: number, categories: number): PrivacyEvent =>
  json({ kind: 'core/randomized-response', v: 1, p, categories });
export const discreteGaussian = (sigma: number): PrivacyEvent =>
  json({ kind: 'core/discrete-gaussian', v: 1, sigma, sensitivity: sumSensitivity });
const discreteLaplace = (scale: number): PrivacyEvent =>
  json({ kind: 'core/discrete-laplace', v: 1, scale, sensitivity: sumSensitivity });
export const failing = (delta: number, event: PrivacyEvent): PrivacyEvent =>
  json({ kind: 'core/failing', v: 1, delta, event });
export const filtered = (limit: PrivacyEvent): PrivacyEvent => json({ kind: 'core/filtered', v: 1, limit });
export const selection = (base: PrivacyEvent, stopProbability: number, cap: number): PrivacyEvent =>
  json({ kind: 'core/selection', v: 1, base, stopProbability, cap });
export const negativeBinomial = (base: PrivacyEvent, shape: number, stopProbability: number): PrivacyEvent =>
  json({ kind: 'core/negative-binomial-selection', v: 1, base, shape, stopProbability });
export const poissonRuns = (base: PrivacyEvent, mean: number): PrivacyEvent =>
  json({ kind: 'core/poisson-selection', v: 1, base, mean });
export const fixedSize = (n: number, size: number, replacement: boolean, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event);
export const allocation = (steps: number, event: PrivacyEvent, times = 1): PrivacyEvent =>
  sampledEvent({ kind: 'core/random-allocation', steps, ...(times > 1 && { times }) }, event);
export const truncated = (n: number, rate: number, most: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/truncated-poisson', n, rate, most }, event);
export const group = (size: number, event: PrivacyEvent): PrivacyEvent =>
  json({ kind: 'core/group', v: 1, size, event });
export const mixture = (
  sigma: number,
  shifts: readonly number[],
  probabilities: readonly number[],
): PrivacyEvent => json({ kind: 'core/gaussian-mixture', v: 1, sigma, shifts, probabilities });
interface Mixture {
  readonly means: readonly number[];
  readonly probabilities: readonly number[];
}
export const mixturePairOf = (sigma: number, first: Mixture, second: Mixture): PrivacyEvent =>
  json({ kind: 'core/gaussian-mixture-pair', v: 1, sigma, first, second });
export const shuffledLocal = (epsilon: number, users: number): PrivacyEvent =>
  json({ kind: 'core/shuffled-local', v: 1, epsilon, users });
export const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);

/** Powers of ten on a grid; fast-check shrinks towards 1. */
export const tenTo = (low: number, high: number): Arbitrary<number> =>
  fc
    .integer({ min: Math.round(low * 20), max: Math.round(high * 20) })
    .map((k) => Number((10 ** (k / 20)).toPrecision(4)));
export const deltas = tenTo(-12, -1);
export const epsilons = tenTo(-2, 1.3);
export const rates = fc.constantFrom(0.5, 0.9, 0.2, 0.1, 0.01, 0.001);

/** A family of events with one parameter, the direction in which its cost changes, and values to test. */
export interface Family {
  readonly name: string;
  readonly make: (number: number) => PrivacyEvent;
  readonly numbers: Arbitrary<number>;
  readonly cost: 'falls' | 'grows';
}

/** Families of single releases. */
export const families: readonly Family[] = [
  { name: 'gaussian', make: gaussian, numbers: tenTo(-0.5, 1.5), cost: 'falls' },
  { name: 'laplace', make: laplace, numbers: tenTo(-0.5, 1), cost: 'falls' },
  { name: 'pure', make: pure, numbers: tenTo(-2, 0.5), cost: 'grows' },
  { name: 'zcdp', make: concentrated, numbers: tenTo(-3, 0.3), cost: 'grows' },
  { name: 'exponential', make: exponential, numbers: tenTo(-1.5, 0.5), cost: 'grows' },
  {
    name: 'randomized-response',
    make: (x) => response(Math.min(1, 0.1 * x), 3),
    numbers: tenTo(-0.3, 0.8),
    cost: 'falls',
  },
  { name: 'discrete-gaussian', make: discreteGaussian, numbers: tenTo(-0.3, 1.5), cost: 'falls' },
  { name: 'discrete-laplace', make: discreteLaplace, numbers: tenTo(-0.3, 1), cost: 'falls' },
  {
    name: 'sampled gaussian',
    make: (sigma) => poisson(0.1, gaussian(sigma)),
    numbers: tenTo(-0.3, 1),
    cost: 'falls',
  },
  {
    name: 'sampled laplace',
    make: (scale) => poisson(0.2, laplace(scale)),
    numbers: tenTo(-0.3, 1),
    cost: 'falls',
  },
];

/** A single release. */
export const leaves: Arbitrary<PrivacyEvent> = fc.oneof(
  ...families.map(({ make, numbers }) => numbers.map(make)),
);

/** Releases with amplification, groups or selection; an accountant may refuse them. */
export const amplified: readonly { readonly name: string; readonly events: Arbitrary<PrivacyEvent> }[] =
  (() => {
    const sigma = tenTo(-0.6, 0.6);
    const noise = fc.tuple(fc.constantFrom(gaussian, laplace), sigma).map(([make, scale]) => make(scale));
    const n = fc.constantFrom(10, 2, 5, 100, 1000);
    return [
      {
        name: 'a draw without replacement',
        events: fc
          .tuple(n, fc.constantFrom(0.5, 0.1, 0.9, 0.01), noise)
          .map(([slots, part, event]) =>
            fixedSize(slots, Math.max(1, Math.min(slots - 1, Math.round(slots * part))), false, event),
          ),
      },
      {
        name: 'a draw with replacement',
        events: fc
          .tuple(n, fc.constantFrom(1, 2, 5, 12), noise)
          .map(([slots, size, event]) => fixedSize(slots, size, true, event)),
      },
      {
        name: 'one of several batches',
        events: fc
          .tuple(fc.constantFrom(2, 3, 4), sigma)
          .map(([steps, scale]) => allocation(steps, gaussian(scale))),
      },
      {
        name: 'several of some batches',
        events: fc
          .tuple(fc.constantFrom([3, 2], [4, 2], [4, 3]), sigma)
          .map(([[steps, times], scale]) => allocation(steps, gaussian(scale), times)),
      },
      {
        name: 'a truncated Poisson sample',
        events: fc
          .tuple(
            fc.constantFrom(10, 2, 20),
            fc.constantFrom(0.1, 0.5, 0.9),
            fc.constantFrom(1, 2, 5, 20),
            sigma,
          )
          .map(([slots, rate, most, scale]) => truncated(slots, rate, most, gaussian(scale))),
      },
      {
        name: 'a group',
        events: fc
          .tuple(
            fc.constantFrom(2, 3, 10),
            fc.oneof(
              noise,
              tenTo(-2, 0).map(pure),
              fc.tuple(tenTo(-1, 0.3), tenTo(-6, -2)).map(([epsilon, delta]) => approximate(epsilon, delta)),
              fc
                .tuple(fc.constantFrom(0.1, 0.5), sigma)
                .map(([rate, scale]) => poisson(rate, gaussian(scale))),
            ),
          )
          .map(([size, event]) => group(size, event)),
      },
      {
        name: 'a mixture',
        events: fc
          .tuple(sigma, fc.constantFrom([0.5, 0.5], [0.9, 0.1], [0.2, 0.8]))
          .map(([scale, [p, q]]) => mixture(scale, [0, 1, 2], [p, q / 2, q / 2])),
      },
      {
        name: 'two mixtures',
        events: fc
          .tuple(sigma, fc.constantFrom([0.5, 0.5], [0.9, 0.1], [0.2, 0.8]), fc.constantFrom(0, 0.5))
          .map(([scale, [p, q], apart]) =>
            mixturePairOf(
              scale,
              { means: [apart, 1, 2], probabilities: [p, q / 2, q / 2] },
              { means: [0, -1], probabilities: [q, p] },
            ),
          ),
      },
      {
        name: 'a selection',
        events: fc
          .tuple(
            fc.oneof(
              tenTo(-2, 0.3).map(pure),
              tenTo(-0.3, 1).map(gaussian),
              fc.constantFrom(1e-3, 0.1).map((delta) => approximate(0, delta)),
            ),
            fc.constantFrom(0.1, 0.01, 0.5),
            fc.constantFrom(10_000, 100, 3),
            fc.constantFrom('capped', 'negative-binomial', 'poisson'),
            fc.constantFrom(1, 0, -0.5, 3),
          )
          .map(([base, stop, cap, law, shape]) => {
            if (law === 'capped') return selection(base, stop, cap);
            return law === 'poisson' ? poissonRuns(base, 1 / stop) : negativeBinomial(base, shape, stop);
          }),
      },
      {
        name: 'shuffled messages',
        events: fc
          .tuple(tenTo(-1, 0.6), fc.constantFrom(10, 2, 3, 40))
          .map(([epsilon, users]) => shuffledLocal(epsilon, users)),
      },
    ];
  })();

/** Releases, composed, in parallel, repeated. */
export const events: Arbitrary<PrivacyEvent> = fc.oneof(
  leaves,
  fc.tuple(leaves, fc.integer({ min: 1, max: 200 })).map(([event, count]) => repeatedEvent(event, count)),
  fc.array(leaves, { minLength: 1, maxLength: 3 }).map(composedEvent),
  fc.array(leaves, { minLength: 1, maxLength: 3 }).map(parallelEvent),
);

/** One event of each kind that an accountant may support. */
export const samples: readonly PrivacyEvent[] = [
  gaussian(2),
  laplace(2),
  pure(0.5),
  concentrated(0.1),
  exponential(0.5),
  response(0.5, 3),
  discreteGaussian(2),
  discreteLaplace(2),
  approximate(0.5, 1e-9),
  poisson(0.1, gaussian(2)),
  poisson(0.1, laplace(2)),
  repeatedEvent(gaussian(10), 50),
  composedEvent([gaussian(3), laplace(3), pure(0.1)]),
  parallelEvent([gaussian(3), pure(0.1)]),
  failing(1e-9, gaussian(2)),
  filtered(gaussian(2)),
  renyi([
    [2, 0.05],
    [8, 0.2],
  ]),
];

/** All adjacencies, in cells. */
export const adjacencyCells = (): readonly { readonly name: string; readonly adjacency: Adjacency }[] =>
  (['replace-one', 'add-remove', 'zero-out'] as const).map((adjacency) => ({ name: adjacency, adjacency }));
