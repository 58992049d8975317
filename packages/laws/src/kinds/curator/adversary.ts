import { memoryStore, repeatedEvent, type Adjacency, type PrivacyEvent, type Query } from '@lethe/core';
import { openLedger, type Ledger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { copyOf, hostile } from './hostile.js';
import { outcomeOf } from './outcomes.js';
import { release, unitsUnder, unitFixture, type Units } from './units.js';
import { openFixture, under, type Fixture } from './fixture.js';

type As = 'plain' | 'planned' | 'held';
/**
 * One action of an analyst: opens a run, sends a query that costs 1 / `scale` at its first reading and 1 /
 * `later` afterwards, ends a run, or crashes the process.
 */
type Action =
  | { readonly do: 'open'; readonly run: number; readonly as: As; readonly size: number }
  | {
      readonly do: 'ask';
      readonly run: number;
      readonly how: string;
      readonly scale: 1 | 2;
      readonly later: 1 | 2 | 1000;
    }
  | { readonly do: 'end'; readonly run: number }
  | { readonly do: 'crash' };
const run = fc.nat(2);
const actions = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('open' as const),
        run,
        as: fc.constantFrom<As>('plain', 'planned', 'held'),
        size: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        run,
        how: fc.constantFrom('honest', ...Object.keys(hostile)),
        scale: fc.constantFrom(1 as const, 2 as const),
        later: fc.constantFrom(1 as const, 2 as const, 1000 as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), run }) },
    { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
  ),
  { minLength: 3, maxLength: 16 },
);

const examples: readonly (readonly Action[])[] = [
  [
    { do: 'open', run: 0, as: 'planned', size: 2 },
    { do: 'ask', run: 0, how: 'accessors that count', scale: 1, later: 1000 },
    { do: 'crash' },
    { do: 'ask', run: 0, how: 'proxies that count', scale: 1, later: 2 },
    { do: 'ask', run: 0, how: 'honest', scale: 1, later: 1 },
    { do: 'open', run: 1, as: 'held', size: 3 },
    { do: 'open', run: 1, as: 'held', size: 2 },
    { do: 'ask', run: 1, how: 'honest', scale: 2, later: 2 },
    { do: 'crash' },
    { do: 'ask', run: 1, how: 'honest', scale: 1, later: 1 },
    { do: 'ask', run: 1, how: 'honest', scale: 1, later: 1 },
  ],
  [
    { do: 'open', run: 0, as: 'planned', size: 3 },
    { do: 'ask', run: 0, how: 'honest', scale: 1, later: 1 },
    { do: 'open', run: 1, as: 'held', size: 1 },
    { do: 'ask', run: 1, how: 'honest', scale: 2, later: 2 },
    { do: 'end', run: 0 },
    { do: 'end', run: 1 },
    { do: 'crash' },
  ],
];

const most = 4;
/** The model of a run in plain numbers, and its curator. */
interface Run {
  readonly as: As;
  readonly size: number;
  readonly scales: number[];
  ended: boolean;
  fixture: Fixture;
}
const charged = ({ scales }: Run): number => scales.reduce((sum, scale) => sum + 1 / scale, 0);
/** A plan that ends gives back what it did not use; a run that is held to a filter, where it used nothing. */
const committed = (one: Run): number => {
  const givesBack = one.ended && (one.as === 'planned' || one.scales.length === 0);
  return one.as === 'plain' || givesBack ? charged(one) : one.size;
};

export const adversary = defineLaw({
  id: 'curator/adversary',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-10',
  statement:
    'For any queries of several runs, also from objects that change while they are read, and any ' +
    'crashes, the answers, charges and remaining limit equal those of plain sums over the first readings.',
  power:
    'one answer too many or too few, or an error of 1e-9 in a charge or in the remaining limit, ' +
    'in 16 actions of three runs, on 1 of 40 sequences',
  cells: under('replace-one', 'add-remove'),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const units = unitsUnder(subject, adjacency);
    return env.forAll(actions, (sequence) => played(subject, adjacency, units, sequence), {
      runs: 25,
      examples,
    });
  },
});

