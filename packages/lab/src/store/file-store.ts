import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Corrupt, type Store } from '@lethe/core';

/** A store that holds a file until it is closed. */
export interface FileStore extends Store {
  /** Gives the file back to other writers. */
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
 * A store in one file, with a single writer: a lock file names the process that has it, and each append first checks that the
 * file is as long as this writer left it.
 *
 * @throws {Corrupt} when another live process holds the file.
 */
export function fileStore(path: string, { mode = 0o644, durable = true }: FileStoreOptions = {}): FileStore {
  mkdirSync(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  takeLock(path, lock);
  let file = openOrUnlock(path, lock, mode, durable);
  let length = fstatSync(file).size;
  const settle = (): void => { if (durable) fsyncSync(file); };
  const assertAlone = (): void => {
    const now = fstatSync(file).size;
    if (now !== length) throw new Corrupt(`${path} is ${now} bytes long, this writer left it at ${length}: somebody else has written to it. Find the other process before going on.`, { path, now, length });
  };
  return {
    read() { assertAlone(); return new Uint8Array(readFileSync(path)); },
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
      const next = `${path}.next`;
      const fresh = openSync(next, 'w+', mode);
      writeFileSync(fresh, bytes);
      if (durable) fsyncSync(fresh);
      renameSync(next, path);
      if (durable) settleFolder(dirname(path));
      closeSync(file);
      file = fresh;
      length = bytes.length;
    },
    close() {
      closeSync(file);
      unlinkSync(lock);
    },
  };
}

function openOrUnlock(path: string, lock: string, mode: number, durable: boolean): number {
  try {
    const isNew = !existsSync(path);
    const file = openSync(path, isNew ? 'w+' : 'r+', mode);
    if (isNew && durable) settleFolder(dirname(path));
    return file;
  } catch (error) {
    unlinkSync(lock);
    throw error;
  }
}

/** A new name survives a power failure only when its folder is on disk too. Windows has no such call, and needs none. */
function settleFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function takeLock(path: string, lock: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const owner = Number(readFileSync(lock, 'utf8'));
      if (Number.isSafeInteger(owner) && owner > 0 && isAlive(owner)) {
        throw new Corrupt(`${path} is in use by process ${owner}; a ledger has one writer. Wait for it, or stop it.`, { path, owner });
      }
      unlinkSync(lock);
    }
  }
  throw new Corrupt(`${path} could not be locked; another process keeps taking it`, { path });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
