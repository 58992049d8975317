import { normalCdf } from '@lethe/numerics';

type Cdf = (x: number) => number;

/**
 * From this scale on, the Euler–Maclaurin series of the sum is accurate to the last digit after two terms.
 */
const summedBelow = 2000;

/** Distribution function of discrete Gaussian noise, `P(k)` proportional to `e^(−k²/(2σ²))`. */
export function discreteGaussianCdf(sigma: number): Cdf {
  if (sigma < summedBelow)
    return symmetricCdf((size) => Math.exp((-size * size) / (2 * sigma * sigma)), sigma);
  return (x) => {
    // Σ_(j ≤ k) f(j) = ∫_(−∞)^(k + ½) f − f'(k + ½)/24 + …, with f the density of N(0, σ²).
    const z = (Math.floor(x) + 0.5) / sigma;
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    return clamped(normalCdf(z) + (z * density) / (24 * sigma * sigma));
  };
}

/** Distribution function of discrete Laplace noise, `P(k)` proportional to `e^(−|k|/scale)`. */
export function discreteLaplaceCdf(scale: number): Cdf {
  const outer = 1 / (1 + Math.exp(-1 / scale));
  return (x) => {
    const k = Math.floor(x);
    return k < 0 ? Math.exp(k / scale) * outer : 1 - Math.exp(-(k + 1) / scale) * outer;
  };
}

function symmetricCdf(weight: (size: number) => number, deviation: number): Cdf {
  const end = Math.ceil(40 * deviation) + 40;
  const beyond = new Float64Array(end + 1);
  for (let k = end - 1; k >= 0; k--) beyond[k] = beyond[k + 1] + weight(k);
  const total = beyond[0] + beyond[1];
  const atLeast = (k: number): number => (k >= end ? 0 : beyond[k] / total);
  return (x) => {
    const k = Math.floor(x);
    return clamped(k < 0 ? atLeast(-k) : 1 - atLeast(k + 1));
  };
}

const clamped = (p: number): number => Math.min(1, Math.max(0, p));
