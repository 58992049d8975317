/** A prefix code: how many codewords have each length, and what they stand for, in their order. */
interface PrefixCode {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

const longest = 15;

const noMeaning = () => new TypeError('compressed data have a codeword without a meaning');
const tooShort = () => new TypeError('compressed data end too early');

/**
 * The prefix code whose codewords have these lengths; 0 for a symbol without one.
 *
 * @throws TypeError for more codewords than there are of their lengths.
 */
function codeOf(lengths: readonly number[]): PrefixCode {
  const ofLength = Array.from({ length: longest + 1 }, (): number[] => []);
  for (const [symbol, length] of lengths.entries()) ofLength[length]?.push(symbol);
  ofLength[0] = [];
  const counts = ofLength.map((one) => one.length);
  if (counts.reduce((sum, count, size) => sum + count / 2 ** size, 0) > 1) throw noMeaning();
  return { counts, symbols: ofLength.flat() };
}

/** Numbers told as the start of a range and some bits more: the ranges follow one another. */
function rangesOf(first: number, extraBits: readonly number[]): readonly (readonly [number, number])[] {
  let start = first;
  return extraBits.map((bits) => {
    const range = [start, bits] as const;
    start += 1 << bits;
    return range;
  });
}

const lengths = [
  ...rangesOf(
    3,
    repeated(28, (i) => Math.max(0, (i >> 2) - 1)),
  ),
  [258, 0] as const,
];
const distances = rangesOf(
  1,
  repeated(30, (i) => Math.max(0, (i >> 1) - 1)),
);
/** The codes that are not written: of literals and lengths, and of distances. */
const usualCodes = () =>
  [
    codeOf([
      ...repeated(144, () => 8),
      ...repeated(112, () => 9),
      ...repeated(24, () => 7),
      ...repeated(8, () => 8),
    ]),
    codeOf(repeated(30, () => 5)),
  ] as const;
/** In which order the lengths of the code of lengths are written. */
const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function repeated(length: number, value: (i: number) => number): number[] {
  return Array.from({ length }, (_, i) => value(i));
}

/**
 * Inflates raw DEFLATE data at once, which no function of all browsers does.
 *
 * @param packed - The data. RFC 1951.
 * @param length - Bytes that they hold.
 * @throws TypeError for data that are cut short, or have no meaning.
 */
export function inflate(packed: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  let filled = 0;
  let at = 0;
  // Behind the end all bits are 0.
  const bits = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) value |= (((packed[at >> 3] ?? 0) >> (at & 7)) & 1) << i;
    return value;
  };
  const symbol = ({ counts, symbols }: PrefixCode): number => {
    // Codewords of one length are consecutive numbers, and follow those that are shorter.
    let word = 0;
    let first = 0;
    let before = 0;
    for (let size = 1; size <= longest; size++, at++) {
      word = 2 * word + (((packed[at >> 3] ?? 0) >> (at & 7)) & 1);
      first *= 2;
      const count = counts[size] ?? 0;
      if (word < first + count) {
        at++;
        return symbols[before + word - first] ?? 0;
      }
      first += count;
      before += count;
    }
    throw noMeaning();
  };
  const numberIn = (ranges: readonly (readonly [number, number])[], i: number): number => {
    const range = ranges[i];
    if (range === undefined) throw noMeaning();
    return range[0] + bits(range[1]);
  };
  const codes = (): readonly [PrefixCode, PrefixCode] => {
    const [literals, backs, told] = [257 + bits(5), 1 + bits(5), 4 + bits(4)];
    const sizes = repeated(19, () => 0);
    for (const i of order.slice(0, told)) sizes[i] = bits(3);
    const sizeCode = codeOf(sizes);
    const all: number[] = [];
    while (all.length < literals + backs) {
      const size = symbol(sizeCode);
      if (size < 16) all.push(size);
      else if (size === 16) {
        const last = all.at(-1);
        if (last === undefined) throw noMeaning();
        all.push(...repeated(3 + bits(2), () => last));
      } else all.push(...repeated(size === 17 ? 3 + bits(3) : 11 + bits(7), () => 0));
    }
    if (all.length > literals + backs) throw noMeaning();
    return [codeOf(all.slice(0, literals)), codeOf(all.slice(literals))];
  };
  const room = (count: number): void => {
    if (filled + count > length) throw new TypeError('compressed data are longer than they should be');
  };
  for (let isLast = false; !isLast;) {
    isLast = bits(1) === 1;
    const kind = bits(2);
    // Zeros behind the end would be empty blocks without a last one.
    if (at > 8 * packed.length) throw tooShort();
    if (kind === 3) throw new TypeError('compressed data have a block of no kind');
    if (kind === 0) {
      at = (at + 7) & ~7;
      const count = bits(16);
      if (bits(16) !== (count ^ 0xffff)) throw new TypeError('compressed data have a length that is none');
      room(count);
      for (let i = 0; i < count; i++) out[filled++] = bits(8);
      continue;
    }
    const [literal, back] = kind === 1 ? usualCodes() : codes();
    for (let next = symbol(literal); next !== 256; next = symbol(literal)) {
      if (at > 8 * packed.length) throw tooShort();
      if (next < 256) {
        room(1);
        out[filled++] = next;
      } else {
        const count = numberIn(lengths, next - 257);
        const distance = numberIn(distances, symbol(back));
        if (distance > filled) throw new TypeError('compressed data repeat what was not there');
        // What is repeated may reach into what repeats it.
        for (let left = count; left > 0;) {
          const part = Math.min(left, distance);
          room(part);
          out.copyWithin(filled, filled - distance, filled - distance + part);
          filled += part;
          left -= part;
        }
      }
    }
  }
  if (at > 8 * packed.length) throw tooShort();
  if (filled < length) throw new TypeError('compressed data are shorter than they should be');
  return out;
}
