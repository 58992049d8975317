import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { accountants, bestOf } from '@lethe/accountants';
import {
  InvalidParameter,
  memoryStore,
  type Adjacency,
  type EventKind,
  type PrivacyEvent,
} from '@lethe/core';
import { openLedger, type Ledger, type LedgerOptions } from '@lethe/curator';
import { recordsDigest } from '@lethe/losses/node';
import { fileStore } from '@lethe/node';
import { deltaText } from '../report/format.js';
import { accountOf, type LedgerAccount } from '../run/ledger-account.js';
import { ledgerPlace, sourceOfFile, type LedgerPlace } from '../run/ledger-path.js';
import { readLedger } from '../run/read-ledger.js';
import { assertStanding, openedLedger } from '../run/recovery.js';
import { refusedBy } from '../run/refused-by-limit.js';
import type { FileReading } from './file-form.js';

/** The ledger of a file of records. */
export interface DataLedger {
  readonly place: LedgerPlace;
  /** Bytes by which the ledger recognises the records. */
  readonly identity: Uint8Array;
  /** What it holds; `null` for a new one. */
  readonly account: LedgerAccount | null;
  /** A copy of it as it was found; `null` for a new one. */
  readonly kept: Ledger | null;
  /** The bytes of the copy. */
  readonly bytes: Uint8Array;
}

/** What a ledger is looked for with. */
export interface LedgerRequest {
  readonly data: string;
  /** Throws where the file is not the one of which the records were read. */
  assertUnchanged(): void;
  readonly reading: FileReading;
  /** Path of a ledger in another place than the usual one. */
  readonly ledger: string | undefined;
  readonly delta: number;
  readonly kinds: readonly EventKind[];
  readonly resumes: boolean;
  readonly mayForget: boolean;
  warn(text: string): void;
}

/**
 * Finds the ledger of a file of records. Writes nothing. @throws {Corrupt} for one that is lost or damaged.
 */
export async function findLedger(request: LedgerRequest): Promise<DataLedger> {
  const { data, reading, ledger, delta, kinds, resumes, mayForget, warn } = request;
  const path = realpathSync(data);
  const identity = await recordsDigest(path, reading);
  const source = await sourceOfFile(path, identity, () => request.assertUnchanged());
  const place = ledgerPlace(ledger === undefined ? {} : { ledger }, process.cwd(), source);
  assertStanding(place, { kinds, hadOne: false, resumes, mayForget, warn });
  for (const warning of place.warnings) warn(warning);
  const bytes = existsSync(place.path) ? readFileSync(place.path) : new Uint8Array(0);
  const kept = existsSync(place.path) ? openedLedger(place.path, () => readLedger(bytes, kinds)) : null;
  return {
    place,
    identity,
    account: kept === null ? null : accountOf(kept, { delta, kinds }),
    kept,
    bytes,
  };
}

/** A limit on all that is spent on the records. */
export interface LimitGiven {
  readonly epsilon: number;
  readonly delta: number;
}

/** An open ledger, and what closes it. */
export interface OpenedLedger {
  readonly ledger: Ledger;
  close(): void;
}

/** On what terms a ledger is opened. */
interface Terms {
  readonly adjacency: Adjacency;
  readonly limit: LimitGiven | undefined;
  readonly kinds: readonly EventKind[];
}

/**
 * Looks whether the ledger has room for a cost, and writes nothing.
 *
 * @throws {BudgetExceeded} where its limit has not.
 * @throws as {@link openDataLedger}.
 */
export function assertRoom(found: DataLedger, terms: Terms, event: PrivacyEvent): void {
  const { place, kept, bytes } = found;
  const options = termsOf(found, terms);
  const isAsKept = kept !== null && (kept.limit !== null || options.limit === undefined);
  const ledger = isAsKept
    ? kept
    : openLedger({ ...options, store: memoryStore(kept === null ? undefined : bytes) });
  refusedBy(place.path, ledger, terms.kinds, () => ledger.assertAffordable(event));
}

/**
 * Opens the ledger for writing, under the limit that it has or, where it has none, the one that is given.
 *
 * @throws {InvalidParameter} for a limit other than the one it has, and for another adjacency.
 */
export function openDataLedger(found: DataLedger, terms: Terms): OpenedLedger {
  const { place } = found;
  const options = termsOf(found, terms);
  const store = fileStore(place.path, { mode: 0o600 });
  try {
    const ledger = openedLedger(place.path, () => openLedger({ ...options, store }));
    place.remember();
    return { ledger, close: () => store.close() };
  } catch (error) {
    store.close();
    throw error;
  }
}

function termsOf(
  { place: { path }, kept }: DataLedger,
  { adjacency, limit, kinds }: Terms,
): Omit<LedgerOptions, 'store'> {
  if (kept !== null && kept.adjacency !== adjacency)
    throw new InvalidParameter(
      `the ledger ${path} is kept under ${kept.adjacency}, and this is ${adjacency}; ` +
        `give --adjacency ${kept.adjacency}`,
      { adjacency },
    );
  const before = kept?.limit ?? null;
  if (
    before !== null &&
    limit !== undefined &&
    (limit.epsilon !== before.epsilon || limit.delta !== before.delta)
  )
    throw new InvalidParameter(
      `the ledger ${path} has a limit of epsilon ${before.epsilon} at delta ` +
        `${deltaText(before.delta)}; epsilon ${limit.epsilon} at delta ${deltaText(limit.delta)} would be ` +
        'another. Leave --limit out',
      { limit },
    );
  const inForce = before ?? limit;
  return {
    adjacency,
    ...(inForce === undefined
      ? {}
      : {
          limit: { epsilon: inForce.epsilon, delta: inForce.delta, accountant: bestOf(accountants, kinds) },
        }),
  };
}
