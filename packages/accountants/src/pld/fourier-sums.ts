import type { TiltedDistribution } from './tilted-distribution.js';

/** Maximum length of a run of equally spaced nodes; the error of a sum grows with it. */
const longestRun = 64;

/**
 * `Σ w_k e^(2πi j k / period)` for `j < count`, by Horner's rule along runs of equally distant nodes.
 *
 * `error` bounds the absolute errors: along a run each of at
 * most 64 steps adds four units, the sum over the runs one each.
 */
export function fourierSums(
  { nodes, weights }: TiltedDistribution,
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

/**
 * `Σ w_k e^(2πi j k / period)` for `j < count`, of many weights at the same nodes.
 *
 * `error` bounds the absolute errors, relative to `Σ |w_k|`.
 */
export function manyFourierSums(
  nodes: Float64Array,
  weights: readonly Float64Array[],
  period: number,
  count: number,
): { readonly re: readonly Float64Array[]; readonly im: readonly Float64Array[]; readonly error: number } {
  const n = nodes.length;
  const re = weights.map(() => new Float64Array(count));
  const im = weights.map(() => new Float64Array(count));
  const at = nodes.map((node) => ((node % period) + period) % period);
  // Cosines and sines of four frequencies at a time, so that each weight is read once for all of them.
  const turns = new Float64Array(8 * n);
  for (let j = 0; j < count; j += 4) {
    for (let k = 0; k < n; k += 1)
      for (let f = 0; f < 4; f += 1) {
        const angle = (2 * Math.PI * (((j + f) * at[k]) % period)) / period;
        turns[8 * k + 2 * f] = Math.cos(angle);
        turns[8 * k + 2 * f + 1] = Math.sin(angle);
      }
    for (let r = 0; r < weights.length; r += 1) {
      const mine = weights[r];
      let re0 = 0;
      let im0 = 0;
      let re1 = 0;
      let im1 = 0;
      let re2 = 0;
      let im2 = 0;
      let re3 = 0;
      let im3 = 0;
      for (let k = 0, t = 0; k < n; k += 1, t += 8) {
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
      const mineRe = re[r];
      const mineIm = im[r];
      // What is beyond the end of an array is not written.
      mineRe[j] = re0;
      mineIm[j] = im0;
      mineRe[j + 1] = re1;
      mineIm[j + 1] = im1;
      mineRe[j + 2] = re2;
      mineIm[j + 2] = im2;
      mineRe[j + 3] = re3;
      mineIm[j + 3] = im3;
    }
  }
  return { re, im, error: (n + 32) * 2 ** -53 };
}
