interface Plan {
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
  readonly reversed: Uint32Array;
}
const plans = new Map<number, Plan>();

function planOf(n: number): Plan {
  const known = plans.get(n);
  if (known !== undefined) return known;
  const cosines = new Float64Array(n);
  const sines = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    cosines[i] = Math.cos((2 * Math.PI * i) / n);
    sines[i] = -Math.sin((2 * Math.PI * i) / n);
  }
  const reversed = new Uint32Array(n);
  for (let i = 1; i < n; i += 1) reversed[i] = (reversed[i >> 1] >> 1) | (i & 1 ? n >> 1 : 0);
  const plan = { cosines, sines, reversed };
  // Tables of long transforms are not cached, since they would stay in memory.
  if (n <= 1 << 17) plans.set(n, plan);
  return plan;
}

/**
 * Relative error bound of {@link transform} in the 2-norm: twice the proved bound of a radix-2 transform with
 * twiddle factors accurate to one unit in the last place.
 * @see Higham 2002, Theorem 24.2.
 */
export const transformError = (n: number): number => 16 * Math.log2(n) * 2 ** -53;

/**
 * Discrete Fourier transform in place: `Σ x_m e^(−2πi jm/n)`.
 *
 * @param re - Real parts; the length is a power of two.
 */
export function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  const { cosines, sines, reversed } = planOf(n);
  for (let i = 0; i < n; i += 1) {
    const j = reversed[i];
    if (j > i) {
      const a = re[i];
      const b = im[i];
      re[i] = re[j];
      im[i] = im[j];
      re[j] = a;
      im[j] = b;
    }
  }
  let size = 1;
  if (Math.log2(n) % 2 === 1) {
    for (let i = 0; i < n; i += 2) {
      const a = re[i];
      const b = im[i];
      const c = re[i + 1];
      const d = im[i + 1];
      re[i] = a + c;
      im[i] = b + d;
      re[i + 1] = a - c;
      im[i + 1] = b - d;
    }
    size = 2;
  }
  for (; size < n; size *= 4) radixFour(re, im, size, cosines, sines);
}

/** Combines four transforms of length `size` into one. */
function radixFour(
  re: Float64Array,
  im: Float64Array,
  size: number,
  cosines: Float64Array,
  sines: Float64Array,
): void {
  const n = re.length;
  const stride = n / (4 * size);
  for (let j = 0; j < size; j += 1) {
    const c1 = cosines[j * stride];
    const s1 = sines[j * stride];
    const c2 = cosines[2 * j * stride];
    const s2 = sines[2 * j * stride];
    const c3 = cosines[3 * j * stride];
    const s3 = sines[3 * j * stride];
    for (let a = j; a < n; a += 4 * size) {
      // Bit reversal exchanges the second and the third quarter.
      const b = a + size;
      const c = b + size;
      const d = c + size;
      const br = re[c] * c1 - im[c] * s1;
      const bi = re[c] * s1 + im[c] * c1;
      const cr = re[b] * c2 - im[b] * s2;
      const ci = re[b] * s2 + im[b] * c2;
      const dr = re[d] * c3 - im[d] * s3;
      const di = re[d] * s3 + im[d] * c3;
      const pr = re[a] + cr;
      const pi = im[a] + ci;
      const mr = re[a] - cr;
      const mi = im[a] - ci;
      const sr = br + dr;
      const si = bi + di;
      const tr = bi - di;
      const ti = dr - br;
      re[a] = pr + sr;
      im[a] = pi + si;
      re[b] = mr + tr;
      im[b] = mi + ti;
      re[c] = pr - sr;
      im[c] = pi - si;
      re[d] = mr - tr;
      im[d] = mi - ti;
    }
  }
}
