import { number, variant, vector, type VariantOf } from '../schema.js';
import { localSteps } from './local-steps.js';
import { bound } from './noise.js';

const statistics = {
  risk: {},
  'risk-difference': { reference: vector },
  'gradient-norm': { bound },
  'gradient-norm-beyond': { radius: number },
  'update-norm-beyond': { radius: number, local: localSteps },
};
/**
 * A scalar whose sensitivity the curator derives from facts; `gradient-norm-beyond` is the share of records
 * whose gradient has an ℓ2 norm above `radius`, and `update-norm-beyond` that of slots whose local update
 * has one.
 */
export type Statistic = VariantOf<'of', typeof statistics>;
export const statistic = variant('of', statistics);
