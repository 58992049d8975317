import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Corrupt, InvalidParameter } from '@lethe/core';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';

/** A run's public name and public seed; they must be the same when it is resumed. */
export interface RunFile { readonly run: string; readonly seed: string }

/** What to do where a release already is: refuse, go on with it, or keep it under its run's name and make another. */
export type Existing = 'refuse' | 'resume' | 'keep';

/**
 * The run file of a release in a folder: the stored one when resuming, otherwise a new one, not yet written.
 *
 * @throws {InvalidParameter} when there is a release and another was asked for, or none and one was to be resumed.
 * @throws {Corrupt} when the stored file does not name a run.
 */
export function openRunFile(path: string, experiment: string, existing: Existing): RunFile {
  if (existsSync(path)) {
    if (existing === 'refuse') throw new InvalidParameter(`${dirname(path)} already holds a release; go on with --resume, make another with --again, or choose another --out`, { path });
    const stored = storedRunFile(path);
    if (existing === 'resume') return stored;
    const kept = join(dirname(dirname(path)), `${basename(dirname(path))}.${basename(stored.run).slice(-12)}`);
    renameSync(dirname(path), kept);
  } else if (existing === 'resume') throw new InvalidParameter(`there is nothing to resume in ${dirname(path)}; leave --resume out`, { path });
  return { run: `${experiment}-${randomBytes(6).toString('hex')}`, seed: randomBytes(16).toString('hex') };
}

function storedRunFile(path: string): RunFile {
  try {
    const { run, seed } = parseJson(readText(path), path) as Partial<RunFile>;
    if (typeof run === 'string' && run !== '' && typeof seed === 'string') return { run, seed };
  } catch { /* Said below. */ }
  throw new Corrupt(`${path} does not name a run; restore it from a copy. Without it the release cannot go on, and what it was charged stays charged.`, { path });
}
