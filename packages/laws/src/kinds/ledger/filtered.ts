import { BudgetExceeded, canonicalEvent, composedEvent, InvalidParameter, LetheError, memoryStore, parallelEvent, repeatedEvent, sampledEvent, Unsupported, type FilterMaker, type Ledger, type Limit, type LedgerOptions, type PrivacyEvent } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { pureFilter, saying } from './filters.js';
import { equal, pureOf } from './model.js';
import { keyOf, noise, rootOf } from './scenes.js';

const charge = (index: number, event: PrivacyEvent) => ({ run: 'run-0', index, digest: 'd', effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event } } });
/** Ways of asking for an event in a ledger in which `answered` charges of run-0 are on record. */
const asks: Readonly<Record<string, (ledger: Ledger, event: PrivacyEvent, answered: number) => void>> = {
  'a charge': (ledger, event, answered) => { ledger.openRun('run-0', rootOf('run-0')); ledger.append(charge(answered, event)); },
  'a plan': (ledger, event) => { ledger.openRun('run-1', rootOf('run-1'), { planned: event }); },
  'a question about a plan': (ledger, event) => ledger.assertAffordable(event),
};
const outcome = (ask: () => void): LetheError | undefined => {
  try { ask(); return undefined; } catch (error) { if (error instanceof LetheError) return error; throw error; }
};
const refusing: FilterMaker = (request) => ({ ...pureFilter('laws/refusing')(request), admits: () => false });

/** A ledger under this limit, with so many charges of a thousandth on record, which neither accountant nor filter are asked about. */
function begun(subject: Subject<'ledger'>, answered: number, limit: Limit, reopened: boolean): { readonly ledger: Ledger; readonly bytes: () => string } {
  const store = memoryStore(), options: LedgerOptions = { adjacency: 'zero-out', store };
  const before = subject.open(options);
  if (answered > 0) before.openRun('run-0', rootOf('run-0'));
  for (let i = 0; i < answered; i++) before.append(charge(i, noise(1000)));
  const open = (): Ledger => subject.open({ ...options, limit });
  if (reopened) open();
  return { ledger: open(), bytes: () => keyOf(store.read()) };
}

const filterDecides = defineLaw<'ledger'>({
  id: 'ledger/filter-decides', kind: 'ledger', tier: 'exact',
  statement: 'once anything was answered the filter alone decides: what it refuses stays out whatever the accountant certifies, what it admits goes in whatever the accountant says; an event that it cannot add up is Unsupported, with nothing written',
  power: 'certain, for charges, plans and questions about plans, in the ledger that answered and in one that is opened again',
  check: (subject) => {
    let tried = 0;
    for (const [what, ask] of Object.entries(asks)) for (const reopened of [false, true]) for (const answered of [1, 2]) {
      tried += 3;
      const generous = begun(subject, answered, { epsilon: 1, delta: 0, accountant: { ...saying(0), filter: refusing } }, reopened), before = generous.bytes();
      const stern = begun(subject, answered, { epsilon: 1, delta: 0, accountant: { ...saying(Infinity), filter: pureFilter() } }, reopened);
      const puzzled = begun(subject, answered, { epsilon: 1, delta: 0, accountant: saying(0), filter: (request) => ({ ...pureFilter()(request), admits: () => { throw new Unsupported('no sum', {}); } }) }, reopened), unread = puzzled.bytes();
      const refused = outcome(() => ask(generous.ledger, noise(2), answered));
      if (!(refused instanceof BudgetExceeded)) return judge(tried, { what: `${what} that the filter refuses is ${refused === undefined ? 'let in' : `refused as ${String(refused)}`} after ${answered} answers, as the accountant certifies its cost at 0` });
      if (generous.bytes() !== before) return judge(tried, { what: `${what} that the filter refuses was written all the same` });
      const admitted = outcome(() => ask(stern.ledger, noise(2), answered));
      if (admitted !== undefined) return judge(tried, { what: `${what} that the filter admits is refused after ${answered} answers: ${admitted.message}` });
      const unknown = outcome(() => ask(puzzled.ledger, noise(2), answered));
      if (!(unknown instanceof Unsupported) || puzzled.bytes() !== unread) return judge(tried, { what: `${what} that the filter cannot add up is ${unknown === undefined ? 'let in' : `refused as ${String(unknown)}`}; expected Unsupported and nothing written` });
    }
    return judge(tried, undefined);
  },
});

