import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { Corrupt, InvalidParameter, memoryStore, openLog, type EventKind, type Ledger } from '@lethe/core';
import { readLedger } from './read-ledger.js';
import type { RunFile } from './run-file.js';

/** A ledger file, and what is known of it beside its content. */
export interface LedgerFile {
  readonly path: string;
  /** Ledgers of the same records that were here and are gone. */
  readonly lost: readonly string[];
}

/** What {@link assertStanding} goes by. */
export interface StandingOptions {
  readonly kinds: readonly EventKind[];
  /** A release is gone on with, or one was made here before: so there was a ledger. */
  readonly hadOne: boolean;
  readonly resumes: boolean;
  /** The owner's word that what was spent may be forgotten. */
  readonly mayForget: boolean;
  warn(text: string): void;
}

const forgotten = 'A new one knows nothing of what was spent, and no limit counts it:';
const another = '--again --new-ledger makes another release on a new ledger all the same.';
const isGone = (path: string): boolean => !existsSync(path) || statSync(path).size === 0;

/**
 * Looks whether the ledger is there, before a release is charged to it. One that is lost is not replaced
 * unless the owner says so; one that is damaged is then kept beside the new one.
 *
 * @throws {Corrupt} when it is lost.
 * @throws {InvalidParameter} when a new ledger is asked for, and the old one is in order, or was never there.
 */
export function assertStanding(
  { path, lost }: LedgerFile,
  { kinds, hadOne, resumes, mayForget, warn }: StandingOptions,
): void {
  const gone = isGone(path) ? [...new Set([...(hadOne ? [path] : []), ...lost])] : [];
  if (!mayForget) {
    if (gone.length === 0) return;
    throw new Corrupt(
      resumes
        ? `the ledger ${path} is gone, and with it the coins of the run and what was spent: bring it back from a copy. Without it the run cannot go on. ${forgotten} ${another}`
        : `the ledger ${gone.join(', ')} of these records is gone, so what was spent on them is no longer known: bring it back from a copy. ${forgotten} ${another}`,
      { path, lost: gone },
    );
  }
  if (isGone(path)) {
    if (gone.length === 0)
      throw new InvalidParameter(`these records have had no ledger at ${path}; leave --new-ledger out`, {
        path,
      });
    warn(`a new ledger is begun at ${path}; what was spent on these records before is counted nowhere`);
    return;
  }
  try {
    readLedger(readFileSync(path), kinds);
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    const kept = `${path}.damaged-${randomBytes(6).toString('hex')}`;
    renameSync(path, kept);
    warn(
      `a new ledger is begun at ${path}; what was spent on these records before is counted nowhere. The damaged one is kept as ${kept}`,
    );
    return;
  }
  throw new InvalidParameter(`the ledger ${path} is in order; leave --new-ledger out, and go on with it`, {
    path,
  });
}

/** The ledger that `open` opens. @throws {Corrupt} for one that is damaged, with the ways out. */
export function openedLedger(path: string, open: () => Ledger): Ledger {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new Corrupt(
      `the ledger ${path} is damaged: bring it back from a copy, the newest there is. Nothing goes on without it. ${forgotten} ${another} (${error.message})`,
      { ...error.details, path },
      { cause: error },
    );
  }
}

/** @throws {Corrupt} for a run that began to be charged, and that the ledger does not hold. */
export function assertHeld(
  ledger: Ledger,
  { run, opened = false }: RunFile,
  { path, transcript }: { readonly path: string; readonly transcript: string },
): void {
  if (ledger.runs().includes(run) || (!opened && isGone(transcript))) return;
  throw new Corrupt(
    `the ledger ${path} does not hold run ${run}: it is an older copy, or another ledger, and what the run was charged is not in it. Bring back the newest copy. Without one the run cannot go on: --again makes another, and what was charged since that copy is counted nowhere.`,
    { path, run },
  );
}

/** What to do about a transcript: the ledger has the coins, so that the same answers are drawn again. */
const drawAgain = (path: string): string =>
  `Delete ${path}, then --resume: the ledger has the coins of the run, so the same answers come again, and what the ledger holds is not charged again.`;

/** @throws {Corrupt} when a stored transcript is damaged or another run's, saying how the run goes on. */
export function assertWholeTranscript(path: string, key: Uint8Array | undefined): void {
  if (!existsSync(path)) return;
  try {
    openLog(memoryStore(new Uint8Array(readFileSync(path))), { magic: 'lethe-transcript', key });
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new Corrupt(
      `the transcript ${path} is damaged, or of another run. ${drawAgain(path)} (${error.message})`,
      { ...error.details, path },
      { cause: error },
    );
  }
}

/** The same failure of a resumed run, with the way out that the command line has. */
export function withWayOut(error: unknown, transcript: string): unknown {
  if (!(error instanceof Corrupt)) return error;
  const { details } = error;
  let way: string | null;
  if ('transcript' in details && 'ledger' in details)
    way = `Bring back the newest copy of the ledger. Without one: ${drawAgain(transcript)} What other runs were charged since that copy is counted nowhere.`;
  else if ('differs' in details || 'before' in details)
    way = 'Put the experiment back as it was, or make another release with --again, charged anew.';
  else way = null;
  return way === null ? error : new Corrupt(`${error.message} ${way}`, details, { cause: error });
}
