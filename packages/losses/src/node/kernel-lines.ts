import {
  takeOthers,
  type PlainColumn,
  type PlainTable,
  type PlainTexts,
  type TakenLines,
} from '../data/plain-lines.js';
import { appendNumbers } from '../data/number-list.js';
import { fivesFrom, fivesTo, layout, linesBase64 } from './plain-lines.wasm.js';

/** The longest text that is plain: a piece of a file, and what was left of the one before. */
const longestText = 2 ** 20 + 2 ** 12;
/** Behind a text stands a quote, where no plain field goes on; eight bytes are read at once. */
const textEnd = layout.text + longestText + 16;
/** Lines that are read together, and the most numbers of these; odd numbers that are. */
const mostBlockLines = 1024;
const blockNumbers = 2 ** 16;
const someOdd = 4096;
const pageBytes = 2 ** 16;
const [isNumber, isOther] = [1, 2];
const quote = '"'.charCodeAt(0);

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Kernel {
  readonly memory: Memory;
  /** See `tools/kernels/plain-lines.mjs`. */
  lines(
    at: number,
    end: number,
    delimiter: number,
    width: number,
    kinds: number,
    mostLines: number,
    numbers: number,
    stride: number,
    fields: number,
    ends: number,
    odd: number,
    mostOdd: number,
  ): number;
}

/**
 * Plain texts that are read in WebAssembly: `plainTexts`, faster. Numbers of up to 19 digits that are neither
 * very large nor very small are rounded there, others by `Number`.
 */
export function kernelTexts(): PlainTexts {
  shared ??= newReader();
  const reader = shared;
  return (text) => {
    if (text.length > longestText || text.includes('"') || !reader.hold(text)) return null;
    let held = reader.texts;
    return {
      text,
      read(table, delimiter, from, most) {
        // Whoever takes the records may have read another file meanwhile.
        if (held !== reader.texts) {
          reader.hold(text);
          held = reader.texts;
        }
        return reader.read(table, text, { delimiter, from, most });
      },
    };
  };
}

interface Reader {
  /** Texts that were held so far. */
  readonly texts: number;
  /** Puts a text into the memory. @returns false for one that is not ASCII. */
  hold(text: string): boolean;
  read(
    table: PlainTable,
    text: string,
    where: { readonly delimiter: number; readonly from: number; readonly most: number },
  ): TakenLines;
}

let shared: Reader | undefined;

function newReader(): Reader {
  const kernel = instantiate();
  const encoder = new TextEncoder();
  let texts = 0;
  let length = 0;
  return {
    get texts() {
      return texts;
    },
    hold(text) {
      texts++;
      const room = new Uint8Array(kernel.memory.buffer, layout.text, longestText + 1);
      const { read, written } = encoder.encodeInto(text, room);
      room[written] = quote;
      length = written;
      return read === text.length && written === text.length;
    },
    read({ width, columns, dialect }, text, { delimiter, from, most }) {
      if (columns.some(({ type }) => type === undefined)) return { end: from, lines: 0 };
      const numeric = columns.filter(({ type }) => type === 'number').toSorted((a, b) => a.at - b.at);
      const others = columns.filter(({ type }) => type !== 'number').toSorted((a, b) => a.at - b.at);
      const block = blockFor(kernel.memory, width);
      for (const { at } of numeric) block.kinds[at] = isNumber;
      for (const { at } of others) block.kinds[at] = isOther;
      const { numbers, fields, ends, odd, stride } = block;
      const oddCount = new Uint32Array(kernel.memory.buffer, layout.odd, 1);
      let end = from;
      let lines = 0;
      for (let isPlain = true; isPlain && lines < most && end < length;) {
        const read = kernel.lines(
          layout.text + end,
          layout.text + length,
          delimiter,
          width,
          block.kinds.byteOffset,
          Math.min(stride, most - lines),
          numbers.byteOffset,
          stride,
          fields.byteOffset,
          ends.byteOffset,
          odd.byteOffset,
          odd.length / 3,
        );
        const finite = putOdd(text, block, oddCount[0], read);
        const taken = takeFields(text, block, others, { dialect, lines: finite });
        for (const [k, column] of numeric.entries())
          appendNumbers(column.numbers, numbers.subarray(k * stride, k * stride + taken));
        if (taken > 0) end = ends[taken - 1] - layout.text;
        lines += taken;
        isPlain = taken > 0 && taken === read;
      }
      return { end, lines };
    },
  };
}

