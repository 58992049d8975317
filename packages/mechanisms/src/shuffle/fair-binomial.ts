import { InvalidParameter, type RandomSource } from '@lethe/core';
import { fairHeads } from './exact-bits.js';

/** Largest count that is drawn bit by bit. */
const few = 4096;

/**
 * A binomial number of `count` trials with probability ½. Exact up to 4096 trials; beyond, by transformed
 * rejection in constant time, whose probabilities have a relative error of about 10⁻¹².
 *
 * @param count - A whole number from 0 to 2⁵³ − 1.
 * @throws {InvalidParameter} for anything else.
 * @see Hörmann 1993, algorithm BTRS.
 */
export function fairBinomial(random: RandomSource, count: number): number {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new InvalidParameter(`${count} fair bits cannot be drawn; give a whole number from 0 on`, {
      count,
    });
  if (count <= few) return fairHeads(random, count);
  const spread = Math.sqrt(count) / 2;
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.005;
  const alpha = (2.83 + 5.1 / b) * spread;
  const sure = 0.92 - 4.2 / b;
  const mode = Math.floor((count + 1) / 2);
  const peak = logWeight(count, mode);
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const edge = 0.5 - Math.abs(u);
    const heads = Math.floor(((2 * a) / edge + b) * u + count / 2 + 0.5);
    if (edge >= 0.07 && v <= sure) return heads;
    // Beyond a hundred standard deviations the probability is negligible.
    if (heads <= 0 || heads >= count) continue;
    if (Math.log((v * alpha) / (a / (edge * edge) + b)) <= logWeight(count, heads) - peak) return heads;
  }
}

/** `log C(count, heads)` up to a constant, without the large terms that cancel; neither end. */
function logWeight(count: number, heads: number): number {
  const tails = count - heads;
  const lean = (heads - tails) / count;
  return -stirling(heads) - stirling(tails) - 0.5 * Math.log1p(-lean * lean) - (count / 2) * divergence(lean);
}

/** `(1 + x) ln(1 + x) + (1 − x) ln(1 − x)` = `Σ x^(2i)/(i(2i − 1))`. */
function divergence(x: number): number {
  if (Math.abs(x) > 0.1) return (1 + x) * Math.log1p(x) + (1 - x) * Math.log1p(-x);
  let sum = 0;
  for (let i = 10; i >= 1; i--) sum = x * x * (sum + 1 / (i * (2 * i - 1)));
  return sum;
}

/** `ln n! − ((n + ½) ln n − n + ½ ln 2π)`; for `n` from 16 on. */
function stirling(n: number): number {
  const r = 1 / (n * n);
  return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / n;
}
