import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Corrupt, InvalidParameter } from '@lethe/core';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';

/** A run's public name and public seed; they must be the same when it is resumed. */
export interface RunFile {
  readonly run: string;
  readonly seed: string;
  /** Whether the ledger was asked to hold the run. Files of older versions do not say. */
  readonly opened?: boolean;
}

/** What to do where a release already is: refuse, go on with it, or keep it under its run's name and make another. */
export type Existing = 'refuse' | 'resume' | 'keep';

/** A run that the ledger holds. */
export interface KnownRun {
  readonly run: string;
  readonly ended: boolean;
}

/** What {@link openRunFile} goes by. */
export interface RunFileOptions {
  /** Name of the experiment, which names of its runs begin with. */
  readonly experiment: string;
  readonly existing: Existing;
  readonly transcript: string;
  /** Runs of the data set's ledger, for a run file that is lost. */
  readonly runs: () => Promise<readonly KnownRun[]>;
  warn(text: string): void;
}

/** A run file, and what makes room for it. */
export interface OpenedRunFile {
  readonly runFile: RunFile;
  /** Moves what an earlier release left in the folder beside it, under its run's name. */
  makeRoom(): void;
}

/**
 * The run file of a release in a folder: the stored one when resuming, otherwise a new one, not yet written.
 * The seed of a new one is its name, so that a run file that is lost is made again from the name of the run
 * in the ledger.
 *
 * @throws {InvalidParameter} when there is a release and another was asked for, or none and one was to be resumed.
 * @throws {Corrupt} when the file is lost or damaged, and the ledger does not tell which run it was.
 */
export async function openRunFile(path: string, options: RunFileOptions): Promise<OpenedRunFile> {
  const { experiment, existing, transcript } = options;
  const folder = dirname(path);
  const stored = existsSync(path) ? storedRunFile(path) : null;
  const isThere = existsSync(path) || existsSync(transcript);
  if (existing === 'resume')
    return { runFile: stored ?? (await lostRunFile(path, options)), makeRoom: () => undefined };
  if (isThere && existing === 'refuse')
    throw new InvalidParameter(
      `${folder} already holds a release; go on with --resume, make another with --again, or choose another --out`,
      { path },
    );
  const run = `${experiment}-${randomBytes(6).toString('hex')}`;
  const kept = `${folder}.${stored === null ? `lost-${randomBytes(6).toString('hex')}` : basename(stored.run).slice(-12)}`;
  return {
    runFile: { run, seed: run },
    makeRoom() {
      if (isThere) renameSync(folder, kept);
    },
  };
}

/**
 * Whether a release in a folder may have been charged to a ledger:
 * it has a transcript, or a run file that does not say the contrary.
 */
export const mayBeCharged = (path: string, transcript: string): boolean =>
  existsSync(transcript) || (existsSync(path) && storedRunFile(path)?.opened !== false);

function storedRunFile(path: string): RunFile | null {
  try {
    const { run, seed = run, opened } = parseJson(readText(path), path) as Partial<RunFile>;
    if (typeof run !== 'string' || run === '' || typeof seed !== 'string') return null;
    if (opened === undefined) return { run, seed };
    if (typeof opened === 'boolean') return { run, seed, opened };
  } catch {
    /* Damaged: the ledger may tell. */
  }
  return null;
}

/** The one run that goes on, or the only one. */
async function lostRunFile(
  path: string,
  { experiment, transcript, runs, warn }: RunFileOptions,
): Promise<RunFile> {
  const isLost = existsSync(path) || existsSync(transcript);
  const known = (await runs()).filter(
    ({ run }) => run.startsWith(`${experiment}-`) && /^[0-9a-f]{12}$/u.test(run.slice(experiment.length + 1)),
  );
  const open = known.filter(({ ended }) => !ended);
  const chosenOf = () => {
    if (open.length === 1) return open;
    if (known.length === 1) return known;
    return [] as const;
  };
  const [only] = chosenOf();
  if (only !== undefined) {
    warn(
      `${path} is ${existsSync(path) ? 'damaged' : 'not there'}; going on with run ${only.run}, which the ledger holds`,
    );
    return { run: only.run, seed: only.run };
  }
  if (known.length === 0 && !isLost)
    throw new InvalidParameter(
      `there is nothing to resume in ${dirname(path)}, and the ledger holds no run of '${experiment}'; leave --resume out`,
      { path },
    );
  const names = known.map(({ run, ended }) => `${run} (${ended ? 'ended' : 'interrupted'})`).join(', ');
  throw new Corrupt(
    known.length === 0
      ? `${path} does not name a run, and the ledger holds none of '${experiment}', so nothing was charged for it here. Make a release with --again.`
      : `${path} does not name a run. The ledger holds ${names}: write the one to go on with into that file as {"run": "${known[known.length - 1].run}"}, and --resume charges nothing again. --again makes another, charged anew.`,
    { path, runs: known.map(({ run }) => run) },
  );
}
