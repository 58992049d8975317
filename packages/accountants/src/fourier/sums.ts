/** Maximum length of a run of equally spaced nodes; the error of a sum grows with it. */
const longestRun = 64;

/**
 * `Σ w_k e^(2πi j k / period)` for `j < count`, by Horner's rule along runs of equally distant nodes.
 *
 * `error` bounds the absolute errors: along a run each of at
 * most 64 steps adds four units, the sum over the runs one each.
 */
export function fourierSums(
  { nodes, weights }: { readonly nodes: Float64Array; readonly weights: Float64Array },
  period: number,
  count: number,
): { readonly re: Float64Array; readonly im: Float64Array; readonly error: number } {
  const starts: number[] = [];
  const lengths: number[] = [];
  const gaps: number[] = [];
  for (let i = 0; i < nodes.length;) {
    const gap = i + 1 < nodes.length ? nodes[i + 1] - nodes[i] : 1;
    let end = i + 1;
    while (end < nodes.length && end - i < longestRun && gap === nodes[end] - nodes[end - 1]) end += 1;
    starts.push(i);
    lengths.push(end - i);
    gaps.push(gap);
    i = end;
  }
  const distinct = [...new Set(gaps)];
  const which = gaps.map((gap) => distinct.indexOf(gap));
  const angle = (j: number, k: number): number =>
    (2 * Math.PI * ((j * (((k % period) + period) % period)) % period)) / period;
  const re = new Float64Array(count);
  const im = new Float64Array(count);
  const turns = new Float64Array(4 * distinct.length);
  // Two frequencies at a time, to hide instruction latency.
  for (let j = 0; j < count; j += 2) {
    for (let d = 0; d < distinct.length; d += 1) {
      const first = angle(j, distinct[d]);
      const second = angle(j + 1, distinct[d]);
      turns[4 * d] = Math.cos(first);
      turns[4 * d + 1] = Math.sin(first);
      turns[4 * d + 2] = Math.cos(second);
      turns[4 * d + 3] = Math.sin(second);
    }
    let re0 = 0;
    let im0 = 0;
    let re1 = 0;
    let im1 = 0;
    for (let r = 0; r < starts.length; r += 1) {
      const start = starts[r];
      const d = 4 * which[r];
      const c0 = turns[d];
      const s0 = turns[d + 1];
      const c1 = turns[d + 2];
      const s1 = turns[d + 3];
      let a0 = 0;
      let b0 = 0;
      let a1 = 0;
      let b1 = 0;
      for (let i = start + lengths[r] - 1; i >= start; i -= 1) {
        const weight = weights[i];
        const next0 = a0 * c0 - b0 * s0 + weight;
        const next1 = a1 * c1 - b1 * s1 + weight;
        b0 = a0 * s0 + b0 * c0;
        b1 = a1 * s1 + b1 * c1;
        a0 = next0;
        a1 = next1;
      }
      const at0 = angle(j, nodes[start]);
      const at1 = angle(j + 1, nodes[start]);
      const x0 = Math.cos(at0);
      const y0 = Math.sin(at0);
      const x1 = Math.cos(at1);
      const y1 = Math.sin(at1);
      re0 += a0 * x0 - b0 * y0;
      im0 += a0 * y0 + b0 * x0;
      re1 += a1 * x1 - b1 * y1;
      im1 += a1 * y1 + b1 * x1;
    }
    re[j] = re0;
    im[j] = im0;
    if (j + 1 < count) {
      re[j + 1] = re1;
      im[j + 1] = im1;
    }
  }
  return { re, im, error: (8 * longestRun + 2 * starts.length + 32) * 2 ** -53 };
}

/** Sums of many weights at the same nodes. */
export interface ManySums {
  readonly re: readonly Float64Array[];
  readonly im: readonly Float64Array[];
  /** Bounds on the absolute errors. */
  readonly errors: Float64Array;
}

