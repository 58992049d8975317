import {
  clippedMeanEvent, memoryStore, openLedger, repeatedEvent, type Adjacency, type ErrorCode, type FilterMaker,
  type Interval, type Limit, type PrivacyEvent, type Query, type Vector,
} from '@lethe/core';
import { resolveEvent } from '@lethe/accountants';
import type { Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, unlessRefused } from './outcomes.js';
import { meanOf, multiplier, probesUnder } from './probes.js';
import type { Deed } from './stand-ins/index.js';
import { openWorld, underEach, type World, type WorldOptions } from './world.js';

const at = new Float64Array(3);
const rows: Data = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const mean = (world: World): Query => meanOf(world.allRecords, 'gaussian', { at });

/** Releases of the probes that an event holds: μ² in units of one release, which adds up whatever is asked next. */
const releasesIn = (event: PrivacyEvent, adjacency: Adjacency): number => (event.kind === 'core/free' ? 0 : resolveEvent(event, 'gdp', { adjacency }).mu ** 2 * multiplier ** 2);
/** A filter that has room for so many releases as its ε says, less `above`. */
const countingFilter = (above = 0): FilterMaker => ({ epsilon, delta, adjacency }) => {
  const taken = (event: PrivacyEvent): number => releasesIn(event, adjacency) * (1 - 1e-12) + above;
  return {
    rule: 'laws/counting', spec: { rule: 'laws/counting', epsilon, delta, above }, limit: { kind: 'core/filtered', v: 1, limit: repeatedEvent(clippedMeanEvent(multiplier, adjacency), Math.max(1, Math.floor(epsilon))) } as PrivacyEvent,
    admits: (event) => taken(event) <= epsilon, share: (event) => taken(event) / epsilon,
  };
};
/** Counts releases: ε is their number, and `upper` is `above` more. Its filter counts the same. */
const counting = (above = 0): Limit['accountant'] => ({
  epsilon(event: PrivacyEvent, { adjacency }: { readonly adjacency: Adjacency }): Interval {
    const count = releasesIn(event, adjacency);
    return { lower: 0, estimate: count, upper: count * (1 + 1e-12) + above, certificate: 'certified', method: 'counting', assumptions: [] };
  },
  filter: countingFilter(above),
});
const limitOf = (count: number, above = 0): Limit => ({ epsilon: count + 0.5, delta: 0, accountant: counting(above) });

export const limit = defineLaw({
  id: 'curator/limit',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement: 'The limit of a data set is checked before a record is read: a query that would pass it is refused with nothing written, drawn or released, whichever run asks; the refusal depends on public values only, and what was paid for may still be asked again.',
  power: 'any release beyond the limit, any deed before the refusal, any limit that starts anew with a run',
  cells: underEach,
  check: (subject, env) => firstOf(limited(subject, env.cell.adjacency!)),
});

