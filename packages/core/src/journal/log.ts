import {
  Corrupt,
  InvalidParameter,
  keyedHash128,
  decode,
  createScratch,
  encodeInto,
  ensureRoom,
} from '@lethe/numerics';
import { codeSize, headerSize, lengthCheck, preamble, startsWith, whyNot } from './frame.js';
import { oneWriter } from './one-writer.js';
import type { Store } from './store.js';

/** Kind and key of a log. */
export interface LogOptions {
  /** Kind of log, 1 to 64 ASCII characters. A log of another kind is refused. */
  readonly magic: string;
  /** Secret authentication key, 16 bytes. Without a key, damage is detected but forgery is not. */
  readonly key?: Uint8Array | undefined;
}

/** An append-only list of plain records. One writer at a time. */
export interface Log {
  /** The records read when the log was opened; empty after {@link Log.rewrite} or {@link Log.forget}. */
  readonly records: readonly unknown[];
  /** Number of records stored. */
  readonly count: number;
  /** Size in bytes, with the preamble. */
  readonly size: number;
  /** Authentication code after the last record, 16 bytes; it covers all earlier bytes. */
  readonly code: Uint8Array;
  /** All records, read again from the store. @throws {Corrupt} when the store's content changed since. */
  readAgain(): readonly unknown[];
  /**
   * Appends a record and returns when the store has made it durable. The first append also truncates the
   * remains of an interrupted one.
   *
   * @throws {InvalidParameter} when `record` is not plain data; nothing is written.
   * @throws {Corrupt} after a failed write, because the stored bytes are unknown until the log is opened
   * again; and after another open log has written to the same store.
   */
  append(record: unknown): void;
  /** Replaces all records atomically by `records`. @throws as {@link Log.append}. */
  rewrite(records: readonly unknown[]): void;
  /** Frees the memory of {@link Log.records}. */
  forget(): void;
}

const noKey = new Uint8Array(16);

/**
 * Opens a log and checks every byte. Opening does not write: an incomplete last record, left by an
 * interrupted process, is ignored, and the next append truncates it.
 *
 * @throws {Corrupt} with the byte position, when the stored bytes have changed; for example when a file
 * system padded the file with zeros after a power failure.
 * @throws {InvalidParameter} when `magic` or `key` has an invalid form.
 */
export function openLog(store: Store, { magic, key = noKey }: LogOptions): Log {
  if (!/^[ -~]{1,64}$/u.test(magic))
    throw new InvalidParameter(`magic is '${magic}'; it must be 1 to 64 printable ASCII characters`, {
      magic,
    });
  if (key.length !== 16)
    throw new InvalidParameter(`a log's key has 16 bytes; this one has ${key.length}`, {
      length: key.length,
    });
  return attach(store, magic, key.slice());
}

function attach(store: Store, magic: string, key: Uint8Array): Log {
  const beginning = preamble(magic, key);
  const scratch = createScratch();
  const alone = oneWriter(store, magic);
  let { records, end, size, code } = readAll(store.read(), magic, key, beginning);
  let count = records.length;
  let broken = false;

  const write = (action: () => void): void => {
    if (broken)
      throw new Corrupt(
        `log '${magic}': an earlier write failed, so what is stored is unknown; open the log again`,
        { magic },
      );
    alone(() => {
      broken = true;
      action();
      broken = false;
    });
  };
  /**
   * Writes the previous code, header, payload and new code to the scratch buffer; returns the end position.
   */
  const frame = (record: unknown, before: Uint8Array): number => {
    const payload = codeSize + headerSize;
    const after = encodeInto(scratch, record, payload);
    ensureRoom(scratch, after + codeSize);
    const { bytes, view } = scratch;
    bytes.set(before);
    view.setUint32(codeSize, after - payload, true);
    view.setUint32(codeSize + 4, lengthCheck(after - payload, view, 0), true);
    bytes.set(keyedHash128(key, bytes.subarray(0, after)), after);
    return after + codeSize;
  };

  return {
    get records() {
      return records;
    },
    get count() {
      return count;
    },
    get size() {
      return end;
    },
    get code() {
      return code.slice();
    },
    readAgain() {
      const now = readAll(store.read(), magic, key, beginning);
      if (now.end !== end || !startsWith(now.code, code))
        throw new Corrupt(
          `log '${magic}': the store no longer holds the ${end} bytes that this log read and wrote; ` +
            'another process has written to it. Stop the other process first.',
          { magic, size: end, now: now.end },
        );
      return now.records;
    },
    forget() {
      records = [];
    },
    append(record) {
      const stop = frame(record, code);
      write(() => {
        if (size > end) store.truncate(end);
        if (end === 0) store.append(joined([beginning, scratch.bytes.subarray(codeSize, stop)]));
        else store.append(scratch.bytes.subarray(codeSize, stop));
      });
      size = (end === 0 ? beginning.length : end) + stop - codeSize;
      end = size;
      code = scratch.bytes.slice(stop - codeSize, stop);
      count++;
    },
    rewrite(all) {
      const parts = [beginning];
      let last = beginning.slice(-codeSize);
      for (const record of all) {
        const stop = frame(record, last);
        parts.push(scratch.bytes.slice(codeSize, stop));
        last = scratch.bytes.slice(stop - codeSize, stop);
      }
      const bytes = joined(parts);
      write(() => store.replace(bytes));
      size = bytes.length;
      end = size;
      code = last;
      count = all.length;
      records = [];
    },
  };
}

interface Contents {
  readonly records: readonly unknown[];
  readonly end: number;
  readonly size: number;
  readonly code: Uint8Array;
}

function readAll(bytes: Uint8Array, magic: string, key: Uint8Array, beginning: Uint8Array): Contents {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const corrupt = (at: number, what: string): Corrupt =>
    new Corrupt(
      `log '${magic}': ${what} (byte ${at} of ${bytes.length}). ` +
        'Restore the newest copy of the file; nothing was changed.',
      { magic, byte: at, size: bytes.length, what },
    );
  if (bytes.length < beginning.length && startsWith(beginning, bytes))
    return { records: [], end: 0, size: bytes.length, code: beginning.slice(-codeSize) };
  if (!startsWith(bytes, beginning)) throw corrupt(0, whyNot(bytes, beginning, magic));

  const records: unknown[] = [];
  let at = beginning.length;
  for (;;) {
    const left = bytes.length - at;
    if (left >= 4 && view.getUint32(at, true) === 0)
      throw corrupt(
        at,
        `record ${records.length} has no length; the file may have been padded with zeros when power failed`,
      );
    if (left < headerSize) break;
    const length = view.getUint32(at, true);
    if (view.getUint32(at + 4, true) !== lengthCheck(length, view, at - codeSize))
      throw corrupt(at, `the length of record ${records.length} is damaged`);
    const payload = at + headerSize;
    if (left < headerSize + length + codeSize) break;
    const stop = payload + length;
    const code = keyedHash128(key, bytes.subarray(at - codeSize, stop));
    let differ = 0;
    for (let i = 0; i < codeSize; i++) differ |= bytes[stop + i] ^ code[i];
    if (differ !== 0) throw corrupt(at, `record ${records.length} is damaged`);
    try {
      records.push(decode(bytes.subarray(payload, stop)));
    } catch (error) {
      throw new Corrupt(
        `log '${magic}': record ${records.length} (byte ${payload}) is authentic but unreadable; ` +
          'it was written by another version. Use that version.',
        { magic, byte: payload },
        { cause: error },
      );
    }
    at = stop + codeSize;
  }
  return { records, end: at, size: bytes.length, code: bytes.slice(at - codeSize, at) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
