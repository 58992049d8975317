import { normalCdf } from '@lethe/numerics';
import { gaussLegendre } from '@lethe/laws';

const rule = gaussLegendre(16);
const panels = 200;

/**
 * `E median(v + ξ)` for three numbers and independent normal `ξ`: the median is below `t` if two of them are.
 * By quadrature, to 1e-9.
 */
export function expectedMedian(values: readonly number[], deviation: number): number {
  const low = Math.min(...values) - 12 * deviation;
  const width = (Math.max(...values) + 12 * deviation - low) / panels;
  let sum = low;
  for (let i = 0; i < panels; i++) {
    for (let k = 0; k < rule.nodes.length; k++) {
      const [a, b, c] = values.map((v) =>
        normalCdf((low + (i + (1 + rule.nodes[k]) / 2) * width - v) / deviation),
      );
      sum += ((rule.weights[k] * width) / 2) * (1 - a * b - a * c - b * c + 2 * a * b * c);
    }
  }
  return sum;
}
