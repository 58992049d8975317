import type { EProcess } from '../../evidence/e-process.js';
import { wealth } from '../../evidence/wealth.js';

/**
 * H0: observations are independent and category `k` has probability `probabilities[k]`. Bets with the
 * observed frequencies (Krichevsky and Trofimov), with power against every other distribution; learning costs
 * about `½ ln n` nats a category. `reach` is that of rare categories left out. One observation in a category
 * of probability 0 rejects H0.
 */
export function frequencies(probabilities: ArrayLike<number>): EProcess {
  const seen = new Float64Array(probabilities.length).fill(0.5);
  let total = probabilities.length / 2;
  return wealth((category: number) => {
    const gain = Math.log(seen[category] / total) - Math.log(probabilities[category]);
    seen[category] = seen[category] + 1;
    total++;
    return gain;
  }, reach);

  /** Wealth where rare categories, of up to half of the mass, never occur, and the others share the rest. */
  function reach(samples: number): number {
    if (samples > 0 && Array.from(probabilities).includes(0)) return Infinity;
    let leftOut = 0;
    for (const p of Array.from(probabilities).toSorted((a, b) => a - b)) if (leftOut + p <= 0.5) leftOut += p;
    const learning = (probabilities.length / 2) * Math.log(1 + samples);
    return Math.max(0, -samples * Math.log1p(-leftOut) - learning);
  }
}