const certified = defineLaw<'ledger'>({
  id: 'ledger/certified', kind: 'ledger', tier: 'exact',
  statement: 'before anything was answered, what the filter refuses goes in by a certified upper end within the limit and by nothing else: an accountant that only estimates, gives NaN or refuses lets nothing in and nothing be written',
  power: 'certain',
  check: (subject) => {
    const answers: readonly (readonly [string, Limit['accountant']])[] = [
      ['an estimate', saying(0, 'estimate')], ['NaN', saying(NaN)], ['a wide interval', saying(2)],
      ['that the accountant refuses', { epsilon: () => { throw new Unsupported('no answer', {}); } }],
    ];
    let tried = 0;
    for (const [what, ask] of Object.entries(asks)) {
      for (const [known, accountant] of answers) {
        tried++;
        const { ledger, bytes } = begun(subject, 0, { epsilon: 1, delta: 0, accountant, filter: refusing }, false);
        if (what === 'a charge') ledger.openRun('run-0', rootOf('run-0'));
        const before = bytes();
        if (outcome(() => ask(ledger, noise(1), 0)) === undefined) return judge(tried, { what: `${what} is accepted although the filter refuses it and all that is known of its cost is ${known}` });
        if (bytes() !== before || !equal(pureOf(ledger.total()), 0)) return judge(tried, { what: `${what} of which only ${known} is known was refused, and written all the same` });
      }
      const { ledger } = begun(subject, 0, { epsilon: 1, delta: 0, accountant: saying(1), filter: refusing }, true);
      const first = outcome(() => ask(ledger, noise(1), 0));
      if (first !== undefined) return judge(tried, { what: `${what}, fixed before anything was answered and certified at ε = 1 of 1, is refused: ${first.message}` });
    }
    return judge(tried, undefined);
  },
});

const leaf = fc.constantFrom(1, 2, 4).map(noise);
const { event: trees } = fc.letrec<{ event: PrivacyEvent }>((tie) => ({
  event: fc.oneof({ depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('event'), { minLength: 1, maxLength: 3 }).map(parallelEvent),
    fc.array(tie('event'), { minLength: 1, maxLength: 3 }).map(composedEvent),
    fc.tuple(tie('event'), fc.integer({ min: 1, max: 3 })).map(([event, count]) => repeatedEvent(event, count)),
    tie('event').map((event) => sampledEvent({ kind: 'core/poisson', rate: 0.5 }, event)),
    tie('event').map((event) => ({ kind: 'core/failing', v: 1, delta: 0, event }) as PrivacyEvent),
    tie('event').map((base) => ({ kind: 'core/selection', v: 1, base, stopProbability: 0.5, cap: 2 }) as PrivacyEvent)),
})) as { event: Arbitrary<PrivacyEvent> };

interface Tree { readonly kind: string; readonly event?: Tree; readonly base?: Tree; readonly parts?: readonly Tree[]; readonly count?: number }
/** Every way from the event inwards: `c` for something done more than once, `p` for a choice among so many parts. */
function* waysInto(tree: Tree, distinct: boolean, way = ''): Generator<string> {
  const { kind, parts = [], event, base } = tree;
  if (kind === 'core/compose') {
    const repeats = parts.length > 1 || parts.some(({ count }) => count! > 1);
    for (const part of parts) yield* waysInto(part.event!, distinct, repeats ? `${way}c` : way);
  } else if (kind === 'core/parallel') {
    const many = (distinct ? new Set(parts.map((part) => canonicalEvent(part as never))).size : parts.length) > 1;
    for (const part of parts) yield* waysInto(part, distinct, many ? `${way}p` : way);
  } else if (base !== undefined) yield* waysInto(base, distinct, `${way}c`);
  else if (event !== undefined) yield* waysInto(event, distinct, way);
  else yield way;
}
const choosesInside = (event: PrivacyEvent, distinct: boolean): boolean => [...waysInto(JSON.parse(canonicalEvent(event)) as Tree, distinct)].some((way) => /c.*p/u.test(way));

const two = parallelEvent([noise(1), noise(2)]);

