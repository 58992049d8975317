import { repeatedEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { trueRenyi } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import { epsilonOf } from './ask.js';
import { adjacencyCells, gaussian, laplace, poisson, tenTo } from './events.js';

/** Orders from 1.02 to 3000, evenly spaced in log(α − 1): coarser than the claimed grid. */
const orders = Array.from({ length: 20 }, (_, i) => 1 + 0.02 * (3000 / 0.02) ** (i / 19));

export const renyiOptimal = defineLaw<'accountant'>({
  id: 'accountant/renyi-optimal',
  kind: 'accountant',
  tier: 'search',
  onClaim: true,
  statement:
    'ε is at most the best conversion of the Rényi divergences over many orders, ' +
    'fractional and large orders included',
  source: { id: 'canonne-kamath-steinke-2020', item: 'Proposition 12' },
  power: 'an ε above the best of 20 orders by 1e-4, on 1 of 7 events',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        make: fc.constantFrom(...releases.keys()),
        number: tenTo(-0.5, 2),
        n: fc.constantFrom(1, 100, 1000),
        delta: tenTo(-10, -1),
      }),
      ({ make, number, n, delta }) => {
        const once = releases[make](number);
        const adjacency = defined(cell.adjacency);
        const cost = epsilonOf(plugin, repeatedEvent(once, n), { adjacency, delta })?.upper;
        if (cost === undefined) return undefined;
        let best = Infinity;
        let order = Infinity;
        for (const alpha of orders) {
          const upper = trueRenyi(once, adjacency, alpha)?.upper ?? Infinity;
          const epsilon = Math.max(
            0,
            n * upper + Math.log1p(-1 / alpha) - (Math.log(delta) + Math.log(alpha)) / (alpha - 1),
          );
          if (epsilon < best) {
            best = epsilon;
            order = alpha;
          }
        }
        if (cost <= best * (1 + 1e-4) + 1e-6) return undefined;
        return {
          what:
            `the divergence of order ${order.toPrecision(4)} gives ` +
            `ε = ${best} at δ = ${delta}; the answer is ${cost}`,
          measured: cost,
          allowed: best,
          input: repeatedEvent(once, n),
        };
      },
      {
        runs: 4,
        examples: [
          { make: 2, number: 0.5, n: 1000, delta: 1e-5 },
          { make: 0, number: 100, n: 1, delta: 1e-5 },
          { make: 3, number: 1, n: 100, delta: 1e-5 },
        ],
      },
    ),
});

const releases = [
  gaussian,
  laplace,
  (sigma: number) => poisson(0.1, gaussian(sigma)),
  (sigma: number) => poisson(0.5, gaussian(sigma)),
] as const;

export const exactGaussian = defineLaw<'accountant'>({
  id: 'accountant/exact-for-gaussian',
  kind: 'accountant',
  tier: 'search',
  onClaim: true,
  statement:
    'answers for Gaussian noise without sampling are exact: both ends agree up to rounding, ' +
    'with the certificate `exact`',
  power: 'an interval wider than 1e-9, on 1 of 30 events',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ sigma: tenTo(-1, 2), n: fc.integer({ min: 1, max: 10_000 }), delta: tenTo(-15, -1) }),
      ({ sigma, n, delta }) => {
        const event = repeatedEvent(gaussian(sigma), n);
        const { lower, upper, certificate } = plugin.epsilon(event, {
          adjacency: defined(cell.adjacency),
          delta,
        });
        if (certificate === 'exact' && upper - lower <= 1e-9 + 1e-12 * upper) return undefined;
        return {
          what:
            `ε at δ = ${delta} is in [${lower}, ${upper}], certificate '${certificate}'; ` +
            "expected both ends equal and 'exact'",
          measured: upper - lower,
          allowed: 1e-9,
          input: event,
        };
      },
      { runs: 20 },
    ),
});
