import { createHash } from 'node:crypto';
import { decimal, missingWords } from '../data/cell.js';
import { parseInstant } from '../data/time.js';

/** Takes the cells of one column, in order. */
export interface ColumnDigest {
  readonly cells: number;
  add(cell: unknown): void;
  /** SHA-256 of the values. */
  finish(): Uint8Array;
}

const chunk = 65_536;
const kept = 4096;
const double = new Float64Array(1);
const octets = new Uint8Array(double.buffer);

/**
 * A digest of values, however they were written: `1`, `1.0` and
 * `"1"` are one, and so are an instant and its milliseconds.
 */
export function columnDigest(): ColumnDigest {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(chunk);
  const known = new Map<string, Uint8Array>();
  let used = 0;
  let cells = 0;
  const put = (bytes: Uint8Array): void => {
    if (used + bytes.length > chunk) {
      hash.update(buffer.subarray(0, used));
      used = 0;
    }
    if (bytes.length > chunk) {
      hash.update(bytes);
      return;
    }
    buffer.set(bytes, used);
    used += bytes.length;
  };
  const putNumber = (value: number): void => {
    if (used + 9 > chunk) {
      hash.update(buffer.subarray(0, used));
      used = 0;
    }
    buffer[used] = 1;
    // Minus zero is zero.
    double[0] = value + 0;
    for (let at = 0; at < 8; at++) buffer[used + 1 + at] = octets[at];
    used += 9;
  };
  return {
    get cells() {
      return cells;
    },
    add(cell) {
      cells++;
      if (typeof cell === 'bigint') cell = Number(cell);
      if (typeof cell === 'number' && !Number.isNaN(cell)) {
        putNumber(cell);
        return;
      }
      if (typeof cell !== 'string') {
        put(bytesOf(cell));
        return;
      }
      let bytes = known.get(cell);
      if (bytes === undefined) {
        bytes = bytesOf(cell);
        if (known.size < kept && cell.length <= 64) known.set(cell, bytes);
      }
      put(bytes);
    },
    finish() {
      return hash.update(buffer.subarray(0, used)).digest();
    },
  };
}

const missing = Uint8Array.of(0);

/** One value as bytes that no other value begins with. */
function bytesOf(cell: unknown): Uint8Array {
  if (cell === null || cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))) return missing;
  if (typeof cell === 'boolean' || typeof cell === 'number') return numberBytes(Number(cell));
  if (cell instanceof Date) return numberBytes(cell.getTime());
  if (typeof cell !== 'string')
    return textBytes(
      JSON.stringify(cell, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)) ?? '',
    );
  if (missingWords.has(cell.trim())) return missing;
  const number = decimal(cell);
  const value = Number.isFinite(number) ? number : parseInstant(cell);
  return Number.isNaN(value) ? textBytes(cell) : numberBytes(value);
}

function numberBytes(value: number): Uint8Array {
  double[0] = value + 0;
  return Uint8Array.of(1, ...octets);
}

function textBytes(text: string): Uint8Array {
  const content = Buffer.from(text, 'utf8');
  const head = Buffer.alloc(5, 2);
  head.writeUInt32LE(content.length, 1);
  return Buffer.concat([head, content]);
}
