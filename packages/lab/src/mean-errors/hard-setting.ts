import {
  findPlugin,
  InvalidParameter,
  type LowerBound,
  type MeanErrorLowerBound,
  type MeanErrorValue,
  type Registry,
} from '@lethe/core';
import type { MeanErrorSeries, MeanErrorSetting } from '../experiment/mean-error-schema.js';
import { boundParams } from '../run/lower-bound.js';

/** A lower bound on the error of a mean, with records to draw, at one setting. */
export interface HardSetting {
  readonly bound: MeanErrorLowerBound;
  readonly params: unknown;
  readonly value: MeanErrorValue;
  readonly radius: number;
}

/**
 * The lower bound of a series at one of its settings.
 *
 * @throws {InvalidParameter} for a bound on something else, without records or without proved constants.
 */
export function hardSetting(
  { bound: { name, params: given } }: MeanErrorSeries,
  setting: MeanErrorSetting,
  registry: Registry,
): HardSetting {
  const bound = findPlugin<LowerBound>(registry, 'lowerBound', name);
  if (bound.measure !== 'mean-error' || bound.problem === null || bound.instance === null)
    throw new InvalidParameter(
      `lower bound '${name}' draws no records whose mean is hard to estimate; take one that does, ` +
        'such as sparse-mean-pure',
      { lowerBound: name },
    );
  const params = boundParams(bound, { ...setting }, given);
  const value = bound.evaluate(params);
  if (!value.explicit || value.probability === null || value.rootMeanSquare === null)
    throw new InvalidParameter(`lower bound '${name}' has no proved constants at these parameters`, { name });
  const { target, radius } = bound.problem(params);
  const weaker = target.epsilon < setting.epsilon || target.delta < setting.delta;
  if (weaker)
    throw new InvalidParameter(
      `lower bound '${name}' is for ε = ${target.epsilon} and δ = ${target.delta}; it says nothing of ` +
        `means at ε = ${setting.epsilon} and δ = ${setting.delta}`,
      { lowerBound: name },
    );
  return { bound, params, value, radius };
}

/** The settings of a series, one for each value of what is varied. */
export const settingsOfSeries = ({ at, vary, values }: MeanErrorSeries): readonly MeanErrorSetting[] =>
  values.map((value) => ({ ...at, [vary]: value }));
