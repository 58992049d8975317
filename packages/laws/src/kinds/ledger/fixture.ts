import {
  BudgetExceeded,
  composedEvent,
  memoryStore,
  repeatedEvent,
  seededRandom,
  type Accountant,
  type PrivacyEvent,
  type Store,
} from '@lethe/core';
import type { Effect, Entry, Ledger, LedgerOptions, SlotRange } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { pureFilter } from './filters.js';
import { emptyModel, everything, addEntry, pureOf, slots, type Model } from './model.js';

/** One action on a ledger; numbers index the existing objects, modulo their number. */
export type Action =
  | {
      readonly do: 'charge';
      readonly run: number;
      readonly space: number;
      readonly from: number;
      readonly length: number;
      readonly scale: number;
    }
  | {
      readonly do: 'open a partition';
      readonly run: number;
      readonly space: number;
      readonly from: number;
      readonly length: number;
      readonly rate: number | null;
    }
  | { readonly do: 'close a partition' | 'note'; readonly run: number; readonly space: number }
  | { readonly do: 'end'; readonly run: number }
  | { readonly do: 'reopen' };

const run = fc.nat(2);
const which = fc.nat(3);
const from = fc.nat(slots - 1);
const length = fc.integer({ min: 1, max: slots });
export const actions: Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('charge' as const),
        run,
        space: which,
        from,
        length,
        scale: fc.constantFrom(1, 2, 4),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('open a partition' as const),
        run,
        space: which,
        from,
        length,
        rate: fc.constantFrom(0.5, 0.1, null),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('close a partition' as const, 'note' as const),
        run,
        space: which,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), run }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
  ),
  { minLength: 1, maxLength: 14 },
);

/**
 * Two releases by one run on the same records, to be charged
 * twice; then on disjoint records, to be charged once.
 */
export const twoReleases: readonly Action[] = [
  { do: 'charge', run: 0, space: 0, from: 0, length: 8, scale: 2 },
  { do: 'charge', run: 0, space: 0, from: 0, length: 8, scale: 2 },
  { do: 'reopen' },
  { do: 'open a partition', run: 0, space: 0, from: 0, length: 8, rate: 0.5 },
  { do: 'charge', run: 0, space: 1, from: 0, length: 8, scale: 1 },
  { do: 'charge', run: 0, space: 1, from: 0, length: 8, scale: 1 },
  { do: 'close a partition', run: 0, space: 1 },
  { do: 'charge', run: 1, space: 0, from: 0, length: 4, scale: 1 },
  { do: 'charge', run: 1, space: 0, from: 4, length: 4, scale: 1 },
  { do: 'end', run: 0 },
  { do: 'reopen' },
];

/** A release in a draw from a range of a shuffle, while both are open. */
export const drawnWithin: readonly Action[] = [
  { do: 'open a partition', run: 0, space: 0, from: 0, length: 8, rate: null },
  { do: 'open a partition', run: 0, space: 1, from: 2, length: 4, rate: 0.5 },
  { do: 'charge', run: 0, space: 2, from: 0, length: 8, scale: 1 },
  { do: 'reopen' },
];

/**
 * The same release in draws by different samplers, the second from
 * a single slot; closed, so that only the folded cost remains.
 */
export const drawnTwice: readonly Action[] = [
  { do: 'open a partition', run: 0, space: 0, from: 0, length: 8, rate: 0.1 },
  { do: 'charge', run: 0, space: 1, from: 0, length: 8, scale: 1 },
  { do: 'close a partition', run: 0, space: 1 },
  { do: 'open a partition', run: 0, space: 0, from: 3, length: 1, rate: 0.5 },
  { do: 'charge', run: 0, space: 1, from: 0, length: 8, scale: 1 },
  { do: 'close a partition', run: 0, space: 1 },
  { do: 'reopen' },
];

const noises = new Map<number, PrivacyEvent>();
/**
 * Laplace noise: its ε and Rényi divergences are known. One frozen
 * object per scale, as curators charge equal events repeatedly.
 */
export function noise(scale: number): PrivacyEvent {
  const event =
    noises.get(scale) ??
    Object.freeze({ kind: 'core/laplace', v: 1, scale, sensitivity: Object.freeze({ 'zero-out': 1 }) });
  noises.set(scale, event);
  return event;
}
/** A digest like those of curators: 16 bytes in hexadecimal, different for every query. */
export const digestOf = (name: string, index: number): string =>
  Array.from(`${name}:${index} `.padEnd(16, name), (letter) =>
    letter.charCodeAt(0).toString(16).padStart(2, '0'),
  )
    .slice(0, 16)
    .join('');
