import { InvalidParameter } from '../errors.js';

/*
 * Prefix-free encoding of a label as a sequence of four-word inputs of the block function:
 *   number  [low, high, 0, 1]                             its bits as a double (−0 as 0)
 * string [length, 8 bytes, 2 or 3] [12 bytes, 4] … 2: one byte per UTF-16 unit, all below 256; 3: two bytes
 * each The keystream has 0 in the last word, so it shares no input with a label.
 */
const NUMBER = 1;
const NARROW = 2;
const WIDE = 3;
const MORE = 4;

/** Calls `use` for each block of the label. @throws {InvalidParameter} for a number that is not finite. */
export function eachLabelBlock(
  label: string | number,
  use: (a: number, b: number, c: number, tag: number) => void,
): void {
  if (typeof label === 'number') {
    if (!Number.isFinite(label))
      throw new InvalidParameter(`a source cannot be forked at ${label}; use a finite number or a string`, {
        label: String(label),
      });
    bits.setFloat64(0, label + 0);
    use(bits.getInt32(4), bits.getInt32(0), 0, NUMBER);
    return;
  }
  if (label.length <= short.length - 12 && copyNarrow(label)) {
    use(label.length, shortWord(0), shortWord(4), NARROW);
    for (let at = 8; at < label.length; at += 12)
      use(shortWord(at), shortWord(at + 4), shortWord(at + 8), MORE);
    return;
  }
  const wide = hasWideUnit(label);
  const perUnit = wide ? 2 : 1;
  const word = (at: number): number => wordOf(label, at, perUnit);
  use(label.length, word(0), word(4), wide ? WIDE : NARROW);
  for (let at = 8; at < label.length * perUnit; at += 12) use(word(at), word(at + 4), word(at + 8), MORE);
}

/**
 * Buffer for short one-byte labels, which are nearly all labels; padded, so reads past the end are allowed.
 */
const short = new Uint8Array(128);
/** Buffer for numbers. */
const bits = new DataView(new ArrayBuffer(8));

/** Copies a label with one byte per unit, padded with zeros; false if a unit needs two bytes. */
function copyNarrow(label: string): boolean {
  const { length } = label;
  for (let i = 0; i < length; i++) {
    const unit = label.charCodeAt(i);
    if (unit > 255) return false;
    short[i] = unit;
  }
  for (let i = length; i < length + 12; i++) short[i] = 0;
  return true;
}

const shortWord = (at: number): number =>
  short[at] | (short[at + 1] << 8) | (short[at + 2] << 16) | (short[at + 3] << 24);

function hasWideUnit(label: string): boolean {
  for (let i = 0; i < label.length; i++) if (label.charCodeAt(i) > 255) return true;
  return false;
}

/** Four bytes of the label's text, little-endian, zeros after its end. */
function wordOf(label: string, at: number, perUnit: number): number {
  let word = 0;
  for (let byte = 0; byte < 4; byte += perUnit) {
    const unit = label.charCodeAt((at + byte) / perUnit);
    if (!Number.isNaN(unit)) word |= unit << (8 * byte);
  }
  return word;
}