function* limited(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const messages = new Set<string>();
  for (const data of [rows, [[9, 9, 9], [1e12, 0, 0], [0, 0, 0]]]) {
    const deeds: Deed[] = [];
    const options: WorldOptions = { rows: data, adjacency, watch: (deed) => { deeds.push(deed); } };
    const ledger = openLedger({ adjacency, limit: limitOf(3) });
    const first = openWorld(subject, { ...options, ledger, run: 'a' }), second = openWorld(subject, { ...options, ledger, run: 'b' });
    for (const world of [first, second, first]) {
      const paid = outcomeOf(() => world.ask<Vector>(mean(world)));
      if ('refused' in paid) { yield { what: `a release within the limit is refused: ${paid.message}` }; return; }
    }
    const third = openWorld(subject, { ...options, ledger, run: 'c' });
    for (const [run, world] of [['a', first], ['b', second], ['c, which was opened when all was spent', third]] as const) {
      const before = [ledger.total(), world.curator.recorded()];
      deeds.length = 0;
      const refused = outcomeOf(() => world.ask(mean(world)));
      if ('value' in refused) { yield { what: `run ${run} gets a fourth release where the data set's limit is three`, measured: 4, allowed: 3 }; continue; }
      yield refused.refused === 'budget-exceeded' ? undefined : { what: `a release beyond the limit is refused as ${refused.message}; it exceeds the budget` };
      messages.add(`${run}: ${refused.message}`);
      yield deeds.length === 0 ? undefined : { what: `a query beyond the limit ${deeds[0]!.did === 'read' ? 'reads records' : 'draws noise'} before it is refused` };
      yield JSON.stringify(before) === JSON.stringify([ledger.total(), world.curator.recorded()]) ? undefined : { what: 'a query that was refused by the limit changed the ledger' };
    }
    yield unlessRefused('a run planned to cost more than is left', () => openWorld(subject, { ...options, ledger, run: 'd', planned: clippedMeanEvent(multiplier, adjacency) }).allRecords, ['budget-exceeded']);
    yield ledger.runs().includes('d') ? { what: 'a run whose plan was refused stands in the ledger' } : undefined;
    const fresh = openLedger({ adjacency, limit: limitOf(3) });
    const affordable = outcomeOf(() => openWorld(subject, { ...options, ledger: fresh, planned: repeatedEvent(clippedMeanEvent(multiplier, adjacency), 3) }).allRecords);
    yield 'refused' in affordable ? { what: `a plan within the limit is refused: ${affordable.message}` } : undefined;
  }
  yield messages.size === 3 ? undefined : { what: 'the refusal is not the same on other records', witness: [...messages].join(' | ') };
  const store = memoryStore();
  const paid = openWorld(subject, { rows, adjacency, store, limit: limitOf(1) });
  const answer = paid.ask<Vector>(mean(paid));
  const again = openWorld(subject, { rows, adjacency, store, limit: limitOf(1) });
  const repeated = outcomeOf(() => again.ask<Vector>(mean(again)));
  yield 'value' in repeated && repeated.value.join() === answer.join() ? undefined : { what: 'a query that was paid for is not answered again once all is spent' };
  for (const probe of probesUnder(adjacency)) {
    const deeds: Deed[] = [];
    const world = openWorld(subject, { ...probe.world, rows, adjacency, limit: limitOf(0, 1), labels: rows.map((row) => probe.label?.(row!) ?? 0), watch: (deed) => { deeds.push(deed); } });
    deeds.length = 0;
    const asked = outcomeOf(() => probe.release(world, 'gaussian'));
    // A scope whose costs nobody states is refused before it is compared with anything.
    const codes: readonly (ErrorCode | 'untyped')[] = probe.name.includes('draw of') ? ['budget-exceeded', 'unsupported'] : ['budget-exceeded'];
    yield 'refused' in asked && codes.includes(asked.refused) && deeds.length === 0 ? undefined : { what: `"${probe.name}" is ${'refused' in asked ? `refused (${asked.refused}) after ${deeds.length} readings or draws` : 'answered'} where nothing may be spent` };
  }
}

export const limitByUpper = defineLaw({
  id: 'curator/limit-by-upper',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-10',
  statement: 'What the filter of a limit refuses is let in by the certified upper end of its cost alone, and only before anything was answered: neither a lower end nor an estimate lets a query or a plan pass, and no accountant once something was.',
  power: 'any release or plan let through by a lower end or an estimate, or by any accountant after a first answer',
  cells: underEach,
  check: (subject, env) => firstOf(upper(subject, env.cell.adjacency!)),
});

function* upper(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const options: WorldOptions = { rows, adjacency, limit: limitOf(5, 10) };
  yield unlessRefused('a release whose cost is estimated at 1 and certified at 11, where 5.5 may be spent', () => { const world = openWorld(subject, options); return world.ask(mean(world)); }, ['budget-exceeded']);
  yield unlessRefused('a plan whose cost is estimated at 1 and certified at 11, where 5.5 may be spent', () => openWorld(subject, { ...options, planned: clippedMeanEvent(multiplier, adjacency) }).allRecords, ['budget-exceeded']);
  const exact = (): World => openWorld(subject, { rows, adjacency, limit: { epsilon: 1.5, delta: 0, accountant: { ...counting(), filter: countingFilter(1) } } });
  const first = exact();
  const fixed = outcomeOf(() => first.ask(mean(first)));
  yield 'refused' in fixed ? { what: `a first release, certified at 1 of 1.5, is refused: ${fixed.message}` } : undefined;
  const free: Limit['accountant'] = { epsilon: () => ({ lower: 0, upper: 0, certificate: 'certified', method: 'nothing', assumptions: [] }), filter: countingFilter() };
  const ledger = openLedger({ adjacency, limit: { epsilon: 1.5, delta: 0, accountant: free } });
  for (const [which, run] of [['second', 'a'], ['third', 'b']] as const) {
    const world = openWorld(subject, { rows, adjacency, ledger, run });
    if (run === 'a') world.ask(mean(world));
    yield unlessRefused(`a ${which} release where the filter has room for one, by an accountant that certifies it at 0`, () => world.ask(mean(world)), ['budget-exceeded']);
  }
  yield unlessRefused('a plan where the filter has no room, by an accountant that certifies it at 0', () => openWorld(subject, { rows, adjacency, ledger, run: 'c', planned: clippedMeanEvent(multiplier, adjacency) }).allRecords, ['budget-exceeded']);
}