/**
 * `Σ w_k e^(2πi j k / period)` for `j < count`, of many weights at the same nodes. Those of similar
 * distributions are combinations of a few, and are computed so where that loses no more than `n + 32` units
 * of their scales, as plain sums of `n` weights do.
 *
 * @param scales - By default `Σ |w_k|`.
 */
export function manyFourierSums(
  nodes: Float64Array,
  weights: readonly Float64Array[],
  period: number,
  count: number,
  scales: readonly number[] = weights.map(sizeOf),
): ManySums {
  const plain = (nodes.length + 32) * 2 ** -53;
  const combined = combinationsOf(
    weights,
    scales.map((scale) => 0.25 * plain * scale),
  );
  const error = sumError(nodes.length, afresh);
  const errors = combined && errorsOf(combined, error);
  if (combined === undefined || errors?.every((wrong, i) => wrong <= plain * scales[i]) !== true) {
    const often = error <= plain ? afresh : 4;
    const { re, im } = sumsOf(nodes, weights, period, count, often);
    return {
      re,
      im,
      errors: Float64Array.from(weights, (mine) => sumError(nodes.length, often) * sizeOf(mine)),
    };
  }
  const { basis, shares } = combined;
  const { re, im } = sumsOf(nodes, basis, period, count, afresh);
  return {
    re: shares.map((mine) => combination(re, mine, count)),
    im: shares.map((mine) => combination(im, mine, count)),
    errors,
  };
}

/**
 * Errors of combinations, from that of the sums they combine. Each term is rounded as often as there are
 * terms, here and where it was taken away.
 */
function errorsOf({ basis, shares, left }: Combinations, error: number): Float64Array {
  const sizes = basis.map(sizeOf);
  return Float64Array.from(shares, (mine, i) => {
    const taken = sizes.reduce((sum, size, r) => sum + Math.abs(mine[r]) * size, 0);
    return 1.001 * (left[i] + taken * (error + (3 * sizes.length + 4) * 2 ** -53));
  });
}

function sizeOf(weights: Float64Array): number {
  let size = 0;
  for (const weight of weights) size += Math.abs(weight);
  return size;
}

function combination(sums: readonly Float64Array[], shares: Float64Array, count: number): Float64Array {
  const whole = new Float64Array(count);
  for (let r = 0; r < sums.length; r += 1) {
    const share = shares[r];
    const mine = sums[r];
    if (share !== 0) for (let j = 0; j < count; j += 1) whole[j] += share * mine[j];
  }
  return whole;
}

interface Combinations {
  readonly basis: readonly Float64Array[];
  readonly shares: readonly Float64Array[];
  /** 1-norms of what is left. */
  readonly left: readonly number[];
}

/**
 * A few weights whose combinations are all given ones, but for parts of 1-norm `left`, at most `spare`;
 * `undefined` if it takes more than two thirds as many. The next is always what is left of the one that
 * needs it most.
 */
function combinationsOf(
  weights: readonly Float64Array[],
  spare: readonly number[],
): Combinations | undefined {
  const n = weights[0].length;
  const most = Math.floor((2 * weights.length) / 3);
  const rest = weights.map((mine) => mine.slice());
  const shares = weights.map(() => new Float64Array(most));
  const left = rest.map(sizeOf);
  const basis: Float64Array[] = [];
  for (;;) {
    let at = 0;
    for (let i = 1; i < left.length; i += 1) if (left[i] * spare[at] > left[at] * spare[i]) at = i;
    if (!(left[at] > spare[at]))
      return { basis, shares: shares.map((mine) => mine.slice(0, basis.length)), left };
    if (basis.length === most) return undefined;
    let square = 0;
    for (const weight of rest[at]) square += weight * weight;
    const scale = 1 / Math.sqrt(square);
    const next = rest[at].map((weight) => weight * scale);
    for (const [i, mine] of rest.entries()) {
      let share = 0;
      for (let k = 0; k < n; k += 1) share += mine[k] * next[k];
      let size = 0;
      for (let k = 0; k < n; k += 1) {
        mine[k] -= share * next[k];
        size += Math.abs(mine[k]);
      }
      shares[i][basis.length] = share;
      left[i] = size;
    }
    basis.push(next);
  }
}

