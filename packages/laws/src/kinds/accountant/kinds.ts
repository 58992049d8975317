import {
  composedEvent, InvalidParameter, parseEvent, repeatedEvent, Unsupported, type Adjacency, type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { createResolver } from '@lethe/accountants';
import fc from 'fast-check';
import { approximateCurve, gaussianCurve, pureCurve } from '../../divergence/index.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { deltaOf, epsilonOf, near, runsFor, sparing, widthOf } from './ask.js';
import { adjacencyCells, deltas, events, samples, tenTo } from './events.js';
import { knowingTwice, lopsided, probeOf, type Probe } from './probes.js';

/** What every release that the probe may stand for comes to at least, at ε: the promise kept with equality. */
const leastDelta = (want: string, mu: number, epsilon: number): number =>
  (want === 'pure' ? pureCurve(mu, epsilon) : want === 'approximate' ? approximateCurve({ epsilon: mu, delta: 1e-12 }, epsilon) : gaussianCurve(mu, epsilon).lower) * (1 - 1e-8);

export const wants = defineLaw<'accountant'>({
  id: 'accountant/wants', kind: 'accountant', tier: 'search',
  statement: 'it answers for an event of any kind, given in `kinds`, of which it is told one characterisation that it wants, never below what such an event may come to; without `kinds`, or at another version, the event is Unsupported',
  power: 'certain for a want that is not honoured; δ off by 1e-8 at 1 of 12 points',
  check: ({ plugin }, { forAll }) => forAll(fc.record({ mu: tenTo(-1, 0.5), epsilon: tenTo(-1, 0.7) }), ({ mu, epsilon }): Violation | undefined => {
    if (plugin.wants.length === 0) return { what: 'it wants no characterisation, so it can know nothing of any event' };
    for (const want of plugin.wants) {
      for (const probe of [probeOf(want), ...(want === 'pair' ? [lopsided('add'), lopsided('remove')] : [])]) {
        const violation = probed(plugin, { probe, want, mu, epsilon });
        if (violation) return violation;
      }
    }
    return undefined;
  }, { runs: 12 }),
});

function probed(plugin: Subject<'accountant'>['plugin'], { probe: { kind, event: make }, want, mu, epsilon }: { readonly probe: Probe; readonly want: string; readonly mu: number; readonly epsilon: number }): Violation | undefined {
  const event = make(mu), query = { adjacency: 'zero-out', epsilon } as const, kinds = [kind];
  let answer: Interval;
  try {
    answer = plugin.delta(event, { ...query, kinds });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { what: `it wants ${want}, is told ${want} of the event, and refuses it: ${error.message}`, input: event };
  }
  const least = leastDelta(want, mu, epsilon);
  if (answer.certificate !== 'estimate' && !(answer.upper >= least)) return { what: `told by its ${want}, the event comes to δ = ${least} at ε = ${epsilon}, in the direction that tells more; it is bounded by ${answer.upper}`, measured: answer.upper, allowed: least, input: event };
  if (!(answer.upper < 1)) return { what: `told by its ${want}, which is finite, the event is given δ = ${answer.upper} at ε = ${epsilon}: it says nothing of it`, measured: answer.upper, input: event };
  const silent = (kind.assumptions ?? []).filter((assumption) => !answer.assumptions.includes(assumption));
  if (silent.length > 0) return { what: `the event's kind takes '${silent.join('\', \'')}' for granted; the answer does not say so`, input: event };
  // The same event under a kind of the same name that knows twice the shift: what was said of it before no longer counts.
  const dearer = knowingTwice(kind);
  const delta = Math.max(1e-9, least / 4), before = plugin.epsilon(event, { adjacency: 'zero-out', delta, kinds }).upper;
  const [after, later] = [plugin.epsilon(event, { adjacency: 'zero-out', delta, kinds: [dearer] }), plugin.delta(event, { ...query, kinds: [dearer] })];
  const twice = leastDelta(want, 2 * mu, epsilon);
  if (later.certificate !== 'estimate' && !(later.upper >= twice)) return { what: `asked again with a kind of the same name that knows twice the shift, it bounds δ(${epsilon}) by ${later.upper}; it comes to ${twice}`, measured: later.upper, allowed: twice, input: event };
  if (after.certificate !== 'estimate' && after.upper < Infinity && !(leastDelta(want, 2 * mu, after.upper) <= delta * (1 + 1e-6))) return { what: `asked again with a kind of the same name that knows twice the shift, it bounds ε(${delta}) by ${after.upper}, after ${before}`, measured: after.upper, input: event };
  for (const [what, ask] of [
    ['without its kind', () => plugin.delta(event, query)], ['at a version that the kind does not have', () => plugin.delta({ ...event, v: 2 }, { ...query, kinds })],
    ['nested, without its kind', () => plugin.delta(composedEvent([event]), query)],
  ] as const) {
    const refusal = unlessUnsupported(ask, event.kind);
    if (refusal) return { what: `${what}, ${refusal}`, input: event };
  }
  return undefined;
}

function unlessUnsupported(ask: () => Interval, name: string): string | undefined {
  try {
    return `the event is given ${ask().upper}; expected Unsupported`;
  } catch (error) {
    if (!(error instanceof Unsupported)) return `it throws ${String(error)}; expected Unsupported`;
    return error.message.includes(name) ? undefined : `the message does not name '${name}': ${error.message}`;
  }
}

export const pluginKinds = defineLaw<'accountant'>({
  id: 'accountant/kinds', kind: 'accountant', tier: 'search',
  statement: 'events of a kind given in `kinds` are added up like those of core: n of them cost what their list costs, n-fold ρ costs what ρ·n costs, and two of a kind in parallel cost one',
  power: `any price off by 1e-6 on 1 of 15 events; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    const probes = plugin.wants.map((want) => ({ want, probe: probeOf(want) }));
    return forAll(fc.record({ which: fc.nat(9), mu: tenTo(-1.5, 0), n: fc.integer({ min: 2, max: 30 }), delta: deltas }), ({ which, mu, n, delta }) => {
      const { want, probe: { kind, event } } = probes[which % probes.length]!;
      const answerTo = (e: PrivacyEvent): Interval | undefined => epsilonOf(plugin, e, { adjacency: cell.adjacency!, delta, kinds: [kind] });
      const first = answerTo(repeatedEvent(event(mu), n)), counted = first?.upper;
      const others: readonly (readonly [string, PrivacyEvent])[] = [['listed', composedEvent(Array.from({ length: n }, () => event(mu)))], ...(want === 'zcdp' || want === 'gdp' || want === 'rdp' ? [['as one of √n times the shift', event(mu * Math.sqrt(n))] as const] : [])];
      for (const [name, other] of others) {
        const answer = answerTo(other), price = answer?.upper;
        if ((price === undefined) !== (counted === undefined) || (price !== undefined && !near(price, counted!, widthOf(answer, first)))) return { what: `${n} of them cost ε = ${counted}, ${name} ε = ${price}, at δ = ${delta}`, input: other, ...(price === undefined ? {} : { measured: price }) };
      }
      return undefined;
    }, { runs: runsFor(plugin, 12) });
  },
});

export const knowledge = defineLaw<'accountant'>({
  id: 'accountant/knowledge', kind: 'accountant', tier: 'search',
  statement: 'where core knows of an event any characterisation that the accountant wants, it answers',
  power: `certain for a kind of event that is refused without need; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => forAll(fc.record({ event: fc.oneof(events, fc.constantFrom(...samples)) }), ({ event }) => {
    const adjacency: Adjacency = cell.adjacency!;
    if (deltaOf(plugin, event, { adjacency, epsilon: 1 }) !== undefined) return undefined;
    const known = plugin.wants.find((want) => {
      try { createResolver()(parseEvent(event), want, adjacency); return true; } catch (error) {
        if (error instanceof Unsupported || error instanceof InvalidParameter) return false;
        throw error;
      }
    });
    return known === undefined ? undefined : { what: `core knows its ${known} under ${adjacency}, which the accountant wants, and the event is refused`, input: event };
  }, { runs: runsFor(plugin, 30), examples: samples.map((event) => ({ event })) }),
});
