import { keyedHash128 } from '@lethe/numerics';

/** Bytes of a frame before its payload: the length and its checksum. */
export const headerSize = 8;
/** Bytes of a frame after its payload: an authentication code over this frame and all earlier ones. */
export const codeSize = 16;
const formatVersion = 1;
const signature = new TextEncoder().encode('LETHELOG');

/** First bytes of every log: signature, format version, kind of log, and their authentication code. */
export function preamble(magic: string, key: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(magic);
  const plain = new Uint8Array([...signature, formatVersion, name.length, ...name]);
  return new Uint8Array([...plain, ...keyedHash128(key, plain)]);
}

/** Reason why `bytes` are not the `expected` preamble. */
export function whyNot(bytes: Uint8Array, expected: Uint8Array, magic: string): string {
  if (!startsWith(bytes, signature)) return 'these bytes are not a log of Lethe';
  const version = bytes[signature.length];
  if (version !== formatVersion)
    return `format version ${version}; this release reads version ${formatVersion}`;
  const at = signature.length + 2;
  const named = new TextDecoder().decode(bytes.subarray(at, at + bytes[at - 1]));
  if (named !== magic) return `it is a log of kind '${named}', not '${magic}'`;
  return bytes.length < expected.length
    ? 'its first bytes changed'
    : 'the key is another one, or its first bytes changed';
}

export function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, i) => byte === bytes[i]);
}

/**
 * Checksum of a frame's length, keyed by the code of the previous frame. It is one-to-one in the length, so
 * every change of the length or of the checksum is detected. Without it, a larger length would look like an
 * interrupted write.
 */
export function lengthCheck(length: number, code: DataView, at: number): number {
  let h = length ^ code.getUint32(at, true);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
