import type { TiltedLaw } from './tilted-law.js';

/** Points in a run of equal distances, at most; errors of a sum grow with it. */
const longestRun = 64;

/**
 * `Σ w_k e^(2πi j k / period)` for `j < count`, by Horner's rule along runs of equally distant nodes.
 *
 * `error` bounds the absolute errors: along a run each of at most 64 steps adds four units, the sum over the runs one each.
 */
export function fourierSums({ nodes, weights }: TiltedLaw, period: number, count: number): { readonly re: Float64Array; readonly im: Float64Array; readonly error: number } {
  const starts: number[] = [];
  const lengths: number[] = [];
  const gaps: number[] = [];
  for (let i = 0; i < nodes.length;) {
    const gap = i + 1 < nodes.length ? nodes[i + 1]! - nodes[i]! : 1;
    let end = i + 1;
    while (end < nodes.length && end - i < longestRun && gap === nodes[end]! - nodes[end - 1]!) end += 1;
    starts.push(i);
    lengths.push(end - i);
    gaps.push(gap);
    i = end;
  }
  const distinct = [...new Set(gaps)];
  const which = gaps.map((gap) => distinct.indexOf(gap));
  const angle = (j: number, k: number): number => (2 * Math.PI * ((j * (((k % period) + period) % period)) % period)) / period;
  const re = new Float64Array(count);
  const im = new Float64Array(count);
  const cosines = new Float64Array(distinct.length);
  const sines = new Float64Array(distinct.length);
  for (let j = 0; j < count; j += 1) {
    for (let d = 0; d < distinct.length; d += 1) {
      cosines[d] = Math.cos(angle(j, distinct[d]!));
      sines[d] = Math.sin(angle(j, distinct[d]!));
    }
    let totalRe = 0;
    let totalIm = 0;
    for (let r = 0; r < starts.length; r += 1) {
      const start = starts[r]!;
      const c = cosines[which[r]!]!;
      const s = sines[which[r]!]!;
      let a = 0;
      let b = 0;
      for (let i = start + lengths[r]! - 1; i >= start; i -= 1) {
        const next = a * c - b * s + weights[i]!;
        b = a * s + b * c;
        a = next;
      }
      const at = angle(j, nodes[start]!);
      const [cosine, sine] = [Math.cos(at), Math.sin(at)];
      totalRe += a * cosine - b * sine;
      totalIm += a * sine + b * cosine;
    }
    re[j] = totalRe;
    im[j] = totalIm;
  }
  return { re, im, error: (8 * longestRun + 2 * starts.length + 32) * 2 ** -53 };
}
