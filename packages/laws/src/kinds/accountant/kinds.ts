import {
  composedEvent,
  InvalidParameter,
  parseEvent,
  repeatedEvent,
  Unsupported,
  type Adjacency,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { createResolver } from '@lethe/accountants';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { approximateCurve, gaussianCurve, pureCurve } from '../../divergence/index.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { deltaOf, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import { adjacencyCells, deltas, events, samples, tenTo } from './events.js';
import { knowingTwice, lopsided, probeOf, type Probe } from './probes.js';

/** δ at ε of every release with the probe's characterisation, at least: equality in the characterisation. */
const leastDelta = (want: string, mu: number, epsilon: number): number => {
  const curve = () => {
    if (want === 'pure') return pureCurve(mu, epsilon);
    if (want === 'approximate') return approximateCurve({ epsilon: mu, delta: 1e-12 }, epsilon);
    return gaussianCurve(mu, epsilon).lower;
  };
  return curve() * (1 - 1e-8);
};

export const wants = defineLaw<'accountant'>({
  id: 'accountant/wants',
  kind: 'accountant',
  tier: 'search',
  statement:
    'the accountant bounds every event whose kind, given in `kinds`, ' +
    'has one of the characterisations in `wants`, by at least the largest δ of such events; ' +
    'without `kinds`, or at another version, the event is Unsupported',
  power:
    'certain for a characterisation in `wants` that is not used; δ with an error of 1e-8 at 1 of 12 points',
  check: ({ plugin }, { forAll }) =>
    forAll(
      fc.record({ mu: tenTo(-1, 0.5), epsilon: tenTo(-1, 0.7) }),
      ({ mu, epsilon }): Violation | undefined => {
        if (plugin.wants.length === 0)
          return { what: 'wants is empty, so the accountant can bound no event' };
        for (const want of plugin.wants) {
          for (const probe of [
            probeOf(want),
            ...(want === 'pair' ? [lopsided('add'), lopsided('remove')] : []),
          ]) {
            const violation = probed(plugin, { probe, want, mu, epsilon });
            if (violation) return violation;
          }
        }
        return undefined;
      },
      { runs: 12 },
    ),
});

function probed(
  plugin: Subject<'accountant'>['plugin'],
  {
    probe: { kind, event: make },
    want,
    mu,
    epsilon,
  }: { readonly probe: Probe; readonly want: string; readonly mu: number; readonly epsilon: number },
): Violation | undefined {
  const event = make(mu);
  const query = { adjacency: 'zero-out', epsilon } as const;
  const kinds = [kind];
  let answer: Interval;
  try {
    answer = plugin.delta(event, { ...query, kinds });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return {
      what:
        `'wants' contains ${want}, the event has ${want}, ` +
        `and the accountant refuses it: ${error.message}`,
      input: event,
    };
  }
  const least = leastDelta(want, mu, epsilon);
  if (answer.certificate !== 'estimate' && !(answer.upper >= least))
    return {
      what:
        `with this ${want}, the event has δ = ${least} at ε = ${epsilon}, in the worse direction; ` +
        `the upper bound is ${answer.upper}`,
      measured: answer.upper,
      allowed: least,
      input: event,
    };
  // A loose accountant may know nothing of one ε.
  const isVacuous = [1, 10, 100, 1000].every(
    (times) => !(plugin.delta(event, { ...query, epsilon: times * epsilon, kinds }).upper < 1),
  );
  if (isVacuous)
    return {
      what:
        `with this finite ${want}, the answer for the event is ` +
        `δ = ${answer.upper} from ε = ${epsilon} to ${1000 * epsilon}, which is vacuous`,
      measured: answer.upper,
      input: event,
    };
  const silent = (kind.assumptions ?? []).filter((assumption) => !answer.assumptions.includes(assumption));
  if (silent.length > 0)
    return {
      what: `the event's kind assumes '${silent.join("', '")}'; the answer does not list it`,
      input: event,
    };
  // A kind of the same name with twice the shift: cached answers no longer apply.
  const dearer = knowingTwice(kind);
  const delta = Math.max(1e-9, least / 4);
  const before = plugin.epsilon(event, { adjacency: 'zero-out', delta, kinds }).upper;
  const [after, later] = [
    plugin.epsilon(event, { adjacency: 'zero-out', delta, kinds: [dearer] }),
    plugin.delta(event, { ...query, kinds: [dearer] }),
  ];
  const twice = leastDelta(want, 2 * mu, epsilon);
  if (later.certificate !== 'estimate' && !(later.upper >= twice))
    return {
      what:
        `for a second kind of the same name with twice the shift, the bound on δ(${epsilon}) is ` +
        `${later.upper}; the true value is at least ${twice}`,
      measured: later.upper,
      allowed: twice,
      input: event,
    };
  if (
    after.certificate !== 'estimate' &&
    after.upper < Infinity &&
    !(leastDelta(want, 2 * mu, after.upper) <= delta * (1 + 1e-6))
  )
    return {
      what:
        `for a second kind of the same name with twice the shift, the bound on ε(${delta}) is ` +
        `${after.upper}, after ${before}`,
      measured: after.upper,
      input: event,
    };
  for (const [what, ask] of [
    ['without its kind', () => plugin.delta(event, query)],
    ['at an unknown version of the kind', () => plugin.delta({ ...event, v: 2 }, { ...query, kinds })],
    ['nested, without its kind', () => plugin.delta(composedEvent([event]), query)],
  ] as const) {
    const refusal = unlessUnsupported(ask, event.kind);
    if (refusal) return { what: `${what}, ${refusal}`, input: event };
  }
  return undefined;
}

function unlessUnsupported(ask: () => Interval, name: string): string | undefined {
  try {
    return `the answer is ${ask().upper}; expected Unsupported`;
  } catch (error) {
    if (!(error instanceof Unsupported)) return `it throws ${String(error)}; expected Unsupported`;
    return error.message.includes(name) ? undefined : `the message does not name '${name}': ${error.message}`;
  }
}

export const pluginKinds = defineLaw<'accountant'>({
  id: 'accountant/kinds',
  kind: 'accountant',
  tier: 'search',
  statement:
    'events of a kind in `kinds` compose like those of core: count n equals a list of n, ' +
    'n times ρ equals n·ρ, and two in parallel cost as much as one',
  power: `a cost with an error of 1e-6 on 1 of 15 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    const probes = plugin.wants.map((want) => ({ want, probe: probeOf(want) }));
    return forAll(
      fc.record({ which: fc.nat(9), mu: tenTo(-1.5, 0), n: fc.integer({ min: 2, max: 30 }), delta: deltas }),
      ({ which, mu, n, delta }) => {
        const {
          want,
          probe: { kind, event },
        } = probes[which % probes.length];
        const answerTo = (e: PrivacyEvent): Interval | undefined =>
          epsilonOf(plugin, e, { adjacency: defined(cell.adjacency), delta, kinds: [kind] });
        const first = answerTo(repeatedEvent(event(mu), n));
        const counted = first?.upper;
        const others: readonly (readonly [string, PrivacyEvent])[] = [
          ['listed', composedEvent(Array.from({ length: n }, () => event(mu)))],
          ...(want === 'zcdp' || want === 'gdp' || want === 'rdp'
            ? [['as one of √n times the shift', event(mu * Math.sqrt(n))] as const]
            : []),
        ];
        for (const [name, other] of others) {
          const answer = answerTo(other);
          const price = answer?.upper;
          if (
            (price === undefined) !== (counted === undefined) ||
            (price !== undefined && !near(price, defined(counted), widthOf(answer, first)))
          )
            return {
              what: `${n} of them cost ε = ${counted}, ${name} ε = ${price}, at δ = ${delta}`,
              input: other,
              ...(price === undefined ? {} : { measured: price }),
            };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 12) },
    );
  },
});

export const knowledge = defineLaw<'accountant'>({
  id: 'accountant/knowledge',
  kind: 'accountant',
  tier: 'search',
  statement: 'the accountant answers for every event for which core has a characterisation in `wants`',
  power: `certain for an unnecessary refusal of a kind; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ event: fc.oneof(events, fc.constantFrom(...samples)) }),
      ({ event }) => {
        const adjacency: Adjacency = defined(cell.adjacency);
        if (deltaOf(plugin, event, { adjacency, epsilon: 1 }) !== undefined) return undefined;
        const known = plugin.wants.find((want) => {
          try {
            createResolver()(parseEvent(event), want, adjacency);
            return true;
          } catch (error) {
            if (error instanceof Unsupported || error instanceof InvalidParameter) return false;
            throw error;
          }
        });
        return known === undefined
          ? undefined
          : {
              what:
                `core has its ${known} under ${adjacency}, which is in 'wants', ` +
                'and the accountant refuses the event',
              input: event,
            };
      },
      { runs: runsFor(plugin, 30), examples: samples.map((event) => ({ event })) },
    ),
});
