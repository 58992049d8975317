import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Corrupt } from '@lethe/core';
import * as z from 'zod';
import { isLocalDisk } from './local-disk.js';
import { isHeld } from './pipe.js';
import { isRunning, startOf, thisProcess, type ProcessIdentity } from './this-process.js';

/** Owner of a lock, as written in the lock file. */
export interface Holder extends ProcessIdentity {
  /** Random id, new for every lock. */
  readonly id: string;
  /** Whether the owner keeps a pipe open for its lifetime. */
  readonly pipe: boolean;
}

const optionalText = z.string().nullable();
const holderSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/u),
  pid: z.int().positive(),
  start: optionalText,
  machine: optionalText,
  namespace: optionalText,
  pipe: z.boolean(),
});
/** Older versions wrote only the process number. */
const lockSchema = z.union([
  holderSchema,
  z
    .int()
    .positive()
    .transform((pid): Holder => ({
      id: `pid-${pid}`,
      pid,
      start: null,
      machine: null,
      namespace: null,
      pipe: false,
    })),
]);

/** Path of the lock file of `path`. */
export const lockOf = (path: string): string => `${path}.lock`;
/** Path of the pipe of the lock's owner. */
export const pipeOf = (path: string, { id }: Pick<Holder, 'id'>): string => `${lockOf(path)}.${id}`;

/**
 * Owner of the lock in `place`; `undefined` if there is no lock.
 *
 * @throws {Corrupt} when the file is not a lock file.
 */
export function readHolder(place: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(place, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Corrupt(
      `${place} does not say which process holds the lock. ` +
        `Make sure that no process uses the file, then delete ${place}.`,
      { lock: place },
      { cause },
    );
  }
}

/** @throws {Corrupt} unless the owner of the lock of `path` has certainly ended. */
export function assertEnded(holder: Holder, path: string): void {
  const state = stateOf(holder, path);
  if (state === 'ended') return;
  const lock = lockOf(path);
  const details = { path, lock, owner: holder.pid };
  if (state === 'running')
    throw new Corrupt(
      `${path} is in use by process ${holder.pid}; a ledger has one writer. Wait for it, or stop it. ` +
        `If no such process exists, delete ${lock}.`,
      details,
    );
  throw new Corrupt(
    `${path} may be in use by process ${holder.pid} of another machine or container, which this ` +
      `process cannot check; a ledger has one writer. Make sure that it has ended, then delete ${lock}.`,
    details,
  );
}

/** Ids of the locks of this process, for platforms without process start times and pipes. */
export const heldHere = new Set<string>();

function stateOf(holder: Holder, path: string): 'running' | 'ended' | 'unknown' {
  const here = thisProcess();
  const held = holder.pipe ? isHeld(pipeOf(path, holder)) : undefined;
  if (held === true || heldHere.has(holder.id)) return 'running';
  // On a local disk, another machine id means a lock from before a reboot.
  if (holder.machine !== null && holder.machine !== here.machine)
    return here.machine !== null && isLocalDisk(dirname(path)) ? 'ended' : 'unknown';
  if (held === false) return 'ended';
  if (holder.namespace !== null && holder.namespace !== here.namespace) return 'unknown';
  if (!isRunning(holder.pid)) return 'ended';
  const holdsOf = () => {
    if (holder.start === null) return holder.pid === here.pid;
    return holder.start !== startOf(holder.pid);
  };
  return holdsOf() ? 'ended' : 'running';
}
