/** Slack that writers take when they pad their last run. */
const padding = 512;

/**
 * Walks a run-length/bit-packed stream of `count` values of `width` bits without decoding it, and counts how
 * many values of a one-bit stream are 1.
 *
 * @throws {RangeError} for a run that is longer than what is left of the values or bytes.
 */
export function checkRuns(bytes: Uint8Array, width: number, count: number): number {
  let ones = 0;
  let at = 0;
  if (width > 32) throw new RangeError(`values of ${width} bits`);
  for (let seen = 0; seen < count;) {
    const header = varint();
    const isPacked = (header & 1) === 1;
    const length = isPacked ? (header >>> 1) * 8 : header >>> 1;
    const size = isPacked ? (header >>> 1) * width : (width + 7) >> 3;
    if (length > count - seen + padding || at + size > bytes.length + padding)
      throw new RangeError(`a run of ${length} values where ${count - seen} are left`);
    const inside = Math.min(length, count - seen);
    if (width === 1) ones += isPacked ? bitsSet(at, inside) : ((bytes[at] as number) & 1) * inside;
    at += size;
    seen += length;
  }
  return ones;

  function varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('a run without a whole length');
  }

  function bitsSet(from: number, bits: number): number {
    let set = 0;
    for (let bit = 0; bit < bits; bit++) set += ((bytes[from + (bit >> 3)] ?? 0) >> (bit & 7)) & 1;
    return set;
  }
}
