import { closeSync, constants, existsSync, fstatSync, fsyncSync, ftruncateSync, lstatSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync, writeSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Corrupt, type Store } from '@lethe/core';
import { makeFolder, settleFolder } from './folder.js';
import { takeLock, type Lock } from './lock-file.js';

/** A store that holds a file until it is closed. */
export interface FileStore extends Store {
  /** Gives the file back to other writers. What is asked of the store afterwards is refused as `Corrupt`. */
  close(): void;
}

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /** Permissions of a new file. Secret logs use 0o600. @defaultValue 0o644 */
  readonly mode?: number;
  /** Waits for the disk after every append, so that a charge survives a power failure. @defaultValue true */
  readonly durable?: boolean;
}

/**
 * A store in one file, with a single writer. A lock beside the file, under the name that symbolic links lead to, names the
 * process that has it; the lock of a process that has ended is taken over. Before each append the file must be the one that
 * was opened, under its name, and as long as this writer left it.
 *
 * @throws {Corrupt} when another process holds the file or may hold it, the file has a second name (a hard link), or the
 * path is a symbolic link to nothing.
 */
export function fileStore(path: string, { mode = 0o644, durable = true }: FileStoreOptions = {}): FileStore {
  const name = resolve(path);
  makeFolder(dirname(name));
  const { real, lock } = lockedPlace(name);
  let file = openOrRelease(real, { lock, mode, durable });
  let length = fstatSync(file).size;
  let isOpen = true;
  const names = [...new Set([name, real])];
  const settle = (): void => { if (durable) fsyncSync(file); };
  const assertAlone = (): void => {
    if (!isOpen) throw new Corrupt(`${path} was closed by this writer; open it again`, { path });
    const own = fstatSync(file, { bigint: true });
    if (!names.every((each) => isSame(own, statSync(each, { bigint: true, throwIfNoEntry: false })))) throw new Corrupt(`${path} was moved, deleted or replaced while it was in use; nothing was written. Put back the file that was there, then go on from it.`, { path });
    const now = Number(own.size);
    if (now !== length) throw new Corrupt(`${path} is ${now} bytes long, this writer left it at ${length}: somebody else has written to it. Find the other process before going on.`, { path, now, length });
  };
  return {
    read() { assertAlone(); return new Uint8Array(readFileSync(name)); },
    append(bytes) {
      assertAlone();
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written, length + written);
      length += bytes.length;
      settle();
    },
    truncate(to) {
      assertAlone();
      // Beyond its end a file would be filled up with zeros.
      if (to >= length) return;
      ftruncateSync(file, to);
      length = to;
      settle();
    },
    replace(bytes) {
      assertAlone();
      const fresh = renamedOver(real, bytes, { mode, durable });
      closeSync(file);
      file = fresh;
      length = bytes.length;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(file);
      lock.release();
    },
  };
}

const isSame = (own: BigIntStats, named: BigIntStats | undefined): boolean => named?.ino === own.ino && named.dev === own.dev;

/** The lock of the file that a path leads to. A link that is changed between is looked at again. */
function lockedPlace(name: string): { readonly real: string; readonly lock: Lock } {
  for (;;) {
    const real = realPath(name), lock = takeLock(real);
    if (realPath(name) === real) return { real, lock };
    lock.release();
  }
}

/** The path without symbolic links, of a file that may be there or not. */
function realPath(name: string): string {
  if (existsSync(name)) return realpathSync.native(name);
  // A new ledger in place of one on a disk that is not there would forget what was spent.
  if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Corrupt(`${name} is a symbolic link to a file that is not there. Bring back that file, or delete the link to begin a new one.`, { path: name });
  return join(realpathSync.native(dirname(name)), basename(name));
}

interface Opening { readonly lock: Lock; readonly mode: number; readonly durable: boolean }

function openOrRelease(path: string, { lock, mode, durable }: Opening): number {
  let file: number | undefined;
  try {
    const isNew = !existsSync(path);
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, mode);
    if (isNew && durable) settleFolder(dirname(path));
    const { nlink } = fstatSync(file);
    if (nlink > 1) throw new Corrupt(`${path} has ${nlink} names (hard links), and the lock of one says nothing about the others; a ledger has one writer. Delete the other names, or make this one a copy.`, { path, names: nlink });
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    lock.release();
    throw error;
  }
}

/** Writes a file beside `path` and gives it that name; returns it open. */
function renamedOver(path: string, bytes: Uint8Array, { mode, durable }: Pick<Opening, 'mode' | 'durable'>): number {
  const next = `${path}.next`, fresh = openSync(next, 'w+', mode);
  try {
    writeFileSync(fresh, bytes);
    if (durable) fsyncSync(fresh);
    renameSync(next, path);
  } catch (error) {
    closeSync(fresh);
    rmSync(next, { force: true });
    throw error;
  }
  if (durable) settleFolder(dirname(path));
  return fresh;
}
