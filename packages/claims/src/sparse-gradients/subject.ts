import { sparseGradientsBound } from '@lethe/algorithms';

/** The functions of which the claims speak. */
export interface SparseGradientsSubject {
  readonly bound: (records: number) => number;
}
/** Shipped optimizers. */
export const sparseGradientsSubject: SparseGradientsSubject = Object.freeze({ bound: sparseGradientsBound });
