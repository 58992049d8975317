import type { TiltedDistribution } from './tilted-distribution.js';

/** A uniform part of a distribution: `length` consecutive points with total weight `share`. */
interface Row {
  readonly count: number;
  readonly length: number;
  readonly share: number;
}

/**
 * A bound on `log |E e^(iθX)|` of a product for all angles from θ to π. A mixture with weight `α` of the
 * uniform distribution on `m` consecutive points has `|φ| ≤ 1 − α (1 − D)`, where
 * `D = |sin(mθ/2) / (m sin(θ/2))|` decreases up to `2π/m` and is below `π/(mθ)` from there.
 */
export function decayBeyond(distributions: readonly TiltedDistribution[]): (theta: number) => number {
  const rows = distributions.map(widestRow).filter((row) => row.length > 1);
  return (theta) => {
    let sum = 0;
    for (const { count, length, share } of rows) {
      const within = length * theta < 2 * Math.PI;
      const largest = within
        ? Math.max(
            Math.abs(Math.sin((length * theta) / 2) / (length * Math.sin(theta / 2))) + 1e-12,
            length === 2 ? 0 : 0.5,
          )
        : Math.PI / (length * theta);
      sum += count * Math.log1p(-share * (1 - Math.min(1, largest)));
    }
    return sum;
  };
}

const sizeOf = ({ share, length }: Row): number => share * (length ** 2 - 1);

/**
 * The row of adjacent points whose uniform part has the largest variance: around the largest weight, or
 * around the largest between the ends, where there may be atoms.
 */
function widestRow({ count, nodes, weights: mean, spread }: TiltedDistribution): Row {
  const weights = spread?.floor ?? mean;
  const n = nodes.length;
  const joined = (i: number): boolean => i > 0 && i < n && 1 === nodes[i] - nodes[i - 1];
  const around = (isPlace: (i: number) => boolean): Row => {
    let peak = -1;
    for (let i = 0; i < n; i += 1) if (isPlace(i) && !(peak >= 0 && weights[i] <= weights[peak])) peak = i;
    return rowAround(peak, weights, joined, count);
  };
  const inner = (i: number): boolean => joined(i) && joined(i + 1);
  const whole = around((i) => inner(i) || (joined(i) && (n === 2 || i === n - 1)));
  const within = around((i) => i > 0 && inner(i));
  return sizeOf(within) > sizeOf(whole) ? within : whole;
}

function rowAround(peak: number, weights: Float64Array, joined: (i: number) => boolean, count: number): Row {
  let best: Row = { count, length: 1, share: 0 };
  if (peak < 0) return best;
  let first = peak;
  let last = peak;
  for (let level = weights[peak] * 0.999; level > weights[peak] * 1e-3; level *= 0.8) {
    while (joined(first) && weights[first - 1] >= level) first -= 1;
    while (joined(last + 1) && weights[last + 1] >= level) last += 1;
    const length = last - first + 1;
    const share = Math.min(1, length * level * (1 - 1e-12));
    const row = { count, length, share };
    if (sizeOf(row) > sizeOf(best)) best = row;
  }
  return best;
}
