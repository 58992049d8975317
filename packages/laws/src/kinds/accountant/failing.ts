import { parallelEvent, repeatedEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { trueDelta } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import { atLeast, deltaOf, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import {
  adjacencyCells,
  approximate,
  deltas,
  epsilons,
  failing,
  filtered,
  gaussian,
  leaves,
  selection,
  tenTo,
} from './events.js';

export const failures = defineLaw<'accountant'>({
  id: 'accountant/failing',
  kind: 'accountant',
  tier: 'search',
  statement:
    'an event that fails with probability δ₀ has a δ of at least δ₀ + (1 − δ₀)·δ(ε), and of at most ' +
    'δ₀ + δ(ε) where the accountant claims it; ' +
    'n runs fail with probability 1 − (1 − δ₀)ⁿ, and for smaller δ, ε is infinite',
  power: `a δ with an error of 1e-6 of δ₀ on 1 of 40 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin, claims }, { cell, forAll }) => {
    const claimsSum = claims.some(({ property }) => property === 'failing');
    return forAll(
      fc.record({
        event: leaves,
        fails: tenTo(-6, -0.5),
        n: fc.integer({ min: 1, max: 100 }),
        epsilon: epsilons,
      }),
      ({ event, fails, n, epsilon }) => {
        const adjacency = defined(cell.adjacency);
        const [sound, risky] = [
          deltaOf(plugin, event, { adjacency, epsilon }),
          deltaOf(plugin, failing(fails, event), { adjacency, epsilon }),
        ];
        const [rest, whole] = [sound?.upper, risky?.upper];
        const slack = 1e-6 * fails + Math.min(widthOf(sound, risky), 0.05 * (rest ?? 0));
        if (rest !== undefined && whole !== undefined) {
          const least = fails + (1 - fails) * rest;
          if (!(whole >= least - slack))
            return {
              what:
                `it fails with probability ${fails} and otherwise has δ = ${rest} at ε = ${epsilon}; ` +
                `the answer is δ = ${whole}`,
              measured: whole,
              allowed: least,
              input: failing(fails, event),
            };
          if (claimsSum && !(whole <= Math.min(1, fails + rest) + slack))
            return {
              what:
                `it fails with probability ${fails} and otherwise has δ = ${rest} at ε = ${epsilon}; ` +
                `the answer is more than their sum, δ = ${whole}`,
              measured: whole,
              allowed: fails + rest,
              input: failing(fails, event),
            };
        }
        const never = -Math.expm1(n * Math.log1p(-fails));
        for (const repeated of [
          repeatedEvent(failing(fails, event), n),
          repeatedEvent(approximate(0.1, fails), n),
          parallelEvent([event, repeatedEvent(failing(fails, event), n)]),
        ]) {
          const some = deltaOf(plugin, repeated, { adjacency, epsilon })?.upper;
          if (some !== undefined && !(some >= never * (1 - 1e-6)))
            return {
              what:
                `${n} runs fail with probability ${never} in total; ` +
                `the answer is δ = ${some} at ε = ${epsilon}`,
              measured: some,
              allowed: never,
              input: repeated,
            };
          const below = epsilonOf(plugin, repeated, { adjacency, delta: never / 2 })?.upper;
          if (below !== undefined && below < Infinity)
            return {
              what:
                `${n} runs fail with probability ${never} in total; ` +
                `at δ = ${never / 2} ε is infinite, the answer is ${below}`,
              measured: below,
              allowed: Infinity,
              input: repeated,
            };
        }
        // At a δ just above the failure probability, almost no δ remains for the noise.
        const [noise, delta] = [gaussian(1 + epsilon), 1.001 * fails];
        const cost = epsilonOf(plugin, failing(fails, noise), { adjacency, delta })?.upper;
        const tells =
          cost === undefined || cost === Infinity ? undefined : trueDelta(noise, adjacency, cost)?.lower;
        if (tells !== undefined && !(fails + (1 - fails) * tells <= delta * (1 + 1e-6)))
          return {
            what:
              `with a failure of probability ${fails} the answer is ε = ${cost} at δ = ${delta}, ` +
              `where failure and noise have δ = ${fails + (1 - fails) * tells}`,
            measured: fails + (1 - fails) * tells,
            allowed: delta,
            input: failing(fails, noise),
          };
        return undefined;
      },
      { runs: runsFor(plugin, 25) },
    );
  },
});

export const filteredIsItsLimit = defineLaw<'accountant'>({
  id: 'accountant/filtered',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a filtered event costs at least as much as the limit of the filter, ' +
    'and no more where the accountant claims it',
  power: `a cost with an error of 1e-6 on 1 of 20 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin, claims }, { cell, forAll }) => {
    const claimsEquality = claims.some(({ property }) => property === 'filtered');
    return forAll(
      fc.record({ event: leaves, n: fc.integer({ min: 1, max: 20 }), delta: deltas }),
      ({ event, n, delta }) => {
        const context = { adjacency: defined(cell.adjacency), delta };
        const limit = repeatedEvent(event, n);
        const [spent, most] = [
          epsilonOf(plugin, filtered(limit), context),
          epsilonOf(plugin, limit, context),
        ];
        const [cost, allowed] = [spent?.upper, most?.upper];
        if (cost === undefined || allowed === undefined) return undefined;
        const agrees = claimsEquality ? near : atLeast;
        if (agrees(cost, allowed, widthOf(spent, most))) return undefined;
        return {
          what: `the filter's limit costs ε = ${allowed}, the filtered event ${cost}, at δ = ${delta}`,
          measured: cost,
          allowed,
          input: filtered(limit),
        };
      },
      { runs: runsFor(plugin, 20) },
    );
  },
});

export const selected = defineLaw<'accountant'>({
  id: 'accountant/selection',
  kind: 'accountant',
  tier: 'search',
  statement:
    'a selection among runs that fail with probability δ₀ fails if any of them fails: ' +
    'δ is at least 1 − E(1 − δ₀)^runs',
  source: { id: 'liu-talwar-2019', item: 'repeat and select' },
  power: 'any smaller δ at one of 20 queries; certain if only one failure is charged',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({
        fails: fc.constantFrom(1e-3, 0.1),
        stop: fc.constantFrom(1e-3, 0.1, 0.01),
        cap: fc.constantFrom(10_000, 100),
        epsilon: epsilons,
      }),
      ({ fails, stop, cap, epsilon }) => {
        const event = selection(approximate(0, fails), stop, cap);
        const upper = deltaOf(plugin, event, { adjacency: defined(cell.adjacency), epsilon })?.upper;
        // P(runs = k) = stop (1 − stop)^(k−1) for k < cap, the rest at
        // cap; s = E(1 − fails)^runs as a geometric sum.
        const keep = (1 - stop) * (1 - fails);
        const last = keep ** (cap - 1);
        const survives = (stop * (1 - fails) * (1 - last)) / (1 - keep) + last * (1 - fails);
        if (upper === undefined || upper >= (1 - survives) * (1 - 1e-6)) return undefined;
        return {
          what:
            `one of the runs fails with probability ${1 - survives}; ` +
            `the answer is δ = ${upper} at ε = ${epsilon}`,
          measured: upper,
          allowed: 1 - survives,
          input: event,
        };
      },
      { runs: 10 },
    ),
});
