import {
  composedEvent,
  countedEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  type Accountant,
  type Adjacency,
  type CoreEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { trueDelta } from '../../divergence/index.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { deltaOf, epsilonOf, runsFor, sparing } from './ask.js';
import {
  adjacencyCells,
  amplified,
  discreteGaussian,
  epsilons,
  events,
  families,
  gaussian,
  laplace,
  poisson,
  rates,
  response,
  tenTo,
} from './events.js';

/** Relative rounding tolerance of δ; the truth itself is an interval. */
const grain = 1e-9;

interface Point {
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
}

/**
 * Compares δ(ε) and ε(δ) of one event with the true profile of
 * its distributions, computed without core's characterisations.
 */
export function againstTruth(
  accountant: Accountant,
  { event, adjacency }: Point,
  epsilon: number,
): Violation | undefined {
  const claimed = deltaOf(accountant, event, { adjacency, epsilon });
  if (claimed === undefined || claimed.certificate === 'estimate') return undefined;
  const truth = trueDelta(event, adjacency, epsilon);
  if (truth === undefined) return undefined;
  const neighbours = `under ${adjacency}, over both directions`;
  if (!(claimed.upper >= truth.lower * (1 - grain))) {
    return {
      what:
        `the upper bound is too small: δ(${epsilon}) is at least ${truth.lower} ${neighbours}; ` +
        `the upper bound is ${claimed.upper}`,
      measured: claimed.upper,
      allowed: truth.lower,
      input: event,
    };
  }
  if (!(claimed.lower <= truth.upper * (1 + grain))) {
    return {
      what:
        `the lower bound is too large: δ(${epsilon}) is at most ${truth.upper} ${neighbours}; ` +
        `its lower bound is ${claimed.lower}`,
      measured: claimed.lower,
      allowed: truth.upper,
      input: event,
    };
  }
  if (isSummed(event)) return undefined;
  return (
    (truth.lower > 1e-13 && truth.lower < 1
      ? epsilonAgainstTruth(accountant, { event, adjacency }, truth.lower)
      : undefined) ?? epsilonAgainstTruth(accountant, { event, adjacency }, usualDelta)
  );
}

/** A δ of certificates: what many releases cost there is far above the tested ε. */
const usualDelta = 1e-6;

/**
 * Whether the true profile needs sums over grids, which are computed
 * once per event: consistency of the curve is a separate law.
 */
const isSummed = (event: PrivacyEvent): boolean => {
  const core = event as CoreEvent;
  if (core.kind === 'core/sampled' && core.sampler.kind !== 'core/poisson') return true;
  return (
    [
      'core/parallel',
      'core/group',
      'core/selection',
      'core/negative-binomial-selection',
      'core/poisson-selection',
      'core/gaussian-mixture',
      'core/gaussian-mixture-pair',
      'core/shuffled-local',
    ].includes(core.kind) ||
    (core.kind === 'core/compose' &&
      core.parts.some((part) => !['core/gaussian', 'core/randomized-response'].includes(part.event.kind)))
  );
};

function epsilonAgainstTruth(
  accountant: Accountant,
  { event, adjacency }: Point,
  delta: number,
): Violation | undefined {
  const claimed = epsilonOf(accountant, event, { adjacency, delta });
  if (claimed === undefined || claimed.certificate === 'estimate') return undefined;
  const above =
    claimed.upper === Infinity ? undefined : trueDelta(event, adjacency, claimed.upper * (1 + grain));
  if (above !== undefined && !(above.lower <= delta * (1 + 1e-6))) {
    return {
      what:
        `the upper bound on ε is ${claimed.upper} at δ = ${delta} under ${adjacency}, ` +
        `where some neighbours have δ = ${above.lower}`,
      measured: above.lower,
      allowed: delta,
      input: event,
    };
  }
  const below =
    claimed.lower > 0 && claimed.lower < Infinity
      ? trueDelta(event, adjacency, claimed.lower * (1 - grain))
      : undefined;
  if (below !== undefined && !(below.upper >= delta * (1 - 1e-6))) {
    return {
      what:
        `the lower bound of ε is ${claimed.lower} at δ = ${delta} under ${adjacency}, ` +
        `where no neighbours exceed δ = ${below.upper}`,
      measured: below.upper,
      allowed: delta,
      input: event,
    };
  }
  return undefined;
}

/** One release of each family, and short compositions with a computable truth. */
const single = fc.oneof(
  ...families.map(({ make, numbers }) => numbers.map(make)),
  fc.tuple(rates, tenTo(-0.3, 0.7)).map(([rate, sigma]) => poisson(rate, gaussian(sigma))),
);
/** Gaussian noise with an unusual sensitivity: its cost depends on the ratio of scale and sensitivity. */
const unusual = (sigma: number, by: number): PrivacyEvent =>
  gaussianEvent(sigma, { 'replace-one': 2 * by, 'add-remove': by, 'zero-out': by });
const composed = fc.oneof(
  fc
    .tuple(tenTo(0, 1), fc.integer({ min: 2, max: 1000 }))
    .map(([sigma, n]) => repeatedEvent(gaussian(sigma), n)),
  fc
    .tuple(fc.constantFrom(0.5, 0.2, 0.9), fc.constantFrom(2, 3), fc.integer({ min: 2, max: 300 }))
    .map(([p, k, n]) => repeatedEvent(response(p, k), n)),
  fc
    .tuple(fc.constantFrom(0.5, 0.1, 0.9), tenTo(-0.3, 0.5), fc.integer({ min: 2, max: 8 }))
    .map(([q, sigma, n]) => repeatedEvent(poisson(q, gaussian(sigma)), n)),
  fc
    .tuple(tenTo(0, 0.7), fc.integer({ min: 2, max: 16 }))
    .map(([scale, n]) => repeatedEvent(laplace(scale), n)),
  fc
    .tuple(tenTo(0, 0.7), tenTo(0, 0.7))
    .map(([sigma, scale]) => composedEvent([gaussian(sigma), laplace(scale)])),
);
const exampleEvents = [
  gaussian(1),
  laplace(1),
  response(0.5, 2),
  poisson(0.5, gaussian(1)),
  poisson(0.5, laplace(1)),
  repeatedEvent(gaussian(10), 1000),
  repeatedEvent(laplace(1), 8),
  repeatedEvent(laplace(2), 16),
  repeatedEvent(poisson(0.5, gaussian(1)), 4),
  repeatedEvent(response(0.5, 2), 40),
  discreteGaussian(1.5),
  poisson(0.01, gaussian(1)),
  poisson(0.001, gaussian(0.7)),
  gaussian(1e5),
  unusual(0.25, 0.125),
  unusual(40, 20),
  parallelEvent([gaussian(4), unusual(12, 10)]),
  countedEvent([
    { event: gaussian(2), count: 2 },
    { event: laplace(2), count: 2 },
  ]),
];

/** An event whose cost is beyond every tested ε. */
const dearest = repeatedEvent(gaussian(1), 100);
const examples = [
  // Many scales of one family in clusters, each of which is composed as mixtures of two.
  {
    event: composedEvent(
      Array.from({ length: 130 }, (_, i) => gaussian(8 + 2.5 * Math.floor(i / 5) + (i % 5) / 100)),
    ),
    epsilon: 2,
  },
  // A few rare, large losses, which are composed by their number.
  { event: repeatedEvent(poisson(0.01, gaussian(0.5)), 8), epsilon: 3 },
  { event: repeatedEvent(poisson(0.01, laplace(0.2)), 4), epsilon: 1.2 },
  { event: repeatedEvent(response(0.5, 2), 300), epsilon: 0.5 },
  { event: dearest, epsilon: 0.5 },
  ...exampleEvents.flatMap((event) =>
    (isSummed(event) ? [0.5] : [0.5, 0, 4]).map((epsilon) => ({ event, epsilon })),
  ),
];

/** Small ε test the worse direction there, large ε test the tails. */
const asked = fc.oneof(epsilons, fc.constantFrom(0, 0.001, 0.05));

export const truth = defineLaw<'accountant'>({
  id: 'accountant/truth',
  kind: 'accountant',
  tier: 'search',
  statement:
    'the upper bound is at least the true value for the worst neighbours, in either direction, ' +
    'and the lower bound at most that value; the truth comes from closed forms, ' +
    'quadrature and exact sums for one release, and from enclosing sums for several',
  power:
    'one release: an error of 1e-8 in δ at 1 of 60 points; compositions: ' +
    `the error of one rounding of losses to a grid in the wrong direction; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        event: fc.oneof(
          { weight: 5, arbitrary: single },
          { weight: 2, arbitrary: composed },
          { weight: 2, arbitrary: fc.oneof(...amplified.map(({ events: some }) => some)) },
          { weight: 1, arbitrary: events },
        ),
        epsilon: asked,
      }),
      ({ event, epsilon }) => againstTruth(plugin, { event, adjacency: defined(cell.adjacency) }, epsilon),
      { runs: runsFor(plugin, 30), examples },
    ),
});

export const largeCosts = defineLaw<'accountant'>({
  id: 'accountant/large-costs',
  kind: 'accountant',
  tier: 'search',
  statement:
    'numerical searches reach large answers: bounds for composed Gaussian noise are at least its true ' +
    'cost, from ε = 0.01 to 1e6 and δ down to 1e-300',
  power: `a bound below the truth by 1e-9 at one of 50 points; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        sigma: tenTo(-2, 3),
        n: fc.constantFrom(1, 10, 1000, 100_000, 10 ** 8),
        delta: fc.oneof(tenTo(-12, -1), tenTo(-300, -12)),
      }),
      ({ sigma, n, delta }) => {
        const event = repeatedEvent(gaussian(sigma), n);
        const adjacency = defined(cell.adjacency);
        const cost = epsilonOf(plugin, event, { adjacency, delta });
        if (cost === undefined || cost.certificate === 'estimate' || cost.upper === Infinity)
          return undefined;
        const lower = trueDelta(event, adjacency, cost.upper * (1 + grain))?.lower;
        if (lower === undefined || lower <= delta * (1 + 1e-6)) return undefined;
        return {
          what: `the upper bound on ε is ${cost.upper} at δ = ${delta}, where the noise has δ = ${lower}`,
          measured: lower,
          allowed: delta,
          input: event,
        };
      },
      {
        runs: runsFor(plugin, 40),
        examples: [
          { sigma: 10, n: 1000, delta: 1e-5 },
          { sigma: 20, n: 1000, delta: 1e-5 },
          { sigma: 0.1, n: 1000, delta: 1e-5 },
          { sigma: 1000, n: 10 ** 7, delta: 1e-5 },
          { sigma: 10 ** 6, n: 2 ** 40, delta: 1e-5 },
        ],
      },
    ),
});

