/** Rounds of the keystream. Key derivation takes twenty. */
const STREAM_ROUNDS = 12;
/** 64-bit words of one batch of keystream. */
export const BATCH_WORDS = 64;

const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/**
 * One ChaCha block: `out` (16 words) from a key of 8 words and
 * an input of 4 (RFC 8439 §2.3 for twenty rounds).
 */
export function chachaBlockInto(
  out: Uint32Array,
  key: Uint32Array,
  input: ArrayLike<number>,
  rounds: number,
): Uint32Array {
  const start = Uint32Array.of(...SIGMA, ...key, input[0], input[1], input[2], input[3]);
  out.set(start);
  for (let round = 0; round < rounds; round += 2) {
    for (let i = 0; i < 4; i++) quarter(out, i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i++) quarter(out, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
  }
  for (let i = 0; i < 16; i++) out[i] += start[i];
  return out;
}

/**
 * Batch `index` of the keystream: blocks 8·index to 8·index + 7,
 * four by four, word by word (128 words of 32 bits).
 */
export function keystreamBatchInto(out: Uint32Array, key: Uint32Array, index: number): Uint32Array {
  const block = new Uint32Array(16);
  for (let b = 0; b < 8; b++) {
    const counter = 8 * index + b;
    chachaBlockInto(block, key, [counter >>> 0, Math.floor(counter / 2 ** 32), 0, 0], STREAM_ROUNDS);
    for (let word = 0; word < 16; word++) out[64 * (b >> 2) + 4 * word + (b & 3)] = block[word];
  }
  return out;
}

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 7);
}

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