interface Block {
  readonly stride: number;
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly fields: Uint32Array;
  readonly ends: Uint32Array;
  readonly odd: Uint32Array;
}

/** Memory for lines of so many fields, behind the text. */
function blockFor(memory: Memory, width: number): Block {
  const stride = Math.max(1, Math.min(mostBlockLines, Math.floor(blockNumbers / width)));
  const cells = stride * width;
  const mostOdd = Math.max(someOdd, width);
  const kinds = align(textEnd);
  const numbers = align(kinds + width);
  const fields = numbers + 8 * cells;
  const ends = fields + 8 * cells;
  const odd = align(ends + 4 * stride);
  const lacking = odd + 12 * mostOdd - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / pageBytes));
  const { buffer } = memory;
  return {
    stride,
    kinds: new Uint8Array(buffer, kinds, width).fill(0),
    numbers: new Float64Array(buffer, numbers, cells),
    fields: new Uint32Array(buffer, fields, 2 * cells),
    ends: new Uint32Array(buffer, ends, stride),
    odd: new Uint32Array(buffer, odd, 3 * mostOdd),
  };
}

const align = (address: number): number => Math.ceil(address / 8) * 8;

/** Reads the odd numbers of a block. @returns the lines before the first with one that is not finite. */
function putOdd(text: string, { odd, numbers, stride }: Block, count: number, lines: number): number {
  for (let at = 0; at < 3 * count; at += 3) {
    const value = Number(text.slice(odd[at] - layout.text, odd[at + 1] - layout.text));
    if (!Number.isFinite(value)) return odd[at + 2] % stride;
    numbers[odd[at + 2]] = value;
  }
  return lines;
}

/** Takes the fields that are no numbers. @returns the lines before the first that is not plain by them. */
function takeFields(
  text: string,
  { fields, stride }: Block,
  others: readonly PlainColumn[],
  { dialect, lines }: Pick<PlainTable, 'dialect'> & { readonly lines: number },
): number {
  if (others.length === 0) return lines;
  let line = 0;
  const fieldOf = (_: PlainColumn, k: number): string => {
    const at = 2 * (k * stride + line);
    return text.slice(fields[at] - layout.text, fields[at + 1] - layout.text);
  };
  while (line < lines && takeOthers(others, dialect, fieldOf)) line++;
  return line;
}

function instantiate(): Kernel {
  const bytes = Uint8Array.from(atob(linesBase64), (character) => character.charCodeAt(0));
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WasmNamespace }).WebAssembly;
  const kernel = new Instance(new Module(bytes)).exports as Kernel;
  blockFor(kernel.memory, 1);
  const { buffer } = kernel.memory;
  new Float64Array(buffer, layout.tens, 23).set(Array.from({ length: 23 }, (_, k) => Number(`1e${k}`)));
  new BigUint64Array(buffer, layout.wholeTens, 8).set(Array.from({ length: 8 }, (_, k) => 10n ** BigInt(k)));
  const fives = new BigUint64Array(buffer, layout.fives, 2 * (fivesTo - fivesFrom + 1));
  for (let q = fivesFrom; q <= fivesTo; q++) {
    const digits = fiveTo(q);
    fives[2 * (q - fivesFrom)] = digits >> 64n;
    fives[2 * (q - fivesFrom) + 1] = digits & (2n ** 64n - 1n);
  }
  return kernel;
}

interface WasmNamespace {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/**
 * The first 128 binary digits of 5^q (Lemire 2021, §5): cut off, but rounded up where 5^-q is a word, so that
 * a product by which a word is divided exactly does not fall below what it stands for.
 */
function fiveTo(q: number): bigint {
  const power = 5n ** BigInt(Math.abs(q));
  const size = BigInt(power.toString(2).length);
  if (q >= 0) return size <= 128n ? power << (128n - size) : power >> (size - 128n);
  return (1n << (size + 127n)) / power + (q >= -27 ? 1n : 0n);
}
