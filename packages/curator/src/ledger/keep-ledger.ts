import { adjacencySchema, composedEvent, normalEvent, type PrivacyEvent } from '@lethe/core';
import { rememberForm } from '@lethe/core/internal';
import {
  Corrupt,
  defined,
  InvalidParameter,
  ownCopy,
  parseOrThrow,
  type RandomSource,
  sameBytes,
} from '@lethe/numerics';
import { createBook, type Book } from './book.js';
import type { Header, Line } from './check-line.js';
import type { Ledger, LedgerOptions, Reservation, RunRecord } from './contract.js';
import { digestBytes, type Digests } from './digests.js';
import type { Effect, Entry } from './effect.js';
import { keepLimits, type Limit, type StoredLimit } from './limits.js';
import { createLivePartitions, type LivePartitions } from './live-partitions.js';
import { assertEffect } from './assert-effect.js';
import { sameValue } from './moved.js';
import {
  assertRoom,
  hasRoom,
  isHeld,
  isReleasable,
  recognised,
  requestedReservation,
  trialOf,
  type Reserved,
} from './reservations.js';
import { createTally, rootPartition, type Tally } from './tally.js';

/** What this release writes. */
export const version = 2;
/** Version 1 stores every step separately. */
const oldest = 1;

/** What a ledger knows of one run. */
export interface RunState {
  readonly random: RandomSource;
  readonly book: Book;
  ended: boolean;
  /** The run has ended and released what it set aside and did not use. */
  free: boolean;
  readonly spaces: LivePartitions;
  /** The run's own charges. */
  readonly own: Tally;
  /** Those that its charges are added to. */
  tallies: readonly Tally[];
  reserved: Reserved | null;
  /** Event of the last charge; equal charges share the object. */
  lastEvent: PrivacyEvent | null;
  readonly uses: Map<string, string>;
}

/** What a ledger is made of, beside its sums. */
export interface Kept {
  header: Header | undefined;
  data: DataLine | undefined;
  readonly states: Map<string, RunState>;
  readonly limits: StoredLimit[];
  isAnswered: boolean;
}

/** The data that a ledger belongs to. */
interface DataLine {
  readonly fingerprint: Uint8Array;
  readonly unit: 'record' | 'owner';
  /** Whether the ledger was begun since ledgers name their unit. */
  readonly namesUnit: boolean;
  /** Whether the fingerprint of records is one of sums. */
  readonly isBySums: boolean;
}

/** What takes in the lines of a ledger that is on record. */
export interface Replayed {
  readonly kept: Kept;
  newRun(run: string, random: RandomSource): RunState;
  state(run: string): RunState;
  assertNext(entry: Pick<Entry, 'run' | 'index'>): void;
  assertOwn(run: string, effects: readonly Effect[]): void;
  applied(run: string, effect: Effect): void;
  finish(run: string, free: boolean): void;
  reserve(run: string, reserved: Reserved): void;
}

/** Where the lines of a ledger are, beside its memory. */
export interface Lines {
  /** Takes in all that is on record, once. */
  replay(ledger: Replayed): void;
  append(line: Line): void;
  /** The digests of a run, as they are on record. */
  digestsOf(run: string): Digests;
  /** Stores equal steps once, where that pays. @param counted - Queries in steps that memory stores once. */
  compactOn(when: 'occasion' | 'growth', kept: Kept, counted: () => number): void;
}

/**
 * A ledger, whose lines are also kept elsewhere, if `open` is given, which opens that place.
 *
 * @throws {Corrupt} when the lines are not those of a ledger.
 * @throws {InvalidParameter} when its adjacency differs or its limit is tighter, or an option is not valid.
 */
