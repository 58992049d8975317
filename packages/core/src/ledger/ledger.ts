import { adjacencySchema, type Adjacency } from '../adjacency.js';
import { assertOptions, BudgetExceeded, Corrupt, InvalidParameter, parseOrThrow, Unsupported } from '../errors.js';
import { canonicalEvent } from '../events/canonical.js';
import { composedEvent } from '../events/build.js';
import type { PrivacyEvent } from '../events/schema.js';
import { openLog, type Log } from '../journal/log.js';
import type { Store } from '../journal/store.js';
import type { Accountant, EventKind } from '../plugins/index.js';
import { randomFromKey, type RandomSource } from '../random/index.js';
import { createBook, type Book } from './book.js';
import { checkLine, type Header, type Line } from './check-line.js';
import { compact } from './compact.js';
import { createCompaction } from './compaction.js';
import type { Effect, Entries, Entry } from './effect.js';
import { createLiveSpaces, type LiveSpaces } from './live-spaces.js';
import { createTally, rootSpace } from './tally.js';

/** A limit on what may ever be spent on a data set, in the adjacency of its ledger. */
export interface Limit {
  readonly epsilon: number;
  readonly delta: number;
  /** Decides by its certified `upper`. */
  readonly accountant: Pick<Accountant, 'epsilon'>;
  readonly kinds?: readonly EventKind[];
}
/** Adjacency of a ledger, where it is kept, and the most that may be spent. */
export interface LedgerOptions {
  readonly adjacency: Adjacency;
  /** Where it is kept; without one it lasts as long as the process. The bytes hold the runs' secret keys: guard them like the data. */
  readonly store?: Store;
  /** Stored with the ledger: a later opening must give a limit too, and a looser one only with `raiseLimit`. */
  readonly limit?: Limit;
  /** The owner's word that a limit looser than the stored one is meant. @defaultValue false */
  readonly raiseLimit?: boolean;
}

/** A run as the ledger knows it. */
export interface RunRecord { readonly run: string; readonly random: RandomSource; readonly entries: Entries; ended(): boolean }

/**
 * What has been spent on one data set, over all runs, repetitions, crashes and resumes. It belongs to the data set: attach
 * the data to it, and every curator of those data writes here before it touches them.
 */
export interface Ledger {
  readonly adjacency: Adjacency;
  readonly limit: Limit | null;
  /**
   * Binds the ledger to the data on first use and recognises them later. `fingerprint` is a keyed hash of the data under a
   * key that the ledger holds.
   *
   * @throws {Corrupt} when the ledger belongs to other data.
   */
  bind(fingerprint: (key: Uint8Array) => Uint8Array): void;
  /** Opens a run, or finds it again with the key it had. `random` is the root of the curator's coins for a new run. */
  openRun(run: string, random: RandomSource): RunRecord;
  /**
   * Checks the limit, then appends; when it returns the charge is as safe as the store makes it.
   *
   * @throws {BudgetExceeded} with nothing written.
   * @throws {Corrupt} for an entry out of turn, or about a run or space that is not open, or a space of another run, with nothing written.
   * @throws {Unsupported} when the accountant of the limit cannot account for the total, or only estimates it.
   */
  append(entry: Entry): void;
  /** Marks a run as over; its scopes end. */
  endRun(run: string): void;
  /** Refuses a plan that could not be paid for. @throws {BudgetExceeded} */
  assertAffordable(event: PrivacyEvent): void;
  /** The event of everything ever spent on the data set. */
  total(): PrivacyEvent;
  /** The event of one run alone. */
  spentBy(run: string): PrivacyEvent;
  /** Names of all runs, in the order they were opened. */
  runs(): readonly string[];
}

const version = 2;
/** Version 1 has no steps told once. */
const oldest = 1;
interface RunState { readonly random: RandomSource; readonly book: Book; ended: boolean; readonly spaces: LiveSpaces }

/**
 * Opens a ledger, new or stored.
 *
 * @throws {Corrupt} when the stored bytes are not a ledger, or are damaged.
 * @throws {InvalidParameter} when it was kept under another adjacency or a tighter limit, or adjacency or limit are not valid.
 */
