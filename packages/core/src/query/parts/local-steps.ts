import { number, record, reference, type RecordOf } from '../schema.js';

const steps = {
  /** Where the steps stay: each is projected onto it. */
  domain: reference('domain'),
  /** Passes over what one slot holds. */
  epochs: number,
  /**
   * Records of one step; all of an owner's where it has fewer. A slot that is one record takes one step a
   * pass.
   */
  batchSize: number,
  stepSize: number,
};
/**
 * Gradient steps that each slot takes on its own records, in their order: stochastic descent without noise.
 */
export type LocalSteps = RecordOf<typeof steps>;
export const localSteps = record(steps);
