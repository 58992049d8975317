import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidParameter, Unsupported, type NumberStore } from '@lethe/core';

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
  const { file, remove } = namelessFile(folder);
  let length = 0;
  const atEnd = (): void => {
    closeSync(file);
    remove();
  };
  process.once('exit', atEnd);
  const close = (): void => {
    process.off('exit', atEnd);
    atEnd();
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
      const bytes = bytesOf(into);
      for (let done = 0; done < bytes.length;) {
        const count = readSync(file, bytes, done, bytes.length - done, 8 * at + done);
        if (count === 0) throw new Error('a file of numbers ends before its last number');
        done += count;
      }
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

function namelessFile(folder: string): { readonly file: number; readonly remove: () => void } {
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
  if (process.platform === 'win32') return { file, remove: () => rmSync(path, { force: true }) };
  unlinkSync(path);
  return { file, remove: () => undefined };
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
    `the disk of ${folder} has no room for these records: ${why}. Free some, or give a folder on another disk.`,
    { folder },
    { cause },
  );

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