export function openLedger(options: LedgerOptions): Ledger {
  assertOptions(options, 'openLedger');
  const { adjacency, store, limit, raiseLimit = false } = options;
  parseOrThrow(adjacencySchema, adjacency, 'the adjacency of the ledger');
  if (limit !== undefined) assertLimit(limit);
  const log: Log | null = store === undefined ? null : openLog(store, { magic: 'lethe-ledger' });
  const tally = createTally();
  const states = new Map<string, RunState>();
  let header: Header | undefined;
  let fingerprintOfData: Uint8Array | undefined;
  let storedLimit: Pick<Limit, 'epsilon' | 'delta'> | undefined;

  const write = (line: Line): void => log?.append(line);
  const state = (run: string): RunState => {
    const found = states.get(run);
    if (found === undefined) throw new Corrupt(`the ledger has no run '${run}'; open it first`, { run });
    return found;
  };
  const assertNext = ({ run, index }: Pick<Entry, 'run' | 'index'>): void => {
    const { length } = state(run).book;
    if (index !== length) throw new Corrupt(`query ${index} of run '${run}' follows query ${length - 1}`, { run, index });
  };
  const assertOwn = (run: string, effects: readonly Effect[]): void => {
    const { spaces } = state(run), made = new Set(effects.map(({ space }) => space?.id));
    for (const { charge, space, closes = [] } of effects) {
      const other = [...closes, space?.within.space, charge?.on.space].find((id) => id !== undefined && id !== rootSpace && !made.has(id) && !spaces.has(id));
      if (other !== undefined) throw new Corrupt(`run '${run}' names space '${other}', which is not open in this run`, { run, space: other });
    }
  };
  const applied = (run: string, effect: Effect): void => {
    const { spaces } = state(run);
    tally.apply(effect);
    for (const id of effect.closes ?? []) spaces.close(id);
    if (effect.space !== undefined) spaces.open(effect.space);
  };
  const finish = (run: string): void => {
    const known = state(run);
    known.ended = true;
    known.book.bar();
    tally.settle(known.spaces.innermostFirst());
    known.spaces.clear();
  };
  const newRun = (run: string, random: RandomSource): RunState => {
    const find = log && (() => compact(log.readAgain().map(checkLine)).digestsOf(run));
    return { random, book: createBook({ run, ...(find && { find }) }), ended: false, spaces: createLiveSpaces() };
  };
  const readLine = (line: Line, position: number): void => {
    const again = (line.t === 'ledger') !== (position === 0) || (line.t === 'data' && fingerprintOfData !== undefined) || (line.t === 'run' && states.has(line.run));
    if (again) throw new Corrupt(`line ${position} of the ledger begins what has begun, or stands before its beginning; restore a copy`, { line: position });
    switch (line.t) {
      case 'ledger': header = line; break;
      case 'data': fingerprintOfData = line.fingerprint; break;
      case 'run': states.set(line.run, newRun(line.run, randomFromKey(line.key, line.kind))); break;
      case 'entry':
        assertNext(line);
        assertOwn(line.run, [line.effect]);
        state(line.run).book.add(line.effect, line.digest);
        applied(line.run, line.effect);
        break;
      case 'again': {
        const { book } = state(line.run);
        book.addAgain(line);
        const effect = book.effectAt(book.length - 1);
        assertOwn(line.run, [effect]);
        applied(line.run, effect);
        break;
      }
      case 'steps':
        assertNext(line);
        assertOwn(line.run, line.effects);
        state(line.run).book.addSteps(line);
        tally.applySteps(line.effects, line.times);
        break;
      case 'end': finish(line.run); break;
      case 'limit': storedLimit = { epsilon: line.epsilon, delta: line.delta }; break;
    }
  };
  const written = (log?.records ?? []).map(checkLine);
  const told = compact(written).lines;
  for (const { line, position } of told) readLine(line, position);
  log?.forget();
  if (header === undefined) {
    header = { t: 'ledger', v: version, adjacency, key: freshKey() };
    write(header);
  } else if (header.v < oldest || header.v > version) {
    throw new Corrupt(`the ledger has version ${header.v}; this release reads versions ${oldest} to ${version}`, { version: header.v });
  } else if (header.adjacency !== adjacency) {
    throw new InvalidParameter(`the ledger was kept under ${header.adjacency}; it cannot go on under ${adjacency}`, { kept: header.adjacency, asked: adjacency });
  }
  const { key } = header;
  assertLimitKept(storedLimit, limit, raiseLimit);
  if (limit !== undefined && (limit.epsilon !== storedLimit?.epsilon || limit.delta !== storedLimit.delta)) write({ t: 'limit', epsilon: limit.epsilon, delta: limit.delta });

  const assertWithin = (event: PrivacyEvent, asked: PrivacyEvent): void => {
    if (limit === undefined) return;
    const { upper, certificate } = limit.accountant.epsilon(event, { adjacency, delta: limit.delta, ...(limit.kinds ? { kinds: limit.kinds } : {}) });
    if (certificate === 'estimate') throw new Unsupported(`the accountant of the data set's limit only estimates what is spent; give one that certifies it`, { limit: { epsilon: limit.epsilon, delta: limit.delta } });
    if (upper <= limit.epsilon) return;
    throw new BudgetExceeded(`the data set's limit is ε = ${limit.epsilon} at δ = ${limit.delta}; with this charge it would have spent ε = ${upper}`,
      { spent: tally.total(), asked, limit: { epsilon: limit.epsilon, delta: limit.delta }, wouldBe: upper });
  };
  let affordable = '';

  const counted = (): number => [...states.values()].reduce((sum, { book }) => sum + book.counted, 0);
  const compaction = log && createCompaction(log, written.reduce((sum, line) => sum + (line.t === 'steps' ? line.effects.length * line.times : 0), 0));
  /** Writes the whole log anew, equal steps told once. A crash leaves the old one or the new one. */
  const writeCompact = (): void => {
    const { code } = log!, times = (header!.compacted?.times ?? 0) + 1;
    const lines = compact(log!.readAgain().map(checkLine)).lines.map(({ line }) => line);
    header = { t: 'ledger', v: version, adjacency, key, compacted: { times, code } };
    log!.rewrite([header, ...lines.slice(1)]);
    compaction!.done(counted());
  };
  if (compaction?.onOccasion(counted)) writeCompact();

  return {
    adjacency,
    limit: limit ?? null,
    bind(fingerprint) {
      const now = fingerprint(key.subarray(0, 16));
      if (fingerprintOfData === undefined) { write({ t: 'data', fingerprint: now }); fingerprintOfData = now; return; }
      if (now.some((byte, i) => byte !== fingerprintOfData![i])) throw new Corrupt('this ledger belongs to other data: the keyed hash of the data differs. Attach the data it was opened for, or start a new ledger for new data.');
    },
    openRun(run, random) {
      const known = states.get(run);
      if (known !== undefined) return recordOf(run, known);
      write({ t: 'run', run, key: random.key(), kind: random.kind });
      const fresh = newRun(run, random);
      states.set(run, fresh);
      return recordOf(run, fresh);
    },
    append(entry) {
      const { run, index, digest, effect } = entry;
      assertNext(entry);
      tally.assertApplies(effect);
      assertOwn(run, [effect]);
      const { charge } = effect;
      if (charge !== undefined && limit !== undefined) {
        tally.apply({ charge });
        try {
          const total = tally.total();
          const text = canonicalEvent(total);
          if (text !== affordable) { assertWithin(total, charge.event); affordable = text; }
        } finally { tally.retract(charge); }
      }
      const { book } = state(run), again = book.foretold(effect, digest);
      write(again === null ? { t: 'entry', ...entry } : { t: 'again', run, ...again });
      if (again === null) book.add(effect, digest);
      else book.addAgain(again);
      applied(run, charge === undefined ? effect : book.effectAt(index));
      if (compaction?.onGrowth(counted)) writeCompact();
    },
    endRun(run) {
      if (state(run).ended) return;
      write({ t: 'end', run });
      finish(run);
      if (compaction?.onOccasion(counted)) writeCompact();
    },
    assertAffordable: (event) => assertWithin(composedEvent([tally.total(), event]), event),
    total: () => tally.total(),
    spentBy(run) {
      const own = createTally();
      for (const { effects, times } of state(run).book.effects()) own.applySteps(effects, times);
      return own.total();
    },
    runs: () => [...states.keys()],
  };
}

