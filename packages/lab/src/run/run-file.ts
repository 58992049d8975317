import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Corrupt, InvalidParameter, type StoredPlan } from '@lethe/core';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';
import type { RecordedPlan } from './planned-run.js';

/** A run's public name, seed and plan; they must be the same when it is resumed. */
export interface RunFile {
  readonly run: string;
  readonly seed: string;
  /** Whether the run was opened in the ledger. Absent in files of older versions. */
  readonly opened?: boolean | undefined;
  /** The plan that the run began with. Absent where the file was made again from the ledger. */
  readonly recorded?: RecordedPlan | undefined;
}

/**
 * Handling of an earlier release: refuse, resume it, or move it to a folder named after its run and make
 * another.
 */
export type Existing = 'refuse' | 'resume' | 'keep';

/** A run of the ledger. */
export interface KnownRun {
  readonly run: string;
  readonly ended: boolean;
}

/** Inputs of {@link openRunFile}. */
export interface RunFileOptions {
  /** Name of the experiment: prefix of the names of its runs. */
  readonly experiment: string;
  readonly existing: Existing;
  readonly transcript: string;
  /** Runs of the data set's ledger, to replace a lost run file. */
  readonly runs: () => Promise<readonly KnownRun[]>;
  warn(text: string): void;
}

/** A run file, and a function that makes room for it. */
export interface OpenedRunFile {
  readonly runFile: RunFile;
  /** Moves the folder of an earlier release to a name with its run's. */
  makeRoom(): void;
}

/**
 * The run file of a release in a folder: the stored one when resuming, otherwise a new one, not yet written.
 * The seed of a new run is its name, so a lost run file can be restored from the ledger.
 *
 * @throws {InvalidParameter} for a new release where there is one, or to resume where there is none.
 * @throws {Corrupt} when the file is lost or damaged, and the ledger does not determine the run.
 */
export async function openRunFile(path: string, options: RunFileOptions): Promise<OpenedRunFile> {
  const { experiment, existing, transcript } = options;
  const folder = dirname(path);
  const stored = existsSync(path) ? storedRunFile(path) : null;
  const isThere = existsSync(path) || existsSync(transcript);
  if (existing === 'resume')
    return { runFile: stored ?? (await lostRunFile(path, options)), makeRoom: () => undefined };
  assertFree(path, { existing, transcript });
  const run = `${experiment}-${randomBytes(6).toString('hex')}`;
  const mark = stored === null ? `lost-${randomBytes(6).toString('hex')}` : basename(stored.run).slice(-12);
  const kept = `${folder}.${mark}`;
  return {
    runFile: { run, seed: run },
    makeRoom() {
      if (isThere) renameSync(folder, kept);
    },
  };
}

/** @throws {InvalidParameter} for a new release where there is one. */
export function assertFree(
  path: string,
  { existing, transcript }: Pick<RunFileOptions, 'existing' | 'transcript'>,
): void {
  if (existing !== 'refuse' || !(existsSync(path) || existsSync(transcript))) return;
  throw new InvalidParameter(
    `${dirname(path)} already holds a release; go on with --resume, ` +
      'make another with --again, or choose another --out',
    { path },
  );
}

/**
 * Whether a release in a folder may have been charged to a ledger:
 * it has a transcript, or a run file without `opened: false`.
 */
export const mayBeCharged = (path: string, transcript: string): boolean =>
  existsSync(transcript) || (existsSync(path) && storedRunFile(path)?.opened !== false);

const planShape = z.looseObject({
  optimizer: z.string(),
  problem: z.looseObject({}),
  budget: z.looseObject({}),
});
/** The optimizer checks the rest of its plan. */
const plan = z.custom<StoredPlan>((value) => planShape.safeParse(value).success);
const stored = z.object({
  run: z.string().min(1),
  seed: z.string().optional(),
  opened: z.boolean().optional(),
  recorded: z.object({ plan, params: z.unknown(), factsRead: z.array(z.string()) }).optional(),
});

/** Content of a run file; `null` for a damaged one. */
function storedRunFile(path: string): RunFile | null {
  try {
    const { run, seed = run, ...rest } = stored.parse(parseJson(readText(path), path));
    return { run, seed, ...rest };
  } catch {
    return null;
  }
}

/** Restores the run file of the only open run of the ledger, or of its only run. */
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
      `${path} is ${existsSync(path) ? 'damaged' : 'not there'}; ` +
        `going on with run ${only.run}, which the ledger holds`,
    );
    return { run: only.run, seed: only.run };
  }
  if (known.length === 0 && !isLost)
    throw new InvalidParameter(
      `there is nothing to resume in ${dirname(path)}, ` +
        `and the ledger holds no run of '${experiment}'; leave --resume out`,
      { path },
    );
  const names = known.map(({ run, ended }) => `${run} (${ended ? 'ended' : 'interrupted'})`).join(', ');
  throw new Corrupt(
    known.length === 0
      ? `${path} does not name a run, and the ledger holds none of '${experiment}', ` +
          'so nothing was charged for it here. Make a release with --again.'
      : `${path} does not name a run. The ledger holds ${names}: write the one to go on with into that ` +
          `file as {"run": "${known[known.length - 1].run}"}, and --resume charges nothing again. ` +
          '--again makes another, charged anew.',
    { path, runs: known.map(({ run }) => run) },
  );
}
