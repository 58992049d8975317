const cell = new Float64Array(1);
const words = new Uint32Array(cell.buffer);
const littleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const low = littleEndian ? 0 : 1;
const high = littleEndian ? 1 : 0;

/** Moves a non-zero, finite double by one step away from zero or towards it. */
function stepMagnitude(x: number, away: boolean): number {
  cell[0] = x;
  if (away) {
    words[low]++;
    if (words[low] === 0) words[high]++;
  } else {
    if (words[low] === 0) words[high]--;
    words[low]--;
  }
  return cell[0];
}

/**
 * The smallest double greater than `x`; `Infinity` stays, `-Infinity` gives the least finite double and both
 * zeros give the smallest subnormal. NaN gives NaN.
 */
export function nextUp(x: number): number {
  if (x !== x || x === Infinity) return x;
  if (x === 0) return Number.MIN_VALUE;
  if (x === -Infinity) return -Number.MAX_VALUE;
  return stepMagnitude(x, x > 0);
}

/** The largest double less than `x`: the mirror image of {@link nextUp}. */
export function nextDown(x: number): number {
  return -nextUp(-x);
}

/** `floor(log2 |x|)` of a non-zero, finite double, subnormals included. */
export function exponentOf(x: number): number {
  cell[0] = x;
  const biased = (words[high] >>> 20) & 0x7ff;
  if (biased !== 0) return biased - 1023;
  cell[0] = x * 2 ** 54;
  return ((words[high] >>> 20) & 0x7ff) - 1077;
}

/** `2^k` for `k` from -1022 to 1023, from its bits: `2 ** k` takes several times longer. */
function powerOfTwo(k: number): number {
  words[high] = (k + 1023) << 20;
  words[low] = 0;
  return cell[0];
}

/**
 * `x · 2^k`, rounded once: exact unless the result is subnormal or overflows. `k` is an integer of any size.
 */
export function scaleByPowerOfTwo(x: number, k: number): number {
  if (k >= -1000 && k <= 1000) return x * powerOfTwo(k);
  if (k > 0) return scaleByPowerOfTwo(x * 2 ** 1000, Math.min(k - 1000, 3000));
  if (x === 0 || x === Infinity || x === -Infinity) return x;
  const exponent = exponentOf(x);
  const target = exponent + k;
  if (target < -1080) return x > 0 ? 0 : -0;
  if (target >= -1000) return x * 2 ** -1000 * 2 ** (k + 1000);
  // Towards the subnormal range: every factor but the last is applied where nothing is rounded.
  const half = Math.trunc(exponent / 2);
  return x * powerOfTwo(-half) * powerOfTwo(half - exponent) * 2 ** -900 * powerOfTwo(target + 900);
}