export const noPureCost = defineLaw<'accountant'>({
  id: 'accountant/no-pure-cost',
  kind: 'accountant',
  tier: 'exact',
  statement: 'at δ = 0, ε is infinite for noise with unbounded privacy losses',
  power: 'certain for Gaussian noise of five scales, repeated and sampled',
  cells: adjacencyCells,
  check: ({ plugin }, { cell }) => {
    const adjacency = defined(cell.adjacency);
    // Compositions of very different scales are slow: one is enough to test that small losses are included.
    const beside = (sigma: number): number => (adjacency === 'zero-out' ? 1 : Math.max(1, sigma / 10));
    const unbounded = [0.5, 1, 10, 1000, 1e6].flatMap((sigma) => [
      gaussian(sigma),
      repeatedEvent(gaussian(sigma), 100),
      poisson(0.1, gaussian(sigma)),
      composedEvent([gaussian(sigma), laplace(beside(sigma))]),
    ]);
    for (const [i, event] of unbounded.entries()) {
      const upper = epsilonOf(plugin, event, { adjacency, delta: 0 })?.upper;
      if (upper !== undefined && upper !== Infinity)
        return fails(i + 1, {
          what: `at δ = 0 the answer is ε = ${upper}; the privacy losses are unbounded`,
          measured: upper,
          input: event,
        });
    }
    return holds(unbounded.length);
  },
});
