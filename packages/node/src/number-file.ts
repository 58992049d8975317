import { randomBytes } from 'node:crypto';
import { closeSync, openSync, read, readSync, rmSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidParameter, Unsupported, type NumberStore } from '@lethe/core';

/** Bytes that are read ahead, and where they go: the system keeps them, and nobody looks at these. */
const farAhead = 2 ** 24;
const fetched = new Uint8Array(2 ** 22);

type AnyNumbers = Float64Array | Float32Array;

/** Numbers in a file of this process alone. */
export interface NumberFile<Numbers extends AnyNumbers = Float64Array> extends NumberStore<Numbers> {
  /** Puts numbers behind the last one. */
  append(numbers: Numbers): void;
  /** Frees the room on the disk. */
  close(): void;
}

/** Where a file of numbers is made. */
export interface NumberFileOptions<Bits extends 32 | 64 = 32 | 64> {
  /** Bits of a number: it is kept as it is given, in an array of as many. @defaultValue 64 */
  readonly precision?: Bits;
  /** Folder on a disk with room for the numbers. @defaultValue that for temporary files */
  readonly folder?: string;
  /** Numbers that it is going to hold, if known: a disk without room for them is refused at once. */
  readonly expected?: number;
}

/**
 * A file of numbers that only this process can read, for records too many for memory. It has no name
 * once it is open, so that nothing of it is left when the process ends, however it ends; on Windows, where
 * open files keep their names, it is deleted by `close`, and at the process's regular end.
 *
 * @throws {InvalidParameter} for a folder where no file can be made.
 * @throws {Unsupported} where the disk has no room.
 */
export function numberFile(options?: NumberFileOptions<64>): NumberFile;
export function numberFile(options: NumberFileOptions<32>): NumberFile<Float32Array>;
export function numberFile({
  precision = 64,
  folder = tmpdir(),
  expected = 0,
}: NumberFileOptions = {}): NumberFile<AnyNumbers> {
  const size = precision / 8;
  const { file, close } = namelessFile(folder);
  let length = 0;
  /** The end of the last read, and of what was read ahead. */
  let [end, ahead] = [-1, 0];
  /** While numbers are read one after the other, the next ones are fetched, so that the disk never waits. */
  const readAhead = (at: number, all: number): void => {
    if (at !== end) {
      ahead = at;
      return;
    }
    for (; ahead < Math.min(all, at + farAhead); ahead += fetched.length)
      if (ahead > at) read(file, fetched, 0, fetched.length, ahead, () => undefined);
  };
  const write = (at: number, from: AnyNumbers): void => {
    assertInside(at, from.length);
    writeAll(file, bytesOf(from), size * at, folder);
  };
  const assertInside = (at: number, count: number): void => {
    if (!(Number.isSafeInteger(at) && at >= 0 && at + count <= length))
      throw new InvalidParameter(`numbers ${at} to ${at + count} of a file of ${length} were asked for`, {
        at,
        count,
        length,
      });
  };
  const store: NumberFile<AnyNumbers> = {
    get length() {
      return length;
    },
    read(at, into) {
      assertInside(at, into.length);
      readAhead(size * at, size * length);
      const bytes = bytesOf(into);
      for (let done = 0; done < bytes.length;) {
        const count = readSync(file, bytes, done, bytes.length - done, size * at + done);
        if (count === 0) throw new Error('a file of numbers ends before its last number');
        done += count;
      }
      end = size * (at + into.length);
    },
    write,
    append(numbers) {
      length += numbers.length;
      write(length - numbers.length, numbers);
    },
    close,
  };
  try {
    assertRoom(folder, size * expected);
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

function assertRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bytes > bavail * bsize)
    throw noRoom(folder, `${gigabytes(bytes)} are needed and ${gigabytes(bavail * bsize)} are free`);
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

const bytesOf = ({ buffer, byteOffset, byteLength }: AnyNumbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
