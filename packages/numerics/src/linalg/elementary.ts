/*
 * exp and ln by the same operations in the same order as the kernels, so that seeded streams have the same
 * bits in every JavaScript engine. Math.exp and Math.log differ between engines.
 */
const LN2_HIGH = 0.6931471804855391;
const LN2_LOW = 7.440617110012397e-11;
const ROUND = 6755399441055744;
const SQRT_HALF_HIGH = 0x3fe6a09e;
const SQRT_HALF_LOW = 0x667f3bcd;
const TERMS = 11;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** e^t to about 2 units in the last place, with `t` clamped to [−708, 708]. */
export function exponentialOf(t: number): number {
  const held = Math.max(Math.min(t, 708), -708);
  const k = held * Math.LOG2E + ROUND - ROUND;
  const r = held - k * LN2_HIGH - k * LN2_LOW;
  const q = r * r;
  const qq = q * q;
  const odd = r * (0.5 + q * (1 / 66) + qq * (1 / 15840));
  const even = 1 + q * (5 / 44) + qq * (1 / 792 + q * (1 / 665280));
  return ((even + odd) * powerOfTwo(k)) / (even - odd);
}

/** ln x of a positive normal number, to about 2 units in the last place. */
export function logarithmOf(x: number): number {
  float[0] = x;
  const high = (words[1] - SQRT_HALF_HIGH - (words[0] < SQRT_HALF_LOW ? 1 : 0)) | 0;
  const k = high >> 20;
  words[1] = words[1] - (k << 20);
  const m = float[0];
  const s = (m - 1) / (m + 1);
  const q = s * s;
  let tail = 1 / (2 * TERMS - 1);
  for (let n = TERMS - 2; n >= 0; n--) tail = 1 / (2 * n + 1) + q * tail;
  return k * LN2_HIGH + (k * LN2_LOW + 2 * s * tail);
}

function powerOfTwo(k: number): number {
  words[0] = 0;
  words[1] = (k + 1023) << 20;
  return float[0];
}
