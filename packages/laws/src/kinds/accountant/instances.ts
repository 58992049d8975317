import { composedEvent, repeatedEvent, type Adjacency, type PrivacyEvent } from '@lethe/core';
import { defined, logAddExp, logBinomial } from '@lethe/numerics';
import fc from 'fast-check';
import { gaussianCurve } from '../../divergence/index.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { deltaOf } from './ask.js';
import { adjacencyCells, concentrated, gaussian, poisson, tenTo } from './events.js';

/** A binary release: the first output has probability `p` with the record, `q` without it. */
interface Coin {
  readonly p: number;
  readonly q: number;
}

/** Hockey-stick divergence of `count` runs of a binary release, minus an allowance for rounding. */
function coinsDelta({ p, q }: Coin, count: number, epsilon: number): number {
  const up = Math.log(p / q);
  const down = Math.log((1 - p) / (1 - q));
  let sum = 0;
  for (let k = 0; k <= count; k++) {
    const loss = k * up + (count - k) * down;
    if (loss <= epsilon) continue;
    const log = logBinomial(count, k) + k * Math.log(p) + (count - k) * Math.log1p(-p);
    sum += Math.exp(log) * -Math.expm1(epsilon - loss);
  }
  return sum * (1 - 1e-6);
}

/** ρ of a binary release: the largest ratio `D_α(P‖Q)/α` over a grid of orders and both directions. */
function rhoOf(coin: Coin): number {
  const divergence = ({ p, q }: Coin, alpha: number): number =>
    logAddExp(
      alpha * Math.log(p) + (1 - alpha) * Math.log(q),
      alpha * Math.log1p(-p) + (1 - alpha) * Math.log1p(-q),
    ) /
    (alpha - 1);
  let most = 0;
  for (let t = -6; t <= 6; t += 1 / 64) {
    const alpha = 1 + Math.exp(t);
    most = Math.max(
      most,
      divergence(coin, alpha) / alpha,
      divergence({ p: coin.q, q: coin.p }, alpha) / alpha,
    );
  }
  return most * (1 + 1e-4);
}

/**
 * A binary release with a claimed ρ, sampled, many times: its
 * tail reveals the Rényi divergence at the best order.
 */
const sampledRandomness = fc.record({
  q: fc.constantFrom(0.1, 0.2),
  p: fc.constantFrom(0.5),
  rate: fc.constantFrom(0.5, 0.7),
  order: fc.constantFrom(1.2, 1.3),
});
const manyRuns = 20_000;

function sampledPromise({
  p,
  q,
  rate,
  order,
}: {
  readonly p: number;
  readonly q: number;
  readonly rate: number;
  readonly order: number;
}): { readonly event: PrivacyEvent; readonly coin: Coin; readonly epsilon: number } {
  const coin = { p: rate * p + (1 - rate) * q, q };
  const event = repeatedEvent(poisson(rate, concentrated(rhoOf({ p, q }))), manyRuns);
  // Expected loss under the tilted distribution, for which `order` is optimal in the tail bound.
  const tilt = (a: number, b: number): number => a ** order * b ** (1 - order);
  const [heads, tails] = [tilt(coin.p, coin.q), tilt(1 - coin.p, 1 - coin.q)];
  const share = heads / (heads + tails);
  return {
    event,
    coin,
    epsilon:
      manyRuns * (share * Math.log(coin.p / coin.q) + (1 - share) * Math.log((1 - coin.p) / (1 - coin.q))),
  };
}

export const promises = defineLaw<'accountant'>({
  id: 'accountant/promises',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a bound for a ρ-zCDP event holds for every ρ-zCDP release: for Gaussian noise, and in a Poisson ' +
    'sample also for a binary release, which sampling amplifies less than Gaussian noise',
  source: { id: 'bun-steinke-2016', item: 'Definition 1.1' },
  power:
    'Gaussian noise: δ with an error of 1e-8; a sampled binary release: ' +
    '0.5 % of its Rényi divergence at orders near 1.2',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    const adjacency: Adjacency = defined(cell.adjacency);
    return forAll(
      fc.record({
        rho: tenTo(-3, 0.5),
        n: fc.integer({ min: 1, max: 100 }),
        epsilon: tenTo(-2, 1),
        coin: sampledRandomness,
      }),
      ({ rho, n, epsilon, coin: given }): Violation | undefined => {
        for (const event of [repeatedEvent(concentrated(rho), n), composedEvent([concentrated(rho * n)])]) {
          const claimed = deltaOf(plugin, event, { adjacency, epsilon })?.upper;
          const { lower } = gaussianCurve(Math.sqrt(2 * rho * n) * (1 - 1e-12), epsilon);
          if (claimed !== undefined && !(claimed >= lower * (1 - 1e-8)))
            return {
              what:
                `Gaussian noise satisfies the claim and has δ = ${lower} at ε = ${epsilon}; ` +
                `the upper bound is ${claimed}`,
              measured: claimed,
              allowed: lower,
              input: event,
            };
        }
        const { event, coin, epsilon: large } = sampledPromise(given);
        const claimed = deltaOf(plugin, event, { adjacency, epsilon: large })?.upper;
        if (claimed === undefined) return undefined;
        const least = coinsDelta(coin, manyRuns, large);
        return claimed >= least
          ? undefined
          : {
              what:
                `a binary release with probability ${given.p} with the record and ${given.q} without it ` +
                `satisfies the claim; sampled and run ${manyRuns} times it has δ = ${least} at ` +
                `ε = ${large}; the upper bound is ${claimed}`,
              measured: claimed,
              allowed: least,
              input: event,
            };
      },
      {
        runs: 12,
        examples: [{ rho: 0.5, n: 1, epsilon: 1, coin: { p: 0.5, q: 0.1, rate: 0.5, order: 1.2 } }],
      },
    );
  },
});

export const nullRecord = defineLaw<'accountant'>({
  id: 'accountant/sampled-replacement',
  kind: 'accountant',
  tier: 'search',
  statement:
    'under replace-one the bound of a sampled release uses the sensitivity to the presence of a record: ' +
    'without it the event is Unsupported, and half of the sensitivity to replacement is not substituted',
  power: 'certain',
  check: ({ plugin }, { forAll }) =>
    forAll(
      fc.record({ sigma: tenTo(-0.3, 1), rate: fc.constantFrom(0.1, 0.9) }),
      ({ sigma, rate }) => {
        const event = poisson(rate, {
          ...gaussian(sigma),
          sensitivity: { 'replace-one': 2 },
        } as PrivacyEvent);
        const answer = deltaOf(plugin, event, { adjacency: 'replace-one', epsilon: 1 });
        return answer === undefined
          ? undefined
          : {
              what:
                'the sampled event has a sensitivity to replacement and none to presence; ' +
                `expected Unsupported, got δ = ${answer.upper}`,
              measured: answer.upper,
              input: event,
            };
      },
      { runs: 4 },
    ),
});
