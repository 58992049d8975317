import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { Corrupt } from '@lethe/core';
import { isCreated } from './create-whole.js';
import { assertEnded, heldHere, lockOf, pipeOf, readHolder, type Holder } from './holder.js';
import { holdPipe } from './pipe.js';
import { thisProcess } from './this-process.js';

/** A lock that this process holds. */
export interface Lock {
  /** Gives it to the next process. */
  release(): void;
}

/**
 * Takes the lock of a file: a file beside it that names this process. The lock of a process that has ended is taken over, by
 * one of those who want it.
 *
 * @throws {Corrupt} when another process holds the lock, or may hold it; the message names the lock and the way out.
 */
export function takeLock(path: string): Lock {
  const id = randomBytes(8).toString('hex'), lock = lockOf(path);
  const pipe = holdPipe(pipeOf(path, { id }));
  const end = (): void => { pipe?.release(); heldHere.delete(id); };
  heldHere.add(id);
  try {
    claim(lock, { id, ...thisProcess(), pipe: pipe !== null }, path);
  } catch (error) {
    end();
    throw error;
  }
  return {
    // While this process lives nobody else replaces its lock, but a person may have deleted it.
    release() { if (readHolder(lock)?.id === id) unlinkSync(lock); end(); },
  };
}

const attempts = 100;

/** Puts `holder` in `place`, where nobody stands or somebody who has ended. */
function claim(place: string, holder: Holder, path: string): void {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (isCreated(place, JSON.stringify(holder))) return;
    const before = readHolder(place);
    if (before === undefined) continue;
    assertEnded(before, path);
    if (isSuccessor(place, { before, holder, path })) return;
  }
  throw new Corrupt(`${path} could not be locked: other processes take ${place} and leave it all the time. Try again when they have ended.`, { path, lock: place });
}

/**
 * Replaces a holder that has ended. Of all who want to, only the one that holds the turn, a lock by itself that is named after
 * the holder, may do so, and only while that holder still stands there: a process that is late replaces nobody else.
 */
function isSuccessor(place: string, { before, holder, path }: { readonly before: Holder; readonly holder: Holder; readonly path: string }): boolean {
  const turn = `${place}.${before.id}.turn`;
  claim(turn, holder, path);
  try {
    if (readHolder(place)?.id !== before.id) return false;
    renameSync(written(place, holder), place);
    rmSync(pipeOf(path, before), { force: true });
    return true;
  } finally { unlinkSync(turn); }
}

function written(place: string, holder: Holder): string {
  const next = `${place}.${holder.id}.new`;
  // On disk before it has its name: a lock that is empty after a power failure would name nobody.
  writeFileSync(next, JSON.stringify(holder), { flush: true });
  return next;
}
