import { gaussLegendre, type Rule } from './gauss-legendre.js';
import { logPowerExcess } from './power-excess.js';

/** Two distributions on the real line, by their densities. */
export interface Densities {
  /** `log q(x)`. */
  readonly logQ: (x: number) => number;
  /** `log p(x) − log q(x)`. */
  readonly logRatio: (x: number) => number;
  /**
   * Ascending: the start, kinks and the end of the range. Mass
   * outside is ignored, which only lowers a divergence.
   */
  readonly breaks: readonly number[];
  /** Maximum panel width; the densities are smooth on a panel. @defaultValue 0.25 */
  readonly width?: number;
}

/** A divergence by quadrature: `lower` is `estimate` minus an error allowance. */
export interface Quadrature {
  readonly lower: number;
  readonly estimate: number;
}

const fine = gaussLegendre(16);
const coarse = gaussLegendre(10);
/** Relative error allowance for the elementary functions in an integrand. */
const grain = 1e-12;

/** A panel at whose nodes the logarithm of the integrand is this far below its peak adds nothing. */
const negligible = 100;

/** Lower bound of `sup_S P(S) − e^ε Q(S)`: the integral of `(p − e^ε q)₊`, split at its zeros. */
export function hockeyStickOf(densities: Densities, epsilon: number): Quadrature {
  const { logQ, logRatio } = densities;
  const above = (x: number): boolean => logRatio(x) > epsilon;
  const value = (x: number): number => {
    const excess = logRatio(x) - epsilon;
    // Far from Q the single factors over- or underflow; the allowance covers the error.
    if (excess > 30) return Math.exp(logQ(x) + epsilon + excess);
    return excess > 0 ? Math.exp(logQ(x) + epsilon) * Math.expm1(excess) : 0;
  };
  const sums = [0, 0];
  let size = 0;
  for (const [from, to] of panels(densities)) {
    for (const [a, b] of split(above, from, to)) {
      if (!above((a + b) / 2)) continue;
      sums[0] += panelSum(fine, value, a, b);
      sums[1] += panelSum(coarse, value, a, b);
      size += panelSum(coarse, (x) => Math.exp(logQ(x) + Math.max(epsilon, logRatio(x))), a, b);
    }
  }
  return { estimate: sums[0], lower: Math.max(0, sums[0] - 2 * Math.abs(sums[0] - sums[1]) - grain * size) };
}

/**
 * Lower bound of the Rényi divergence of order `alpha`, whose
 * moment minus 1 is the integral of a positive function.
 */
export function renyiOf(densities: Densities, alpha: number): Quadrature {
  const beta = alpha - 1;
  const log = (x: number): number => densities.logQ(x) + logPowerExcess(beta, densities.logRatio(x));
  const parts = [...panels(densities)];
  const width = coarse.nodes.length;
  const logs = new Float64Array(parts.length * width);
  let peak = -Infinity;
  for (const [k, [a, b]] of parts.entries())
    for (let i = 0; i < width; i++) {
      const found = log((a + b) / 2 + (coarse.nodes[i] * (b - a)) / 2);
      logs[k * width + i] = found;
      if (found > peak) peak = found;
    }
  if (peak === -Infinity) return { estimate: 0, lower: 0 };
  const value = (x: number): number => Math.exp(log(x) - peak);
  let [sum, rough] = [0, 0];
  for (const [k, [a, b]] of parts.entries()) {
    const own = logs.subarray(k * width, (k + 1) * width);
    if (Math.max(...own) < peak - negligible) continue;
    sum += panelSum(fine, value, a, b);
    let panel = 0;
    for (let i = 0; i < width; i++) panel += coarse.weights[i] * Math.exp(own[i] - peak);
    rough += (panel * (b - a)) / 2;
  }
  const divergence = (moment: number): number => {
    const exponent = peak + Math.log(moment);
    return (
      (exponent > 30 ? exponent + Math.log1p(Math.exp(-exponent)) : Math.log1p(Math.exp(exponent))) / beta
    );
  };
  // The error of the exponents grows with the size of the peak.
  const error = 2 * Math.abs(sum - rough) + (grain + 2 ** -48 * Math.abs(peak)) * sum;
  return { estimate: divergence(sum), lower: sum > error ? divergence(sum - error) : 0 };
}

function* panels({ breaks, width = 0.25 }: Densities): Generator<readonly [number, number]> {
  for (let i = 1; i < breaks.length; i++) {
    const from = breaks[i - 1];
    const to = breaks[i];
    const count = Math.ceil((to - from) / width);
    for (let k = 0; k < count; k++)
      yield [from + ((to - from) * k) / count, from + ((to - from) * (k + 1)) / count];
  }
}

function panelSum({ nodes, weights }: Rule, f: (x: number) => number, from: number, to: number): number {
  let sum = 0;
  for (let i = 0; i < nodes.length; i++)
    sum += weights[i] * f((from + to) / 2 + (nodes[i] * (to - from)) / 2);
  return (sum * (to - from)) / 2;
}

/** The panel, split where `above` changes between its eighths. */
function split(
  above: (x: number) => boolean,
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const cuts = [from];
  for (let k = 0; k < 8; k++) {
    let a = from + ((to - from) * k) / 8;
    let b = from + ((to - from) * (k + 1)) / 8;
    const left = above(a);
    if (above(b) === left) continue;
    for (let step = 0; step < 60 && b - a > 2 ** -52 * Math.abs(a); step++) {
      const middle = (a + b) / 2;
      if (above(middle) === left) a = middle;
      else b = middle;
    }
    cuts.push(b);
  }
  return [...cuts, to].slice(1).map((end, i) => [cuts[i], end] as const);
}
