import type { TargetSpec } from '../experiment/mean-schema.js';

/** What one mean may cost, in a few words. */
export const targetText = (target: TargetSpec): string => ('unprotected' in target ? 'no noise' : 'epsilon' in target ? `ε = ${target.epsilon}, δ = ${target.delta}` : `noise multiplier ${target.noiseMultiplier}`);
