import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Corrupt } from '@lethe/core';
import { z } from 'zod';
import { isLocalDisk } from './local-disk.js';
import { isHeld } from './pipe.js';
import { isRunning, startOf, thisProcess, type ProcessIdentity } from './this-process.js';

/** Who holds a lock, as its file says. */
export interface Holder extends ProcessIdentity {
  /** Drawn anew for every lock that is taken. */
  readonly id: string;
  /** Whether the holder keeps a pipe open as long as it lives. */
  readonly pipe: boolean;
}

const told = z.string().nullable();
const holderSchema = z.strictObject({ id: z.string().regex(/^[0-9a-f]{16}$/u), pid: z.int().positive(), start: told, machine: told, namespace: told, pipe: z.boolean() });
/** A bare number is all that older versions wrote. */
const lockSchema = z.union([holderSchema, z.int().positive().transform((pid): Holder => ({ id: `pid-${pid}`, pid, start: null, machine: null, namespace: null, pipe: false }))]);

/** The file that a lock of `path` is. */
export const lockOf = (path: string): string => `${path}.lock`;
/** The pipe that a holder of the lock of `path` keeps open. */
export const pipeOf = (path: string, { id }: Pick<Holder, 'id'>): string => `${lockOf(path)}.${id}`;

/**
 * Who holds the lock in `place`; `undefined` when nobody does.
 *
 * @throws {Corrupt} when the file is not a lock.
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
    throw new Corrupt(`${place} does not say which process holds the lock. Make sure that no process uses the file, then delete ${place}.`, { lock: place }, { cause });
  }
}

/** @throws {Corrupt} unless the holder of the lock of `path` has ended for certain. */
export function assertEnded(holder: Holder, path: string): void {
  const state = stateOf(holder, path);
  if (state === 'ended') return;
  const lock = lockOf(path), details = { path, lock, owner: holder.pid };
  if (state === 'running') throw new Corrupt(`${path} is in use by process ${holder.pid}; a ledger has one writer. Wait for it, or stop it. Only where no such process is left, delete ${lock}.`, details);
  throw new Corrupt(`${path} may be in use by process ${holder.pid} of another machine or container, which cannot be seen from here; a ledger has one writer. Make sure that it has ended, then delete ${lock}.`, details);
}

/** Ids of the locks that this process holds, for platforms that tell neither starts nor pipes. */
export const heldHere = new Set<string>();

function stateOf(holder: Holder, path: string): 'running' | 'ended' | 'unknown' {
  const here = thisProcess(), held = holder.pipe ? isHeld(pipeOf(path, holder)) : undefined;
  if (held === true || heldHere.has(holder.id)) return 'running';
  // A disk that no other machine can have had another one only before a reboot.
  if (holder.machine !== null && holder.machine !== here.machine) return here.machine !== null && isLocalDisk(dirname(path)) ? 'ended' : 'unknown';
  if (held === false) return 'ended';
  if (holder.namespace !== null && holder.namespace !== here.namespace) return 'unknown';
  if (!isRunning(holder.pid)) return 'ended';
  return (holder.start === null ? holder.pid === here.pid : holder.start !== startOf(holder.pid)) ? 'ended' : 'running';
}