function played(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  units: Units,
  sequence: readonly Action[],
): Violation | undefined {
  let store = memoryStore();
  const opened = (): Ledger => openLedger({ adjacency, store, limit: units.limit(most) });
  let ledger = opened();
  const runs = new Map<number, Run>();
  const fixtureOf = (index: number, as: As, size: number): Fixture => {
    const reservation = () => {
      if (as === 'planned')
        return {
          planned: {
            kind: 'core/compose',
            v: 1,
            parts: [{ event: units.event(), count: size }],
          } as PrivacyEvent,
        };
      return as === 'held' ? { held: units.held(size) } : {};
    };
    return openFixture(
      subject,
      unitFixture(adjacency, {
        ledger,
        run: `run-${index}`,
        randomness: `coins ${index}`,
        ...reservation(),
      }),
    );
  };
  for (const [i, action] of sequence.entries()) {
    const at = `action ${i + 1} of ${sequence.length} (${JSON.stringify(action)})`;
    if (action.do === 'crash') {
      store = memoryStore(store.read());
      ledger = opened();
      for (const [index, one] of runs) {
        one.fixture = fixtureOf(index, one.as, one.size);
        for (const scale of one.scales) {
          const again = outcomeOf(() => one.fixture.ask(release(one.fixture.allRecords, scale)));
          if ('refused' in again)
            return { what: `${at}: after the crash, replay of run ${index} fails: ${again.message}` };
        }
      }
    } else if (action.do === 'end') {
      const one = runs.get(action.run);
      if (one !== undefined) {
        ledger.endRun(`run-${action.run}`);
        one.ended = true;
      }
    } else if (action.do === 'open') {
      if (runs.has(action.run)) continue;
      const fits =
        action.as === 'plain' ||
        [...runs.values()].reduce((sum, one) => sum + committed(one), 0) + action.size <= most;
      const outcome = outcomeOf(() => fixtureOf(action.run, action.as, action.size));
      if ('value' in outcome !== fits)
        return { what: `${at}: a run is ${fits ? 'refused within the limit' : 'opened beyond the limit'}` };
      if ('value' in outcome)
        runs.set(action.run, {
          as: action.as,
          size: action.size,
          scales: [],
          ended: false,
          fixture: outcome.value,
        });
    } else {
      const violation = asked(runs, action, at);
      if (violation !== undefined) return violation;
    }
    const total = [...runs.values()].reduce(
      (sum, one) => sum + (one.as === 'held' ? committed(one) : charged(one)),
      0,
    );
    const left = most - [...runs.values()].reduce((sum, one) => sum + committed(one), 0);
    if (Math.abs(units.of(ledger.total()) - total) > 1e-9)
      return {
        what: `${at}: the total is ${units.of(ledger.total())} units; plain sums say ${total}`,
        measured: units.of(ledger.total()),
        allowed: total,
      };
    for (const [index, one] of runs) {
      const found = units.of(ledger.chargedBy(`run-${index}`));
      if (Math.abs(found - charged(one)) > 1e-9)
        return {
          what: `${at}: run ${index} is charged ${found} units; plain sums say ${charged(one)}`,
          measured: found,
          allowed: charged(one),
        };
    }
    // All that is left, and half a unit more: every cost is a number of halves.
    for (const halves of [2 * left, 2 * left + 1].filter((count) => count > 0)) {
      const fits = 'value' in outcomeOf(() => ledger.assertAffordable(repeatedEvent(units.event(2), halves)));
      if (fits !== halves <= 2 * left)
        return {
          what: `${at}: ${left} of ${most} units are left, and ${halves / 2} ${fits ? 'fit' : 'do not fit'}`,
        };
    }
  }
  return undefined;
}

/** Sends the query of an action and compares the outcome with plain sums. */
function asked(
  runs: ReadonlyMap<number, Run>,
  action: Extract<Action, { do: 'ask' }>,
  at: string,
): Violation | undefined {
  const one = runs.get(action.run);
  if (one === undefined) return undefined;
  const { fixture, as, size, scales, ended } = one;
  const first = release(fixture.allRecords, action.scale);
  const query = (
    action.how === 'honest'
      ? first
      : hostile[action.how](copyOf(first), copyOf(release(fixture.allRecords, action.later)))
  ) as Query;
  const others = [...runs.values()]
    .filter((each) => each !== one)
    .reduce((sum, each) => sum + committed(each), 0);
  const after = charged(one) + 1 / action.scale;
  const fitsOf = () => {
    if (as === 'plain') return others + after <= most;
    return as === 'held' ? after <= size : action.scale === 1 && scales.length < size;
  };
  const fits = !ended && fitsOf();
  const outcome = outcomeOf(() => fixture.ask<number>(query));
  if ('value' in outcome) scales.push(action.scale);
  if ('value' in outcome === fits) return undefined;
  return {
    what:
      `${at}: a query of ${1 / action.scale} units is ` +
      `${fits ? `refused: ${(outcome as { message: string }).message}` : 'answered'}`,
    measured: after,
    allowed: as === 'plain' ? most - others : size,
  };
}
