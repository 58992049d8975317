/** Plain twin of the keystream: ChaCha blocks of 16 words, counter-based (RFC 8439 layout, 32-bit counter in word 12). */
export function chachaBlockInto(out: Uint32Array, key: Uint32Array, counter: number, nonce: Uint32Array, rounds: number): void {
  const state = new Uint32Array(16);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  state.set(key, 4);
  state[12] = counter;
  state.set(nonce, 13);
  out.set(state);
  for (let round = 0; round < rounds; round += 2) {
    quarter(out, 0, 4, 8, 12); quarter(out, 1, 5, 9, 13); quarter(out, 2, 6, 10, 14); quarter(out, 3, 7, 11, 15);
    quarter(out, 0, 5, 10, 15); quarter(out, 1, 6, 11, 12); quarter(out, 2, 7, 8, 13); quarter(out, 3, 4, 9, 14);
  }
  for (let i = 0; i < 16; i++) out[i]! += state[i]!;
}

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a]! += x[b]!; x[d] = rotate(x[d]! ^ x[a]!, 16);
  x[c]! += x[d]!; x[b] = rotate(x[b]! ^ x[c]!, 12);
  x[a]! += x[b]!; x[d] = rotate(x[d]! ^ x[a]!, 8);
  x[c]! += x[d]!; x[b] = rotate(x[b]! ^ x[c]!, 7);
}

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