export function keepLedger(options: Omit<LedgerOptions, 'store'>, open: (() => Lines) | null): Ledger {
  const { adjacency, limit: given, raiseLimit = false } = options;
  parseOrThrow(adjacencySchema, adjacency, 'the adjacency of the ledger');
  const limit: Limit | undefined = given === undefined ? undefined : Object.freeze({ ...given });
  const lines = open === null ? null : open();
  // Charges of all runs except runs with a filter, which count with the filter's limit.
  const tally = createTally();
  const states = new Map<string, RunState>();
  const kept: Kept = { header: undefined, data: undefined, states, limits: [], isAnswered: false };

  const write = (line: Line): void => lines?.append(line);
  const state = (run: string): RunState => {
    const found = states.get(run);
    if (found === undefined) throw new Corrupt(`the ledger has no run '${run}'; open it first`, { run });
    return found;
  };
  const assertNext = ({ run, index }: Pick<Entry, 'run' | 'index'>): void => {
    const {
      book: { length },
      ended,
    } = state(run);
    // Its reservation may have been released to other runs.
    if (ended) throw new Corrupt(`run '${run}' has ended; start a new run`, { run });
    if (index !== length)
      throw new Corrupt(`query ${index} of run '${run}' follows query ${length - 1}`, { run, index });
  };
  const assertOwn = (run: string, effects: readonly Effect[]): void => {
    const { spaces } = state(run);
    const assertOpen = (id: string): void => {
      if (id === rootPartition || spaces.has(id) || effects.some(({ space }) => space?.id === id)) return;
      throw new Corrupt(`run '${run}' names partition '${id}', which is not open in this run`, {
        run,
        space: id,
      });
    };
    for (const { charge, space, closes } of effects) {
      closes?.forEach(assertOpen);
      if (space !== undefined) assertOpen(space.within.space);
      if (charge !== undefined) assertOpen(charge.on.space);
    }
  };
  const applied = (run: string, effect: Effect): void => {
    const known = state(run);
    const { spaces } = known;
    for (const one of known.tallies) one.apply(effect);
    for (const id of effect.closes ?? []) spaces.close(id);
    if (effect.space !== undefined) spaces.open(effect.space);
    kept.isAnswered ||= effect.charge !== undefined;
  };
  const finish = (run: string, free: boolean): void => {
    const known = state(run);
    known.ended = true;
    known.free = free;
    known.book.bar();
    for (const one of known.tallies) one.settle(known.spaces.innermostFirst());
    known.spaces.clear();
  };
  const newRun = (run: string, random: RandomSource): RunState => {
    const find = lines && (() => lines.digestsOf(run));
    const own = createTally();
    return {
      random,
      book: createBook({ run, ...(find && { find }) }),
      ended: false,
      free: false,
      spaces: createLivePartitions(),
      own,
      tallies: [own, tally],
      reserved: null,
      lastEvent: null,
      uses: new Map(),
    };
  };
  /** A planned reservation also covers earlier charges of the run, left by a crash or an older version. */
  const reserve = (run: string, reserved: Reserved): void => {
    const known = state(run);
    if (known.reserved !== null || (isHeld(reserved) && known.book.length > 0))
      throw new Corrupt(
        `the ledger has a second reservation of run '${run}', or one after its first query; restore a copy`,
        { run },
      );
    known.reserved = reserved;
    if (isHeld(reserved)) known.tallies = [known.own];
  };
  lines?.replay({ kept, newRun, state, assertNext, assertOwn, applied, finish, reserve });
  const { header } = kept;
  if (header === undefined) {
    kept.header = { t: 'ledger', v: version, adjacency, key: freshKey() };
    write(kept.header);
  } else if (header.v < oldest || header.v > version) {
    throw new Corrupt(
      `the ledger has version ${header.v}; this release reads versions ${oldest} to ${version}`,
      { version: header.v },
    );
  } else if (header.adjacency !== adjacency) {
    throw new InvalidParameter(
      `the ledger was kept under ${header.adjacency}; it cannot go on under ${adjacency}`,
      { kept: header.adjacency, asked: adjacency },
    );
  }
  const { key } = defined(kept.header);
  const keeper = keepLimits(kept.limits, limit, raiseLimit, adjacency);
  if (keeper?.fresh) write({ t: 'limit', ...keeper.fresh });

  /** The event that counts against the limit: the reservation of a run, or else its charges. */
  const counts = ({ own, reserved, free }: RunState): PrivacyEvent =>
    reserved === null || free ? own.total() : reserved.event;
  /** What the runs that have ended count; `null` until it is asked for. */
  let past: PrivacyEvent | null = null;
  const added = (events: readonly PrivacyEvent[]): PrivacyEvent => {
    const sum = ownCopy(normalEvent(composedEvent(events)));
    rememberForm(sum);
    return sum;
  };
  const committed = (but?: RunState): PrivacyEvent[] => {
    const others = [...states.values()].filter((one) => one !== but);
    if (but?.ended === true) return others.map(counts);
    past ??= added(others.filter(({ ended }) => ended).map(counts));
    return [past, ...others.filter(({ ended }) => !ended).map(counts)];
  };
  /**
   * Whether a reservation can be released: before the first answer, or if the filters admit all commitments.
   * A commitment that only the accountant admitted was certified as fixed in advance and is not released.
   */
  const canGiveBack = (): boolean =>
    !kept.isAnswered || keeper === null || keeper.admits(normalEvent(composedEvent(committed())));
  const assertWithin = (events: readonly PrivacyEvent[], asked: PrivacyEvent): void =>
    keeper?.assertWithin(normalEvent(composedEvent([...events, asked])), asked, !kept.isAnswered, total);
  const total = (): PrivacyEvent => {
    const limits = [...states.values()].flatMap(({ reserved, free }) =>
      isHeld(reserved) && !free ? [reserved.event] : [],
    );
    return limits.length === 0 ? tally.total() : normalEvent(composedEvent([tally.total(), ...limits]));
  };
  const assertCovered = (known: RunState, run: string, effect: Effect): void => {
    const charge = trialOf(effect);
    const { own, reserved } = known;
    if (charge === undefined || (reserved === null && keeper === null)) return;
    if (reserved === null) assertWithin(committed(known), own.with(charge));
    else assertRoom(run, reserved, own.with(charge), { asked: charge.event, spent: own.total });
  };
  const recordOf = (run: string, known: RunState): RunRecord => ({
    run,
    random: known.random,
    entries: known.book,
    ended: () => known.ended,
    reserved: known.reserved?.event ?? null,
    affords(effect) {
      const charge = trialOf(effect);
      return charge === undefined || hasRoom(run, known.reserved, known.own.with(charge));
    },
    uses(what, mark, { always = false } = {}) {
      const before = known.uses.get(what);
      if (before === mark) return;
      if (before !== undefined || (always && known.book.length > 0))
        throw new Corrupt(
          `run '${run}' began with another ${what}: its random seeds would draw the same noise for a ` +
            'different query. Resume with the version it began with, or start a new run.',
          { run, what, before: before ?? null, now: mark },
        );
      write({ t: 'uses', run, what, mark });
      // A step does not continue across such a line, as in reading.
      known.book.bar();
      known.uses.set(what, mark);
    },
  });
  /** Makes a reservation, or recognises the one on record. */
  const setAside = (
    run: string,
    known: RunState | undefined,
    reservation: Partial<Reservation>,
  ): (() => void) => {
    const asked = requestedReservation(reservation);
    const before = known?.reserved ?? null;
    if (asked === null) {
      if (isHeld(before))
        throw new InvalidParameter(
          `run '${run}' is held to a filter; resume it with a curator that has the same filter (option held)`,
          { run },
        );
      return () => undefined;
    }
    if (before !== null) {
      defined(known).reserved = recognised(run, before, asked);
      return () => undefined;
    }
    if (
      known !== undefined &&
      known.book.length > 0 &&
      (isHeld(asked) || !hasRoom(run, asked, known.own.total()))
    )
      throw new InvalidParameter(`run '${run}' began without this plan or filter; start a new run`, { run });
    assertWithin(committed(known), asked.event);
    return () => {
      write({ t: 'reserve', run, event: asked.event, filter: asked.filter });
      state(run).book.bar();
      reserve(run, asked);
      if (known?.ended === true) past = null;
    };
  };

  const counted = (): number => [...states.values()].reduce((sum, { book }) => sum + book.counted, 0);
  lines?.compactOn('occasion', kept, counted);

  return {
    adjacency,
    limit: limit ?? null,
    unit: () => kept.data?.unit,
    bind(fingerprint, unit = 'record') {
      const { data } = kept;
      const { namesUnit, isBySums } = data ?? { namesUnit: true, isBySums: true };
      const now = fingerprint(key.subarray(0, 16), { namesUnit, isBySums });
      if (data === undefined) {
        write({ t: 'data', fingerprint: now, unit, by: 'sums' });
        kept.data = { fingerprint: now, unit, namesUnit, isBySums };
        return;
      }
      const isSame = sameBytes(now, data.fingerprint);
      // What an older ledger adds up is known by its fingerprint alone.
      if (unit !== data.unit && (namesUnit || !isSame))
        throw new Corrupt(
          `this ledger adds up what one ${data.unit} has spent, and these data are attached by ` +
            `${unit}: a figure for one is none for the other. Attach them by ${data.unit}, or ` +
            'begin another ledger, which knows nothing of what this one holds.',
          { ledger: data.unit, data: unit },
        );
      if (!isSame)
        throw new Corrupt(
          'this ledger belongs to other data, or to these in another order: the keyed hash differs. Attach ' +
            'the data it was opened for, in their order (of which the shuffle of an experiment is a part), ' +
            'or start a new ledger for new data.',
        );
    },
    openRun(run, random, reservation) {
      const known = states.get(run);
      const commit = setAside(run, known, reservation ?? {});
      const opened = known ?? newRun(run, random);
      if (known === undefined) {
        write({ t: 'run', run, key: random.key(), kind: random.kind });
        states.set(run, opened);
      }
      commit();
      return recordOf(run, opened);
    },
    append(entry) {
      const { run, index, digest, effect: wanted } = entry;
      const known = state(run);
      assertNext({ run, index });
      const { book } = known;
      const repetition = book.repetitionOf(wanted, digest);
      // A private copy: the caller cannot change it between the comparison, the write and the tally.
      const effect = repetition?.effect ?? withLastEvent(known, checkedCopy(wanted));
      if (effect.charge !== undefined) rememberForm((known.lastEvent = effect.charge.event));
      assertOwn(run, [effect]);
      for (const one of known.tallies) one.assertApplies(effect);
      assertCovered(known, run, effect);
      if (repetition === null) {
        write({ t: 'entry', run, index, digest, effect });
        book.add(effect, digest);
      } else {
        const { period, at } = repetition;
        if (lines !== null) write({ t: 'again', run, period, at, digest: digestBytes(digest) });
        book.addRepeated(repetition, digest);
      }
      applied(run, effect);
      lines?.compactOn('growth', kept, counted);
    },
    endRun(run, { keepReserved = false } = {}) {
      const known = state(run);
      if (known.ended) return;
      const free = !keepReserved && isReleasable(known.reserved, known.own.total()) && canGiveBack();
      write({ t: 'end', run, free });
      finish(run, free);
      past &&= added([past, counts(known)]);
      lines?.compactOn('occasion', kept, counted);
    },
    assertAffordable: (event) => assertWithin(committed(), event),
    total,
    spentBy(run) {
      const { own, reserved } = state(run);
      return isHeld(reserved) ? reserved.event : own.total();
    },
    chargedBy: (run) => state(run).own.total(),
    runs: () => [...states.keys()],
    standing(run) {
      const known = state(run);
      const { ended, reserved, free } = known;
      const planned = reserved?.event ?? null;
      return { ended, reserved: free ? null : planned, planned, counts: counts(known) };
    },
  };
}

function checkedCopy(wanted: Effect): Effect {
  const copy = ownCopy(wanted);
  assertEffect(copy);
  return copy;
}

/** Reuses the event object of the run's last charge if it is equal, so caches by identity apply. */
function withLastEvent({ lastEvent }: RunState, effect: Effect): Effect {
  if (effect.charge === undefined || !sameValue(lastEvent, effect.charge.event)) return effect;
  return Object.freeze({ ...effect, charge: Object.freeze({ ...effect.charge, event: defined(lastEvent) }) });
}

function freshKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(32));
}