function recordOf(run: string, state: RunState): RunRecord {
  const { random, book } = state;
  const entries: Entries = {
    get length() { return book.length; },
    entry: book.entry, effectAt: book.effectAt, afterSteps: book.afterSteps, [Symbol.iterator]: book[Symbol.iterator],
  };
  return { run, random, entries, ended: () => state.ended };
}

function freshKey(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(32));
}

/** A limit that anybody could leave out, or loosen by the way, would limit nothing. */
function assertLimitKept(stored: Pick<Limit, 'epsilon' | 'delta'> | undefined, given: Limit | undefined, raise: boolean): void {
  if (stored === undefined) return;
  const kept = `ε = ${stored.epsilon} at δ = ${stored.delta}`;
  if (given === undefined) throw new InvalidParameter(`the ledger has a limit of ${kept}; open it with that limit and an accountant`, { limit: stored });
  if (!raise && (given.epsilon > stored.epsilon || given.delta > stored.delta)) {
    throw new InvalidParameter(`the ledger has a limit of ${kept}, tighter than ε = ${given.epsilon} at δ = ${given.delta}; open it with the tighter one, or say raiseLimit if the owner of the data means it`, { limit: stored });
  }
}

function assertLimit({ epsilon, delta }: Limit): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon)) throw new InvalidParameter(`the limit's epsilon is ${epsilon}; it must be positive and finite`, { epsilon });
  if (!(delta >= 0 && delta < 1)) throw new InvalidParameter(`the limit's delta is ${delta}; it must be in [0, 1)`, { delta });
}
