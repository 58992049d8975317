import { hexOf } from '@lethe/numerics';

/** Bytes of one digest. */
export const digestSize = 16;

/** The digests of a run's queries, 16 bytes each, concatenated. */
export interface Digests {
  readonly length: number;
  push(digest: string | Uint8Array): void;
  pushAll(digests: Uint8Array): void;
  /** One digest in hexadecimal. */
  at(index: number): string;
  /** The digests of queries `[from, to)`; valid until the next push. */
  slice(from: number, to: number): Uint8Array;
}

export function createDigests(): Digests {
  let bytes = new Uint8Array(32 * digestSize);
  let used = 0;
  const room = (more: number): void => {
    if (used + more <= bytes.length) return;
    const wider = new Uint8Array(Math.max(2 * bytes.length, used + more));
    wider.set(bytes.subarray(0, used));
    bytes = wider;
  };
  return {
    get length() {
      return used / digestSize;
    },
    push(digest) {
      room(digestSize);
      if (typeof digest !== 'string') bytes.set(digest, used);
      else if (isDigest(digest)) putHex(digest, bytes, used);
      else bytes.fill(0, used, used + digestSize);
      used += digestSize;
    },
    pushAll(digests) {
      room(digests.length);
      bytes.set(digests, used);
      used += digests.length;
    },
    at: (index) => hexOf(bytes.subarray(digestSize * index, digestSize * (index + 1))),
    slice: (from, to) => bytes.subarray(digestSize * from, digestSize * to),
  };
}

/** Whether a text is the canonical form of a digest: 32 lower-case hexadecimal digits. */
export function isDigest(digest: string): boolean {
  if (digest.length !== 2 * digestSize) return false;
  for (let i = 0; i < digest.length; i++) {
    const code = digest.charCodeAt(i);
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return true;
}

/** The 16 bytes of a digest. */
export function digestBytes(digest: string): Uint8Array {
  const bytes = new Uint8Array(digestSize);
  putHex(digest, bytes, 0);
  return bytes;
}

function putHex(digest: string, out: Uint8Array, at: number): void {
  for (let i = 0; i < digestSize; i++)
    out[at + i] = 16 * valueOf(digest.charCodeAt(2 * i)) + valueOf(digest.charCodeAt(2 * i + 1));
}
const valueOf = (code: number): number => (code < 58 ? code - 48 : code - 87);
