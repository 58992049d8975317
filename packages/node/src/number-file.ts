import { randomBytes } from 'node:crypto';
import { closeSync, openSync, read, readSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidParameter, Unsupported, type NumberStore } from '@lethe/core';

/** Bytes that are read ahead, and where they go: the system keeps them, and nobody looks at these. */
const farAhead = 2 ** 24;
const fetched = new Uint8Array(2 ** 22);

/** Numbers in a file of this process alone. */
export interface NumberFile extends NumberStore {
  /** Puts numbers behind the last one. */
  append(numbers: Float64Array): void;
  /** Frees the room on the disk. */
  close(): void;
}

/** Where a file of numbers is made. */
export interface NumberFileOptions {
  /** Folder on a disk with room for the numbers, 8 bytes each. @defaultValue that for temporary files */
  readonly folder?: string;
  /** Numbers that it is going to hold, if known: a disk without room for them is refused at once. */
  readonly expected?: number;
}

/**
 * A file of 64-bit numbers that only this process can read, for records too many for memory. It has no name
 * once it is open, so that nothing of it is left when the process ends, however it ends; on Windows, where
 * open files keep their names, it is deleted by `close`, and at the process's regular end.
 *
 * @throws {InvalidParameter} for a folder where no file can be made.
 * @throws {Unsupported} where the disk has no room.
 */
export function numberFile({ folder = tmpdir(), expected = 0 }: NumberFileOptions = {}): NumberFile {
  const { file, close } = namelessFile(folder);
  let length = 0;
  /** The end of the last read, and of what was read ahead. */
  let [end, ahead] = [-1, 0];
  /** While numbers are read one after the other, the next ones are fetched, so that the disk never waits. */
  const readAhead = (at: number, size: number): void => {
    if (at !== end) {
      ahead = at;
      return;
    }
    for (; ahead < Math.min(size, at + farAhead); ahead += fetched.length)
      if (ahead > at) read(file, fetched, 0, fetched.length, ahead, () => undefined);
  };
  const write = (at: number, from: Float64Array): void => {
    assertInside(at, from.length);
    writeAll(file, bytesOf(from), 8 * at, folder);
  };
  const assertInside = (at: number, count: number): void => {
    if (!(Number.isSafeInteger(at) && at >= 0 && at + count <= length))
      throw new InvalidParameter(`numbers ${at} to ${at + count} of a file of ${length} were asked for`, {
        at,
        count,
        length,
      });
  };
  const store: NumberFile = {
    get length() {
      return length;
    },
    read(at, into) {
      assertInside(at, into.length);
      readAhead(8 * at, 8 * length);
      const bytes = bytesOf(into);
      for (let done = 0; done < bytes.length;) {
        const count = readSync(file, bytes, done, bytes.length - done, 8 * at + done);
        if (count === 0) throw new Error('a file of numbers ends before its last number');
        done += count;
      }
      end = 8 * (at + into.length);
    },
    write,
    append(numbers) {
      length += numbers.length;
      write(length - numbers.length, numbers);
    },
    close,
  };
  try {
    assertRoom(folder, expected);
  } catch (error) {
    close();
    throw error;
  }
  return store;
}

/** What removes the files that still have names, on Windows. */
const named = new Map<string, () => void>();

function namelessFile(folder: string): { readonly file: number; readonly close: () => void } {
  const path = join(folder, `lethe-${randomBytes(12).toString('hex')}.numbers`);
  let file: number;
  try {
    file = openSync(path, 'wx+', 0o600);
  } catch (cause) {
    throw new InvalidParameter(
      `no file can be made in ${folder} (${(cause as NodeJS.ErrnoException).code}); give another folder`,
      { folder },
      { cause },
    );
  }
  const close = (): void => closeSync(file);
  if (process.platform !== 'win32') {
    unlinkSync(path);
    return { file, close };
  }
  if (named.size === 0)
    process.once('exit', () => {
      for (const atEnd of named.values()) atEnd();
    });
  const closeAndRemove = (): void => {
    close();
    rmSync(path, { force: true });
    named.delete(path);
  };
  named.set(path, closeAndRemove);
  return { file, close: closeAndRemove };
}

function assertRoom(folder: string, expected: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (8 * expected > bavail * bsize)
    throw noRoom(folder, `${gigabytes(8 * expected)} are needed and ${gigabytes(bavail * bsize)} are free`);
}

function writeAll(file: number, bytes: Uint8Array, at: number, folder: string): void {
  try {
    for (let done = 0; done < bytes.length;)
      done += writeSync(file, bytes, done, bytes.length - done, at + done);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') throw noRoom(folder, 'it is full', cause);
    throw cause;
  }
}

const noRoom = (folder: string, why: string, cause?: unknown): Unsupported =>
  new Unsupported(
    `the disk of ${folder} has no room for these records: ${why}. Free some, or give a folder on another ` +
      'disk.',
    { folder },
    { cause },
  );

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
