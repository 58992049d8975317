/** Running SipHash-2-4 with a 128-bit result. */
export interface KeyedHasher {
  update(bytes: Uint8Array): void;
  /** The 16-byte hash of everything so far; may be called once. */
  digest(): Uint8Array;
}

/** SipHash-2-4-128 of `bytes` under a 16-byte key: a keyed hash, so nobody without the key can make two inputs collide. */
export function keyedHash128(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const hasher = keyedHasher(key);
  hasher.update(bytes);
  return hasher.digest();
}

/** A hasher under a 16-byte key. @throws {RangeError} for a key of another length. */
export function keyedHasher(key: Uint8Array): KeyedHasher {
  if (key.length !== 16) throw new RangeError(`a hash key has 16 bytes, not ${key.length}`);
  const words = new DataView(key.buffer, key.byteOffset, 16);
  const k = [0, 4, 8, 12].map((at) => words.getUint32(at, true)) as [number, number, number, number];
  // v0 … v3 as pairs (low, high).
  const v = new Uint32Array([
    k[0] ^ 0x70736575, k[1] ^ 0x736f6d65, k[2] ^ 0x6e646f6d ^ 0xee, k[3] ^ 0x646f7261,
    k[0] ^ 0x6e657261, k[1] ^ 0x6c796765, k[2] ^ 0x79746573, k[3] ^ 0x74656462,
  ]);
  const tail = new Uint8Array(8);
  let held = 0;
  let length = 0;
  const absorb = (low: number, high: number): void => {
    v[6]! ^= low; v[7]! ^= high;
    round(v); round(v);
    v[0]! ^= low; v[1]! ^= high;
  };
  return {
    update(bytes) {
      length += bytes.length;
      let i = 0;
      while (held > 0 && i < bytes.length) {
        tail[held++] = bytes[i++]!;
        if (held === 8) { held = 0; absorb(word(tail, 0), word(tail, 4)); }
      }
      for (; i + 8 <= bytes.length; i += 8) absorb(word(bytes, i), word(bytes, i + 4));
      while (i < bytes.length) tail[held++] = bytes[i++]!;
    },
    digest() {
      tail.fill(0, held);
      tail[7] = length & 0xff;
      absorb(word(tail, 0), word(tail, 4));
      v[4]! ^= 0xee;
      for (let i = 0; i < 4; i++) round(v);
      const out = new Uint8Array(16);
      const view = new DataView(out.buffer);
      view.setUint32(0, v[0]! ^ v[2]! ^ v[4]! ^ v[6]!, true); view.setUint32(4, v[1]! ^ v[3]! ^ v[5]! ^ v[7]!, true);
      v[2]! ^= 0xdd;
      for (let i = 0; i < 4; i++) round(v);
      view.setUint32(8, v[0]! ^ v[2]! ^ v[4]! ^ v[6]!, true); view.setUint32(12, v[1]! ^ v[3]! ^ v[5]! ^ v[7]!, true);
      return out;
    },
  };
}

const word = (b: Uint8Array, i: number): number => (b[i]! | (b[i + 1]! << 8) | (b[i + 2]! << 16) | (b[i + 3]! << 24)) >>> 0;

function add(v: Uint32Array, a: number, b: number): void {
  const low = v[a]! + v[b]!;
  v[a + 1] = v[a + 1]! + v[b + 1]! + (low > 0xffffffff ? 1 : 0);
  v[a] = low;
}
function rotateXor(v: Uint32Array, a: number, by: number, b: number): void {
  let low = v[a]!;
  let high = v[a + 1]!;
  if (by >= 32) { [low, high] = [high, low]; by -= 32; }
  if (by > 0) [low, high] = [(low << by) | (high >>> (32 - by)), (high << by) | (low >>> (32 - by))];
  v[a] = low ^ v[b]!;
  v[a + 1] = high ^ v[b + 1]!;
}
function rotate32(v: Uint32Array, a: number): void { const low = v[a]!; v[a] = v[a + 1]!; v[a + 1] = low; }
function round(v: Uint32Array): void {
  add(v, 0, 2); rotateXor(v, 2, 13, 0); rotate32(v, 0);
  add(v, 4, 6); rotateXor(v, 6, 16, 4);
  add(v, 0, 6); rotateXor(v, 6, 21, 0);
  add(v, 4, 2); rotateXor(v, 2, 17, 4); rotate32(v, 4);
}
