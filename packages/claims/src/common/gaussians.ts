import type { Densities } from '@lethe/laws';

/** `N(shift, deviation²)` against `N(0, deviation²)`, on a range wide enough for the order. */
export const gaussians = (alpha: number, shift: number, deviation: number): Densities => ({
  logQ: (x) => -((x / deviation) ** 2) / 2 - Math.log(2 * Math.PI) / 2 - Math.log(deviation),
  logRatio: (x) => (shift * (x - shift / 2)) / deviation ** 2,
  breaks: [-12 * deviation, alpha * shift + 12 * deviation],
  width: deviation / 4,
});
