import type { TargetSpec } from '../experiment/mean-schema.js';

/** The budget of one mean in words. */
export const targetText = (target: TargetSpec): string => {
  if ('unprotected' in target) return 'no noise';
  if ('epsilon' in target) return `ε = ${target.epsilon}, δ = ${target.delta}`;
  return `noise multiplier ${target.noiseMultiplier}`;
};
