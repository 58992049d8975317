import { repeatedEvent, sampledEvent } from '@lethe/core';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { atLeast, deltaOf, epsilonOf, near } from './ask.js';
import { adjacencyCells, deltas, epsilons, gaussian, laplace, leaves, pure, rates, tenTo } from './events.js';
import { poisson } from './events.js';

export const everyone = defineLaw<'accountant'>({
  id: 'accountant/sampling-everyone', kind: 'accountant', tier: 'search',
  statement: 'a sample that everybody is in costs what the event costs without it',
  power: 'any price off by 1e-6 on 1 of 25 events',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => forAll(fc.record({ event: leaves, delta: deltas, size: fc.constantFrom(1, 10) }), ({ event, delta, size }) => {
    const context = { adjacency: cell.adjacency!, delta };
    const plain = epsilonOf(plugin, event, context)?.upper;
    if (plain === undefined) return undefined;
    for (const whole of [poisson(1, event), ...(cell.adjacency === 'add-remove' ? [] : [sampledEvent({ kind: 'core/fixed-size', n: size, size, replacement: false }, event)])]) {
      const cost = epsilonOf(plugin, whole, context)?.upper;
      if (cost !== undefined && !near(cost, plain)) return { what: `in a sample of everybody it costs ε = ${cost}, without the sample ${plain}, at δ = ${delta}`, measured: cost, allowed: plain, input: whole };
    }
    return undefined;
  }, { runs: 25 }),
});

export const amplification = defineLaw<'accountant'>({
  id: 'accountant/sampling', kind: 'accountant', tier: 'search',
  statement: 'a Poisson sample never costs more than everybody does, and a smaller one never more than a larger one',
  power: 'any price that rises by 1e-6 on 1 of 30 events',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => forAll(fc.record({ make: fc.constantFrom(gaussian, laplace, pure), number: tenTo(-0.3, 0.7), rate: rates, n: fc.integer({ min: 1, max: 50 }), delta: deltas }), ({ make, number, rate, n, delta }) => {
    const context = { adjacency: cell.adjacency!, delta };
    // A guarantee that is stated for every adjacency may hold of replacements only; then a sample may cost twice as much.
    if (make === pure && cell.adjacency === 'replace-one') return undefined;
    const costs = [rate / 3, rate, 1].map((q) => epsilonOf(plugin, repeatedEvent(q === 1 ? make(number) : poisson(q, make(number)), n), context)?.upper);
    for (const [i, less] of costs.slice(0, 2).entries()) {
      const more = costs[i + 1];
      if (less === undefined || more === undefined || atLeast(more, less)) continue;
      return { what: `at rate ${[rate / 3, rate][i]} it costs ε = ${less}, at rate ${[rate, 1][i]} only ${more}, at δ = ${delta}`, measured: less, allowed: more, input: repeatedEvent(poisson(rate, make(number)), n) };
    }
    return undefined;
  }, { runs: 25 }),
});

export const drawnFailures = defineLaw<'accountant'>({
  id: 'accountant/presence', kind: 'accountant', tier: 'search',
  statement: 'in a Poisson sample at rate q a release whose presence is seen with certainty, because it has next to no noise, keeps δ at least q',
  power: 'a δ below q by 1e-6 at one of 20 questions',
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => forAll(fc.record({ make: fc.constantFrom(gaussian, laplace), rate: rates, epsilon: epsilons }), ({ make, rate, epsilon }) => {
    const event = poisson(rate, make(1e-3));
    const upper = deltaOf(plugin, event, { adjacency: cell.adjacency!, epsilon })?.upper;
    if (upper === undefined || upper >= rate * (1 - 1e-6)) return undefined;
    return { what: `whether the record was drawn can be read off the release, so δ is at least the rate ${rate}; it says ${upper} at ε = ${epsilon}`, measured: upper, allowed: rate, input: event };
  }, { runs: 15 }),
});
