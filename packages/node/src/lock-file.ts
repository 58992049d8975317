import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { Corrupt } from '@lethe/core';
import { isCreated } from './create-whole.js';
import { assertEnded, heldHere, lockOf, pipeOf, readHolder, type Holder } from './holder.js';
import { holdPipe } from './pipe.js';
import { thisProcess } from './this-process.js';

/** A lock held by this process. */
export interface Lock {
  /** Releases the lock. */
  release(): void;
}

/**
 * Takes the lock of a file: a lock file beside it that names this process. If the owner has ended, exactly
 * one waiting process takes the lock over.
 *
 * @throws {Corrupt} when another process holds or may hold the lock; the message names the lock and the
 * remedy.
 */
export function takeLock(path: string): Lock {
  const id = randomBytes(8).toString('hex');
  const lock = lockOf(path);
  const pipe = holdPipe(pipeOf(path, { id }));
  const end = (): void => {
    pipe?.release();
    heldHere.delete(id);
  };
  heldHere.add(id);
  try {
    claim(lock, { id, ...thisProcess(), pipe: pipe !== null }, path);
  } catch (error) {
    end();
    throw error;
  }
  return {
    // No process replaces the lock of a running process, but a person may have deleted it.
    release() {
      if (readHolder(lock)?.id === id) unlinkSync(lock);
      end();
    },
  };
}

const attempts = 100;

/** Makes `holder` the owner of the lock in `place`, if there is no owner or the owner has ended. */
function claim(place: string, holder: Holder, path: string): void {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (isCreated(place, JSON.stringify(holder))) return;
    const before = readHolder(place);
    if (before === undefined) continue;
    assertEnded(before, path);
    if (isSuccessor(place, { before, holder, path })) return;
  }
  throw new Corrupt(
    `${path} could not be locked: other processes keep taking and releasing ${place}. ` +
      'Try again when they have ended.',
    { path, lock: place },
  );
}

/**
 * Replaces an owner that has ended. Only the process that holds the turn may do so: the turn is a second
 * lock, named after the ended owner. It also checks that this owner is still in place, so a late process
 * never replaces a new owner.
 */
function isSuccessor(
  place: string,
  { before, holder, path }: { readonly before: Holder; readonly holder: Holder; readonly path: string },
): boolean {
  const turn = `${place}.${before.id}.turn`;
  claim(turn, holder, path);
  try {
    if (readHolder(place)?.id !== before.id) return false;
    renameSync(written(place, holder), place);
    rmSync(pipeOf(path, before), { force: true });
    return true;
  } finally {
    unlinkSync(turn);
  }
}

function written(place: string, holder: Holder): string {
  const next = `${place}.${holder.id}.new`;
  // On disk before the rename: after a power failure an empty lock would name no owner.
  writeFileSync(next, JSON.stringify(holder), { flush: true });
  return next;
}