const fixedInAdvance = defineLaw<'ledger'>({
  id: 'ledger/fixed-in-advance', kind: 'ledger', tier: 'search',
  statement: 'an event in which different alternatives in parallel are part of a composition may be chosen among by an answer: it is never taken for fixed in advance, so that only the filter lets it in; every other event is, as long as nothing was answered',
  power: 'any alternative below two levels of composition, parallel parts, samples, failures or selections, on 1 of 100 events',
  check: (subject, { forAll }) => forAll(fc.record({ event: trees, what: fc.constantFrom(...Object.keys(asks)) }), ({ event, what }): Violation | undefined => {
    const { ledger } = begun(subject, 0, { epsilon: 1, delta: 0, accountant: saying(0), filter: refusing }, false);
    const refused = outcome(() => asks[what]!(ledger, event, 0));
    if (refused === undefined && choosesInside(event, true)) return { what: `${what} goes in by the accountant alone although an answer may choose among its alternatives`, input: event };
    return refused === undefined || choosesInside(event, false) ? undefined : { what: `${what} that leaves nothing to choose, before anything was answered and certified at 0, is refused: ${refused.message}`, input: event };
  }, { runs: 80, examples: Object.keys(asks).flatMap((what) => [repeatedEvent(two, 2), composedEvent([two, noise(4)]), sampledEvent({ kind: 'core/poisson', rate: 0.5 }, repeatedEvent(two, 2)), two, parallelEvent([repeatedEvent(noise(1), 2), noise(2)])].map((event) => ({ event, what }))) }),
});

/** A filter that has room for as many units as the limit's δ has thousandths, whatever its ε; another rule for each name. */
const byDelta = (rule: string): FilterMaker => ({ epsilon, delta }) => {
  const most = 1 + Math.round(delta * 1000);
  return { ...pureFilter(rule)({ epsilon, delta, adjacency: 'zero-out' }), spec: { rule, most }, admits: (event) => pureOf(event) <= most * (1 + 1e-9), share: (event) => pureOf(event) / most };
};
/** Room for more the less δ is: a tighter limit lets more in. */
const contrary: FilterMaker = (request) => ({ ...byDelta('laws/contrary')({ ...request, delta: 0.01 - request.delta }) });
const unitsIn = (ledger: Ledger): number => {
  let units = 0;
  while (units < 20 && outcome(() => ledger.assertAffordable(repeatedEvent(noise(1), units + 1))) === undefined) units++;
  return units;
};

const filterKept = defineLaw<'ledger'>({
  id: 'ledger/filter-kept', kind: 'ledger', tier: 'exact',
  statement: 'a stored filter stays: another rule or other parameters for a limit in force are InvalidParameter, also with raiseLimit where the limit is not looser, and also for an older limit that a tighter one was added to; both decide then. Only a looser limit, with raiseLimit, takes the place of those before',
  power: 'certain',
  check: ({ open }) => {
    const stern = saying(Infinity), given = (store: LedgerOptions['store'], delta: number, filter: FilterMaker, raiseLimit = false): LedgerOptions => ({ adjacency: 'zero-out', store: store!, raiseLimit, limit: { epsilon: 4, delta, accountant: stern, filter } });
    const refusedAs = (options: LedgerOptions): string => { const error = outcome(() => { open(options); }); return error instanceof InvalidParameter ? '' : error === undefined ? 'accepted' : String(error); };
    const found: string[] = [];
    const want = (what: string, said: string): void => { if (said !== '') found.push(`${what}: ${said}`); };
    const store = memoryStore();
    open(given(store, 0.003, byDelta('laws/by-delta')));
    for (const raise of [false, true]) want(`another rule for the same limit${raise ? ' with raiseLimit' : ''}`, refusedAs(given(store, 0.003, byDelta('laws/another'), raise)));
    want('a tighter limit with another rule, to which the older is not made again', refusedAs(given(store, 0.001, byDelta('laws/another'))));
    want('the same limit with its own rule', outcome(() => { open(given(store, 0.003, byDelta('laws/by-delta'))); })?.message ?? '');
    const both = memoryStore();
    open(given(both, 0.008, contrary));
    for (const again of [1, 2]) {
      const units = unitsIn(open(given(both, 0.002, contrary)));
      want(`units within a limit and one that was added to it, opened ${again} times`, units === 3 ? '' : `${units}; expected the 3 of the older`);
    }
    want('an older limit with another rule', refusedAs(given(both, 0.002, (request) => (request.delta === 0.002 ? contrary(request) : byDelta('laws/another')(request)))));
    want('the looser limit without raiseLimit', refusedAs(given(both, 0.008, contrary)));
    const raised = outcome(() => { open(given(both, 0.009, byDelta('laws/another'), true)); });
    want('a looser limit with raiseLimit and a rule of its own', raised?.message ?? '');
    const units = unitsIn(open(given(both, 0.009, byDelta('laws/another'))));
    want('units within the limit that took the place of those before', units === 10 ? '' : `${units}; expected 10`);
    return judge(9, found.length === 0 ? undefined : { what: found[0]! });
  },
});

/** All laws of filters. */
export const filterLaws = [filterDecides, certified, fixedInAdvance, filterKept] as const;
