import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { Corrupt, InvalidParameter, memoryStore, openLog, type EventKind } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { readLedger } from './read-ledger.js';
import type { RunFile } from './run-file.js';

/** A ledger file, with missing ledgers of the same records. */
export interface LedgerFile {
  readonly path: string;
  /** Known ledgers of the same records whose files are missing. */
  readonly lost: readonly string[];
}

/** Inputs of {@link assertStanding}. */
export interface StandingOptions {
  readonly kinds: readonly EventKind[];
  /** A release is resumed, or one was made here before, so a ledger existed. */
  readonly hadOne: boolean;
  readonly resumes: boolean;
  /** The owner accepts that earlier spending is forgotten. */
  readonly mayForget: boolean;
  warn(text: string): void;
}

const forgotten = 'A new one knows nothing of what was spent, and no limit counts it:';
const another = '--again --new-ledger makes another release on a new ledger all the same.';
const isGone = (path: string): boolean => !existsSync(path) || statSync(path).size === 0;

/**
 * Checks that the ledger exists before a release is charged to it. A lost ledger is replaced only if the
 * owner
 * asks for it; a damaged one is then kept beside the new one.
 *
 * @throws {Corrupt} when it is lost.
 * @throws {InvalidParameter} for a new ledger although the old one is intact, or never existed.
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
        ? `the ledger ${path} is gone, and with it the randomness of the run and what was spent: ` +
            `bring it back from a copy. Without it the run cannot go on. ${forgotten} ${another}`
        : `the ledger ${gone.join(', ')} of these records is gone, so what was spent on them is no ` +
            `longer known: bring it back from a copy. ${forgotten} ${another}`,
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
      `a new ledger is begun at ${path}; what was spent on these records before is counted nowhere. ` +
        `The damaged one is kept as ${kept}`,
    );
    return;
  }
  throw new InvalidParameter(`the ledger ${path} is in order; leave --new-ledger out, and go on with it`, {
    path,
  });
}

/** Opens a ledger. @throws {Corrupt} for a damaged one, with what to do. */
export function openedLedger<Opened>(path: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new Corrupt(
      `the ledger ${path} is damaged: bring it back from a copy, the newest there is. ` +
        `Nothing goes on without it. ${forgotten} ${another} (${error.message})`,
      { ...error.details, path },
      { cause: error },
    );
  }
}

/** @throws {Corrupt} for a run that was opened in a ledger and is missing from this one. */
export function assertHeld(
  ledger: Ledger,
  { run, opened = false }: RunFile,
  { path, transcript }: { readonly path: string; readonly transcript: string },
): void {
  if (ledger.runs().includes(run) || (!opened && isGone(transcript))) return;
  throw new Corrupt(
    `the ledger ${path} does not hold run ${run}: it is an older copy, or another ledger, and what the ` +
      'run was charged is not in it. Bring back the newest copy. Without one the run cannot go on: ' +
      '--again makes another, and what was charged since that copy is counted nowhere.',
    { path, run },
  );
}

/** Instructions for a lost transcript: the ledger holds the noise seed, so the answers can be drawn again. */
const drawAgain = (path: string): string =>
  `Delete ${path}, then --resume: the ledger has the run's randomness, so the same answers come again, ` +
  'and what the ledger holds is not charged again.';

/** @throws {Corrupt} when a stored transcript is damaged or of another run, with what to do. */
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

/** Adds instructions for the command line to an error of a resumed run. */
export function withWayOut(error: unknown, transcript: string): unknown {
  if (!(error instanceof Corrupt)) return error;
  const { details } = error;
  let way: string | null;
  if ('transcript' in details && 'ledger' in details)
    way =
      `Bring back the newest copy of the ledger. Without one: ${drawAgain(transcript)} What other runs ` +
      'were charged since that copy is counted nowhere.';
  else if ('differs' in details || 'before' in details)
    way = 'Put the experiment back as it was, or make another release with --again, charged anew.';
  else way = null;
  return way === null ? error : new Corrupt(`${error.message} ${way}`, details, { cause: error });
}
