const MASK = (1n << 64n) - 1n;
const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

/**
 * SipHash-2-4 with 128-bit output (Aumasson and Bernstein 2012),
 * by big integers: 16 bytes from a key of 16 bytes.
 */
export function keyedHash128(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const word = (from: Uint8Array, at: number): bigint =>
    new DataView(from.buffer, from.byteOffset).getBigUint64(at, true);
  const [k0, k1] = [word(key, 0), word(key, 8)];
  let v0 = k0 ^ 0x736f6d6570736575n;
  let v1 = k1 ^ 0x646f72616e646f6dn ^ 0xeen;
  let v2 = k0 ^ 0x6c7967656e657261n;
  let v3 = k1 ^ 0x7465646279746573n;
  const rounds = (count: number): void => {
    for (let i = 0; i < count; i++) {
      v0 = (v0 + v1) & MASK;
      v1 = rotate(v1, 13n) ^ v0;
      v0 = rotate(v0, 32n);
      v2 = (v2 + v3) & MASK;
      v3 = rotate(v3, 16n) ^ v2;
      v0 = (v0 + v3) & MASK;
      v3 = rotate(v3, 21n) ^ v0;
      v2 = (v2 + v1) & MASK;
      v1 = rotate(v1, 17n) ^ v2;
      v2 = rotate(v2, 32n);
    }
  };
  const padded = new Uint8Array(8 * Math.floor(bytes.length / 8) + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 255;
  for (let at = 0; at < padded.length; at += 8) {
    const m = word(padded, at);
    v3 ^= m;
    rounds(2);
    v0 ^= m;
  }
  const out = new DataView(new ArrayBuffer(16));
  v2 ^= 0xeen;
  rounds(4);
  out.setBigUint64(0, v0 ^ v1 ^ v2 ^ v3, true);
  v1 ^= 0xddn;
  rounds(4);
  out.setBigUint64(8, v0 ^ v1 ^ v2 ^ v3, true);
  return new Uint8Array(out.buffer);
}
