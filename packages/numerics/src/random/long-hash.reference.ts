const word = (bytes: Uint8Array, at: number): bigint =>
  BigInt(new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true));
const half = (1n << 32n) - 1n;
const whole = (1n << 64n) - 1n;

/** Sums of one block of 1 KiB by big integers: four words of 64 bits, from a key of 1120 bytes. */
export function sumsOfBlock(key: Uint8Array, block: Uint8Array): readonly bigint[] {
  return [0, 1, 2, 3].map((t) => {
    let sum = 0n;
    for (let group = 0; group < block.length; group += 32)
      for (let k = group; k < group + 16; k += 4) {
        const left = (word(block, k) + word(key, k + 32 * t)) & half;
        const right = (word(block, k + 16) + word(key, k + 16 + 32 * t)) & half;
        sum = (sum + left * right) & whole;
      }
    return sum;
  });
}
