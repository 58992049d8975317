import { divideUp } from '@lethe/numerics';
import { type MeanOracle, type OracleContext, type Sensitivity, type Vector } from '@lethe/core';

export type Shape = Omit<OracleContext, 'random'>;
export const source = { id: 'generic', item: 'generic' };

/** Sensitivities of a mean over public slots with contributions of norm at most `radius`. */
export function meanSensitivity(radius: number, { slots }: Shape): Sensitivity {
  const one = divideUp(radius, slots);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/** A run that sums `contribute(record)` over the records, zeros for non-finite results, and divides by the slots. */
export function meanRun({ dimension, slots }: Shape, length: number, contribute: (record: Vector, slot: number) => Vector): Pick<ReturnType<MeanOracle['begin']>, 'add' | 'value'> {
  const sum = new Float64Array(length);
  return {
    add(slot, gradient) {
      const record = gradient.every(Number.isFinite) ? gradient.slice() : new Float64Array(dimension);
      contribute(record, slot).forEach((x, j) => { sum[j] += x; });
    },
    value: () => sum.map((total) => total / slots),
  };
}
