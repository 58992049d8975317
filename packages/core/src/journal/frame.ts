import { keyedHash128 } from '@lethe/numerics';

/** Bytes of a frame before its payload: length, check of the length. */
export const headerSize = 8;
/** Bytes of a frame after its payload: the code that binds it to every frame before. */
export const codeSize = 16;
const formatVersion = 1;
const signature = new TextEncoder().encode('LETHELOG');

/** What stands at the beginning of every log: signature, format version, kind of log, and a code of these under the key. */
export function preamble(magic: string, key: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(magic);
  const plain = new Uint8Array([...signature, formatVersion, name.length, ...name]);
  return new Uint8Array([...plain, ...keyedHash128(key, plain)]);
}

/** Says why `bytes`, which differ from the preamble expected, are not the beginning of that log. */
export function whyNot(bytes: Uint8Array, expected: Uint8Array, magic: string): string {
  if (!startsWith(bytes, signature)) return 'these bytes are not a log of Lethe';
  const version = bytes[signature.length];
  if (version !== formatVersion) return `format version ${version}; this release reads version ${formatVersion}`;
  const at = signature.length + 2, named = new TextDecoder().decode(bytes.subarray(at, at + bytes[at - 1]!));
  if (named !== magic) return `it is a log of kind '${named}', not '${magic}'`;
  return bytes.length < expected.length ? 'its first bytes changed' : 'the key is another one, or its first bytes changed';
}

export function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, i) => byte === bytes[i]);
}

/**
 * Check of a frame's length, tied to the frame before. One-to-one in the length, so a changed length or a changed check
 * is always seen: else a longer length would pass for a write cut short.
 */
export function lengthCheck(length: number, code: DataView, at: number): number {
  let h = length ^ code.getUint32(at, true);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