/** After this many frequencies, cosines and sines are computed afresh; those between by rotation. */
const afresh = 16;
/** So many terms are added before they are added to the others. */
const block = 64;

/**
 * Bound on the absolute errors of {@link sumsOf} relative to `Σ |w_k|`. A rotation adds at most 17 units: two
 * of its product, and 15 of its own cosine and sine, whose angle is rounded by at most 2.4 units of a turn.
 */
const sumError = (n: number, often: number): number =>
  (Math.min(n, block + Math.ceil(n / block)) + 32 + 17 * (often / 4 - 1)) * 2 ** -53;

/** The sums, with cosines and sines computed every `often` frequencies. */
function sumsOf(
  nodes: Float64Array,
  weights: readonly Float64Array[],
  period: number,
  count: number,
  often: number,
): { readonly re: readonly Float64Array[]; readonly im: readonly Float64Array[] } {
  const n = nodes.length;
  const re = weights.map(() => new Float64Array(count));
  const im = weights.map(() => new Float64Array(count));
  const at = nodes.map((node) => ((node % period) + period) % period);
  const angle = (j: number, k: number): number => (2 * Math.PI * ((j * at[k]) % period)) / period;
  // Cosines and sines of four frequencies at a time, so that each weight is read once for all of them.
  const turns = new Float64Array(8 * n);
  const four = new Float64Array(2 * n);
  for (let k = 0; k < n; k += 1) {
    four[2 * k] = Math.cos(angle(4, k));
    four[2 * k + 1] = Math.sin(angle(4, k));
  }
  for (let j = 0; j < count; j += 4) {
    if (j % often === 0)
      for (let k = 0; k < n; k += 1)
        for (let f = 0; f < 4; f += 1) {
          turns[8 * k + 2 * f] = Math.cos(angle(j + f, k));
          turns[8 * k + 2 * f + 1] = Math.sin(angle(j + f, k));
        }
    else
      for (let k = 0; k < n; k += 1) {
        const c = four[2 * k];
        const s = four[2 * k + 1];
        for (let t = 8 * k; t < 8 * k + 8; t += 2) {
          const x = turns[t];
          const y = turns[t + 1];
          turns[t] = x * c - y * s;
          turns[t + 1] = x * s + y * c;
        }
      }
    for (let r = 0; r < weights.length; r += 1) {
      const mine = weights[r];
      const mineRe = re[r];
      const mineIm = im[r];
      for (let from = 0; from < n; from += block) {
        const end = Math.min(n, from + block);
        let re0 = 0;
        let im0 = 0;
        let re1 = 0;
        let im1 = 0;
        let re2 = 0;
        let im2 = 0;
        let re3 = 0;
        let im3 = 0;
        for (let k = from, t = 8 * from; k < end; k += 1, t += 8) {
          const weight = mine[k];
          re0 += weight * turns[t];
          im0 += weight * turns[t + 1];
          re1 += weight * turns[t + 2];
          im1 += weight * turns[t + 3];
          re2 += weight * turns[t + 4];
          im2 += weight * turns[t + 5];
          re3 += weight * turns[t + 6];
          im3 += weight * turns[t + 7];
        }
        // What is beyond the end of an array is not written.
        mineRe[j] += re0;
        mineIm[j] += im0;
        mineRe[j + 1] += re1;
        mineIm[j + 1] += im1;
        mineRe[j + 2] += re2;
        mineIm[j + 2] += im2;
        mineRe[j + 3] += re3;
        mineIm[j + 3] += im3;
      }
    }
  }
  return { re, im };
}
