import {
  close,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Corrupt, type Store } from '@lethe/core';
import { makeFolder, settleFolder } from './folder.js';
import { takeLock, type Lock } from './lock-file.js';

/** A store that locks a file until it is closed. */
export interface FileStore extends Store {
  /** Releases the file to other writers. Later calls of the store throw `Corrupt`. */
  close(): void;
}

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /** Permissions of a new file. Use 0o600 for secret logs. @defaultValue 0o644 */
  readonly mode?: number;
  /** Waits for the disk after every append, so charges survive a power failure. @defaultValue true */
  readonly durable?: boolean;
}

/**
 * A store in one file with a single writer. A lock file beside the real path (symbolic links resolved) names
 * the process that holds it; the lock of a process that has ended is taken over. Before each append the store
 * checks that the file is the one it opened, under the same name, with the length of this writer's last
 * write.
 *
 * @throws {Corrupt} when another process holds or may hold the file, the file has a second name (a hard
 * link), or the path is a dangling symbolic link.
 */
export function fileStore(path: string, { mode = 0o644, durable = true }: FileStoreOptions = {}): FileStore {
  const name = resolve(path);
  makeFolder(dirname(name));
  const { real, lock } = lockedPlace(name);
  let file = openOrRelease(real, { lock, mode, durable });
  let length = fstatSync(file).size;
  let isOpen = true;
  const names = [...new Set([name, real])];
  const settle = (): void => {
    if (durable) fsyncSync(file);
  };
  const assertAlone = (): void => {
    if (!isOpen) throw new Corrupt(`${path} was closed by this writer; open it again`, { path });
    const own = fstatSync(file, { bigint: true });
    if (!names.every((each) => isSame(own, statSync(each, { bigint: true, throwIfNoEntry: false }))))
      throw new Corrupt(
        `${path} was moved, deleted or replaced while it was in use; nothing was written. ` +
          'Put back the file that was there, then go on from it.',
        { path },
      );
    const now = Number(own.size);
    if (now !== length)
      throw new Corrupt(
        `${path} has ${now} bytes, but this writer left ${length}: another process has written to it. ` +
          'Stop the other process first.',
        { path, now, length },
      );
  };
  return {
    read() {
      assertAlone();
      return new Uint8Array(readFileSync(name));
    },
    append(bytes) {
      assertAlone();
      let written = 0;
      while (written < bytes.length)
        written += writeSync(file, bytes, written, bytes.length - written, length + written);
      length += bytes.length;
      settle();
    },
    truncate(to) {
      assertAlone();
      // Truncation beyond the end would append zeros.
      if (to >= length) return;
      ftruncateSync(file, to);
      length = to;
      settle();
    },
    replace(bytes) {
      assertAlone();
      const fresh = renamedOver(real, bytes, { mode, durable });
      // The system frees the file's blocks when it is closed, which may take long; nothing waits for it.
      close(file, () => undefined);
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

const isSame = (own: BigIntStats, named: BigIntStats | undefined): boolean =>
  named?.ino === own.ino && named.dev === own.dev;

/** Locks the real path. It tries again if a symbolic link changes meanwhile. */
function lockedPlace(name: string): { readonly real: string; readonly lock: Lock } {
  for (;;) {
    const real = realPath(name);
    const lock = takeLock(real);
    if (realPath(name) === real) return { real, lock };
    lock.release();
  }
}

/** The path with symbolic links resolved; the file need not exist. */
function realPath(name: string): string {
  if (existsSync(name)) return realpathSync.native(name);
  // The target may be on a disk that is not mounted; a new ledger would lose the recorded costs.
  if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Corrupt(
      `${name} is a symbolic link to a missing file. ` +
        'Restore that file, or delete the link to begin a new one.',
      { path: name },
    );
  return join(realpathSync.native(dirname(name)), basename(name));
}

interface Opening {
  readonly lock: Lock;
  readonly mode: number;
  readonly durable: boolean;
}

function openOrRelease(path: string, { lock, mode, durable }: Opening): number {
  let file: number | undefined;
  try {
    const isNew = !existsSync(path);
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, mode);
    if (isNew && durable) settleFolder(dirname(path));
    const { nlink } = fstatSync(file);
    if (nlink > 1)
      throw new Corrupt(
        `${path} has ${nlink} names (hard links), and a lock covers only one name; ` +
          'a ledger has one writer. Delete the other names, or make this one a copy.',
        { path, names: nlink },
      );
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    lock.release();
    throw error;
  }
}

/** Writes a new file and renames it to `path`; returns its open descriptor. */
function renamedOver(
  path: string,
  bytes: Uint8Array,
  { mode, durable }: Pick<Opening, 'mode' | 'durable'>,
): number {
  const next = `${path}.next`;
  const fresh = openSync(next, 'w+', mode);
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
