import { defined, normalCdfBounds } from '@lethe/numerics';
import { repeatedEvent, sampledEvent, type Accountant, type SamplerSpec } from '@lethe/core';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { atLeast, deltaOf, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import {
  adjacencyCells,
  allocation,
  approximate,
  group,
  selection,
  deltas,
  epsilons,
  failing,
  gaussian,
  laplace,
  leaves,
  pure,
  rates,
  tenTo,
  poisson,
} from './events.js';

export const allRecords = defineLaw<'accountant'>({
  id: 'accountant/sampling-everyone',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a sample of all records, an allocation to a single batch and a group of one have the cost of the ' +
    'event itself, and the best of one run at least that cost',
  power: 'a cost with an error of 1e-6 on 1 of 25 events',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ event: leaves, delta: deltas, size: fc.constantFrom(1, 10) }),
      ({ event, delta, size }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        const bare = epsilonOf(plugin, event, context);
        const plain = bare?.upper;
        if (plain === undefined) return undefined;
        for (const whole of [
          poisson(1, event),
          ...(cell.adjacency === 'add-remove'
            ? []
            : [sampledEvent({ kind: 'core/fixed-size', n: size, size, replacement: false }, event)]),
        ]) {
          const answer = epsilonOf(plugin, whole, context);
          const cost = answer?.upper;
          if (cost !== undefined && !near(cost, plain, widthOf(answer, bare)))
            return {
              what:
                `in a sample of all records the event costs ε = ${cost}, ` +
                `without sampling ${plain}, at δ = ${delta}`,
              measured: cost,
              allowed: plain,
              input: whole,
            };
        }
        for (const whole of [allocation(1, event), group(1, event)]) {
          const answer = epsilonOf(plugin, whole, context);
          const cost = answer?.upper;
          if (cost !== undefined && !near(cost, plain, widthOf(answer, bare)))
            return {
              what:
                `in a single batch, or as a group of one, the event costs ε = ${cost}, ` +
                `by itself ${plain}, at δ = ${delta}`,
              measured: cost,
              allowed: plain,
              input: whole,
            };
        }
        const best = epsilonOf(plugin, selection(event, 0.5, 1), context);
        const chosen = best?.upper;
        if (chosen !== undefined && !atLeast(chosen, plain, widthOf(best, bare)))
          return {
            what: `the best of one run costs ε = ${chosen}, the run ${plain}, at δ = ${delta}`,
            measured: chosen,
            allowed: plain,
            input: selection(event, 0.5, 1),
          };
        return undefined;
      },
      { runs: 25 },
    ),
});

/**
 * Whether the accountant bounds each query separately from both
 * sides: only whole intervals are then comparable.
 */
const bothEnds = ({ wants }: Accountant): boolean => wants.includes('pair');