export const nameOf = (index: number): string => `run-${index}`;
export const rootOf = (name: string) => seededRandom(`laws/${name}`);
export const keyOf = (bytes: Uint8Array): string => Array.from(bytes).join(',');
/** An accountant for pure differential privacy, without other packages, with a filter by the same sums. */
export const pureAccountant: Pick<Accountant, 'epsilon' | 'filter'> = {
  epsilon: (event) => {
    const upper = pureOf(event);
    return { lower: 0, upper, certificate: 'certified', method: 'pure', assumptions: [] };
  },
  filter: pureFilter(),
};

/** A ledger, its reference model, and its store. */
export interface Fixture {
  ledger: Ledger;
  readonly model: Model;
  readonly store: Store;
  readonly options: LedgerOptions;
}

export function newFixture({ open }: Subject<'ledger'>, options: Partial<LedgerOptions> = {}): Fixture {
  const store = memoryStore();
  const whole: LedgerOptions = { adjacency: 'zero-out', store, ...options };
  return { ledger: open(whole), model: emptyModel(), store, options: whole };
}

/** Opens the run in ledger and model, unless it is open. */
export function opened({ ledger, model }: Fixture, name: string): void {
  if (model.runs.has(name)) return;
  ledger.openRun(name, rootOf(name));
  model.runs.set(name, { entries: [], key: keyOf(rootOf(name).key()), ended: false });
}

/** The entry for an action; `undefined` if the action is impossible now, for example in an ended run. */
export function entryOf(
  { model }: Fixture,
  action: Exclude<Action, { do: 'end' | 'reopen' }>,
): Entry | undefined {
  const name = nameOf(action.run);
  const state = model.runs.get(name);
  if (state === undefined || state.ended) return undefined;
  const own = [
    everything,
    ...[...model.spaces].filter(([, { run: of, open }]) => of === name && open).map(([id]) => id),
  ];
  const chosen = own[action.space % own.length];
  const on = (): SlotRange => {
    const at = action as { from: number; length: number };
    return { space: chosen, from: at.from, to: Math.min(slots, at.from + at.length) };
  };
  const effect = (): Effect | undefined => {
    switch (action.do) {
      case 'charge':
        return { charge: { on: on(), event: noise(action.scale) } };
      case 'note':
        return {};
      case 'close a partition':
        return chosen === everything ? undefined : { closes: withBelow(model, chosen) };
      case 'open a partition':
        return {
          space: {
            id: `${name}/${state.entries.length}`,
            how: action.rate === null ? 'permutation' : 'sample',
            parent: 'everyone',
            within: on(),
            sampler: action.rate === null ? null : { kind: 'core/poisson', rate: action.rate },
            recipe: { by: 'permutation' },
          },
        };
    }
  };
  const what = effect();
  return (
    what && {
      run: name,
      index: state.entries.length,
      digest: digestOf(name, state.entries.length),
      effect: what,
    }
  );
}

/** A partition and all open ones nested in it, innermost first. */
function withBelow(model: Model, id: string): readonly string[] {
  const below = [...model.spaces]
    .filter(([, space]) => space.open && space.within.space === id)
    .flatMap(([child]) => withBelow(model, child));
  return [...below, id];
}

/** Performs all actions in turn and checks after each one. */
export function performAll(
  subject: Subject<'ledger'>,
  sequence: readonly Action[],
  look: (fixture: Fixture, after: string) => Violation | undefined,
  options: Partial<LedgerOptions> = {},
): Violation | undefined {
  const fixture = newFixture(subject, options);
  for (const [i, action] of sequence.entries()) {
    if (action.do === 'reopen') fixture.ledger = subject.open(fixture.options);
    else {
      opened(fixture, nameOf(action.run));
      if (action.do === 'end') end(fixture, nameOf(action.run));
      else {
        const entry = entryOf(fixture, action);
        if (entry === undefined) continue;
        fixture.ledger.append(entry);
        addEntry(fixture.model, entry);
      }
    }
    const violation = look(fixture, `after action ${i + 1} of ${sequence.length} (${action.do})`);
    if (violation) return violation;
  }
  return undefined;
}

export function end({ ledger, model }: Fixture, name: string): void {
  ledger.endRun(name);
  defined(model.runs.get(name)).ended = true;
  for (const space of model.spaces.values()) if (space.run === name) space.open = false;
}

/** Whether a ledger has room for releases of {@link noise}: whole ones, and perhaps a half. */
export function hasRoom(ledger: Ledger, units: number): boolean {
  const whole = Math.floor(units);
  try {
    ledger.assertAffordable(
      composedEvent([
        ...(whole === 0 ? [] : [repeatedEvent(noise(1), whole)]),
        ...(units === whole ? [] : [noise(2)]),
      ]),
    );
    return true;
  } catch (error) {
    if (error instanceof BudgetExceeded) return false;
    throw error;
  }
}
