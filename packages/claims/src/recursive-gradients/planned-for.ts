import type { RecursiveGradientsSubject } from './subject.js';

const log2 = (T: number): number => Math.floor(Math.log2(T) + 1e-12);
/** Noise of the tree for `μ`, by its largest sum; what schedules read of it. */
const treeOf = (mu: number) => (rounds: number) => ({
  deviations: new Float64Array(0),
  worst: Math.sqrt((1 + log2(rounds)) * log2(rounds + 1)) / mu,
});
/** Facts of the golden problem, with that many records. */
export const golden = (slots: number, rest: object = {}) => ({
  slots,
  dimension: 10,
  lipschitz: 1,
  smoothness: 1,
  diameter: 1,
  startDistance: 1,
  epsilon: 1,
  delta: 1e-6,
  noiseAt: treeOf(0.236704380663),
  ...rest,
});

/** The printed plans of the golden problem. */
export const plannedFor =
  ({ scheduleOf }: Pick<RecursiveGradientsSubject, 'scheduleOf'>) =>
  (slots: number, setting: 'any' | 'realizable', rest: object = {}, rounds?: number) =>
    scheduleOf(golden(slots, rest), { setting, choice: 'printed', literal: true, given: { rounds } });