export const amplification = defineLaw<'accountant'>({
  id: 'accountant/sampling',
  kind: 'accountant',
  tier: 'search',
  statement:
    'the cost of a Poisson sample is non-decreasing in the rate and at most the cost without sampling',
  power:
    'a cost higher by 1e-6 on 1 of 30 events; for accountants that compose privacy losses, ' +
    `a rise that both ends of the interval show, ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        make: fc.constantFrom(gaussian, laplace, pure),
        number: tenTo(-0.3, 0.7),
        rate: rates,
        n: fc.integer({ min: 1, max: 50 }),
        delta: deltas,
      }),
      ({ make, number, rate, n, delta }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        // A pure guarantee for every adjacency may hold for
        // replacements only; a sample may then cost twice as much.
        if (make === pure && cell.adjacency === 'replace-one') return undefined;
        const answers = [rate / 3, rate, 1].map((q) =>
          epsilonOf(plugin, repeatedEvent(q === 1 ? make(number) : poisson(q, make(number)), n), context),
        );
        const costs = answers.map((answer) => answer?.upper);
        for (const [i, less] of costs.slice(0, 2).entries()) {
          const more = costs[i + 1];
          if (
            less === undefined ||
            more === undefined ||
            atLeast(
              more,
              bothEnds(plugin) ? defined(answers[i]).lower : less,
              widthOf(answers[i], answers[i + 1]),
            )
          )
            continue;
          return {
            what:
              `at rate ${[rate / 3, rate][i]} it costs ε = ${less}, ` +
              `at rate ${[rate, 1][i]} only ${more}, at δ = ${delta}`,
            measured: less,
            allowed: more,
            input: repeatedEvent(poisson(rate, make(number)), n),
          };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 25) },
    ),
});

/**
 * δ of the largest of `n` outputs: `P(S) − e^ε Q(S)` for
 * `S = {some output > t}`, maximised over a grid of `t`.
 */
function largestTells({
  rate,
  sigma,
  n,
  epsilon,
}: {
  readonly rate: number;
  readonly sigma: number;
  readonly n: number;
  readonly epsilon: number;
}): number {
  const above = (x: number): number => normalCdfBounds(-x).upper;
  let most = 0;
  for (let t = 0; t <= 1 + 8 * sigma; t += sigma / 8) {
    const absent = above(t / sigma);
    const present = (1 - rate) * absent + rate * above((t - 1) / sigma);
    const some = (each: number): number => -Math.expm1(n * Math.log1p(-each));
    most = Math.max(most, some(present) - Math.exp(epsilon) * some(absent));
  }
  return most * (1 - 1e-6);
}

export const rareDraws = defineLaw<'accountant'>({
  id: 'accountant/rare-draws',
  kind: 'accountant',
  tier: 'search',
  statement:
    'δ of many Poisson samples at a low rate is at least the δ of their largest output; ' +
    'a central limit approximation does not apply to this tail',
  power: `a δ below that value by 1e-6 at one of 20 queries; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        rate: fc.constantFrom(0.001, 0.01, 0.1),
        sigma: tenTo(-0.7, 0.3),
        n: fc.constantFrom(100, 1000, 10_000),
        epsilon: tenTo(-1, 1.3),
      }),
      (given) => {
        const event = repeatedEvent(poisson(given.rate, gaussian(given.sigma)), given.n);
        const least = largestTells(given);
        const upper =
          least > 1e-12
            ? deltaOf(plugin, event, { adjacency: defined(cell.adjacency), epsilon: given.epsilon })?.upper
            : undefined;
        return upper === undefined || upper >= least
          ? undefined
          : {
              what:
                `the largest of ${given.n} outputs alone has δ = ${least} at ε = ${given.epsilon}; ` +
                `the upper bound is ${upper}`,
              measured: upper,
              allowed: least,
              input: event,
            };
      },
      {
        runs: runsFor(plugin, 15),
        examples: [
          { rate: 0.001, sigma: 0.5, n: 1000, epsilon: 2 },
          { rate: 0.01, sigma: 0.7, n: 100, epsilon: 1 },
        ],
      },
    ),
});

/** Samplers, and the probability that a sample contains a given record. */
const samplers: readonly (readonly [number, SamplerSpec])[] = [
  [0.1, { kind: 'core/poisson', rate: 0.1 }],
  [0.1, { kind: 'core/fixed-size', n: 10, size: 1, replacement: false }],
  [1 - 0.9 ** 3, { kind: 'core/fixed-size', n: 10, size: 3, replacement: true }],
  [(1 - 0.5 ** 4) / 4, { kind: 'core/truncated-poisson', n: 4, rate: 0.5, most: 1 }],
  [1, { kind: 'core/random-allocation', steps: 4 }],
];

export const drawnFailures = defineLaw<'accountant'>({
  id: 'accountant/presence',
  kind: 'accountant',
  tier: 'search',
  statement:
    'in a Poisson sample at rate q a release with almost no noise has δ of at least q; a release that ' +
    'fails with probability δ₀ has δ of at least δ₀ times the probability of being sampled, for any sampler',
  power: 'a δ below q by 1e-6 at one of 20 queries',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ make: fc.constantFrom(gaussian, laplace), rate: rates, epsilon: epsilons }),
      ({ make, rate, epsilon }) => {
        const event = poisson(rate, make(1e-3));
        const upper = deltaOf(plugin, event, { adjacency: defined(cell.adjacency), epsilon })?.upper;
        for (const [[chance, sampler], inner] of samplers.flatMap((one) =>
          [failing(0.1, gaussian(3)), approximate(0.5, 0.1)].map((shownBy) => [one, shownBy] as const),
        )) {
          const shown = sampledEvent(sampler, inner);
          const bound = deltaOf(plugin, shown, { adjacency: defined(cell.adjacency), epsilon })?.upper;
          if (bound !== undefined && !(bound >= 0.1 * chance * (1 - 1e-6)))
            return {
              what:
                `the record is sampled with probability ${chance}, and then revealed with probability ` +
                `0.1; the answer is δ = ${bound} at ε = ${epsilon}`,
              measured: bound,
              allowed: 0.1 * chance,
              input: shown,
            };
        }
        if (upper === undefined || upper >= rate * (1 - 1e-6)) return undefined;
        return {
          what:
            `the release reveals whether the record was sampled, so δ is at least the rate ${rate}; ` +
            `the answer is ${upper} at ε = ${epsilon}`,
          measured: upper,
          allowed: rate,
          input: event,
        };
      },
      { runs: 15 },
    ),
});
