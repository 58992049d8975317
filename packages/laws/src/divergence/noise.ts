import { type Bounds, expDown, expUp, normalCdfBounds, subtractDown, subtractUp } from '@lethe/numerics';

/** A distribution on the real line with scale 1, symmetric around 0 and log-concave. */
export interface Noise {
  readonly name: 'gaussian' | 'laplace';
  /** Beyond it the tail underflows, or nearly so. */
  readonly reach: number;
  /** Beyond it the tail is below 1e-19. */
  readonly body: number;
  /** Bounds of the probability of values above `x`. */
  tail(x: number): Bounds;
  /**
   * `log f(x − shift) − log f(x)`, with an error of a few units
   * in the last place of the larger of it and `shift`.
   */
  logRatio(x: number, shift: number): number;
  logDensity(x: number): number;
}

export const gaussianNoise: Noise = {
  name: 'gaussian',
  reach: 38,
  body: 9.2,
  tail: (x) => normalCdfBounds(-x),
  logRatio: (x, shift) => shift * (x - shift / 2),
  logDensity: (x) => -(x * x) / 2 - 0.918_938_533_204_672_8,
};

export const laplaceNoise: Noise = {
  name: 'laplace',
  reach: 744,
  body: 44,
  tail(x) {
    if (x > 0) return { lower: expDown(-x) / 2, upper: expUp(-x) / 2 };
    return { lower: subtractDown(1, expUp(x) / 2), upper: Math.min(1, subtractUp(1, expDown(x) / 2)) };
  },
  logRatio: (x, shift) =>
    shift < 0
      ? Math.min(-shift, Math.max(shift, shift - 2 * x))
      : Math.min(shift, Math.max(-shift, 2 * x - shift)),
  logDensity: (x) => -Math.abs(x) - Math.LN2,
};

/** Bounds of the probability of values above `x` after a shift. */
export function shiftedTail(noise: Noise, x: number, shift: number): Bounds {
  if (shift === 0) return noise.tail(x);
  return { lower: noise.tail(subtractUp(x, shift)).lower, upper: noise.tail(subtractDown(x, shift)).upper };
}
