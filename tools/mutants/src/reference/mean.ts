import { divideUp } from '@lethe/numerics';
import { type CentralMean, type MeanShape, type Sensitivity, type Vector } from '@lethe/core';

export type Shape = Pick<MeanShape, 'dimension' | 'slots'>;
export const source = { id: 'generic', item: 'generic' };

/** Sensitivities of a mean over public slots with contributions of norm at most `radius`. */
export function meanSensitivity(radius: number, { slots }: Shape): Sensitivity {
  const one = divideUp(radius, slots);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/**
 * A run that sums what `contribute` makes of each record,
 * zeros for one that is not finite, and divides by the slots.
 */
export function meanRun(
  { dimension, slots }: Shape,
  length: number,
  contribute: (record: Vector, slot: number) => Vector,
): Pick<ReturnType<CentralMean['begin']>, 'add' | 'value'> {
  const sum = new Float64Array(length);
  return {
    add(slot, gradient) {
      const record = gradient.every(Number.isFinite) ? gradient.slice() : new Float64Array(dimension);
      contribute(record, slot).forEach((x, j) => {
        sum[j] += x;
      });
    },
    value: () => sum.map((total) => total / slots),
  };
}
