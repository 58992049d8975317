import { adjacencySchema, type Adjacency } from '../adjacency.js';
import { assertOptions, BudgetExceeded, Corrupt, InvalidParameter, parseOrThrow, Unsupported } from '../errors.js';
import { canonicalEvent } from '../events/canonical.js';
import { composedEvent } from '../events/build.js';
import type { PrivacyEvent } from '../events/schema.js';
import { openLog, type Log } from '../journal/log.js';
import type { Store } from '../journal/store.js';
import type { Accountant, EventKind } from '../plugins/index.js';
import { randomFromKey, type RandomSource } from '../random/index.js';
import { checkLine, type Header, type Line } from './check-line.js';
import type { Entry } from './effect.js';
import { createTally } from './tally.js';

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
export interface RunRecord { readonly run: string; readonly random: RandomSource; readonly entries: readonly Entry[]; ended(): boolean }

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
   * @throws {Corrupt} for an entry out of turn, or about a run or space that is not open, with nothing written.
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

const version = 1;
interface RunState { readonly random: RandomSource; readonly entries: Entry[]; ended: boolean; readonly spaces: string[] }

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
  const assertNext = ({ run, index }: Entry): void => {
    const { entries } = state(run);
    if (index !== entries.length) throw new Corrupt(`query ${index} of run '${run}' follows query ${entries.length - 1}`, { run, index });
  };
  const remember = (entry: Entry): void => {
    assertNext(entry);
    const known = state(entry.run);
    known.entries.push(entry);
    if (entry.effect.space !== undefined) known.spaces.push(entry.effect.space.id);
    tally.apply(entry.effect);
  };
  const finish = (run: string): void => {
    const known = state(run);
    known.ended = true;
    tally.settle(known.spaces.toReversed());
  };
  const readLine = (line: Line, position: number): void => {
    const again = (line.t === 'ledger') !== (position === 0) || (line.t === 'data' && fingerprintOfData !== undefined) || (line.t === 'run' && states.has(line.run));
    if (again) throw new Corrupt(`line ${position} of the ledger begins what has begun, or stands before its beginning; restore a copy`, { line: position });
    switch (line.t) {
      case 'ledger': header = line; break;
      case 'data': fingerprintOfData = line.fingerprint; break;
      case 'run': states.set(line.run, newRun(randomFromKey(line.key, line.kind))); break;
      case 'entry': remember({ run: line.run, index: line.index, digest: line.digest, effect: line.effect }); break;
      case 'end': finish(line.run); break;
      case 'limit': storedLimit = { epsilon: line.epsilon, delta: line.delta }; break;
    }
  };
  (log?.records ?? []).forEach((record, position) => readLine(checkLine(record, position), position));
  log?.forget();
  if (header === undefined) {
    header = { t: 'ledger', v: version, adjacency, key: freshKey() };
    write(header);
  } else if (header.v !== version) {
    throw new Corrupt(`the ledger has version ${header.v}; this is version ${version}`, { version: header.v });
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
      const fresh = newRun(random);
      states.set(run, fresh);
      return recordOf(run, fresh);
    },
    append(entry) {
      assertNext(entry);
      tally.assertApplies(entry.effect);
      const { charge } = entry.effect;
      if (charge !== undefined && limit !== undefined) {
        tally.apply({ charge });
        try {
          const total = tally.total();
          const text = canonicalEvent(total);
          if (text !== affordable) { assertWithin(total, charge.event); affordable = text; }
        } finally { tally.retract(charge); }
      }
      write({ t: 'entry', ...entry });
      remember(entry);
    },
    endRun(run) { if (!state(run).ended) { write({ t: 'end', run }); finish(run); } },
    assertAffordable: (event) => assertWithin(composedEvent([tally.total(), event]), event),
    total: () => tally.total(),
    spentBy(run) {
      const own = createTally();
      for (const { effect } of state(run).entries) own.apply(effect);
      return own.total();
    },
    runs: () => [...states.keys()],
  };
}

const recordOf = (run: string, state: RunState): RunRecord => ({ run, random: state.random, entries: state.entries, ended: () => state.ended });
const newRun = (random: RandomSource): RunState => ({ random, entries: [], ended: false, spaces: [] });

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
