import { lowyRates, type LowyRate, type LowySetting } from '@lethe/algorithms';
import { InvalidParameter, nearestName } from '@lethe/core';
import type { RateSpec } from './schema.js';

/** Numbers of a setting that an experiment may give itself. */
const settable = ['order', 'moment', 'secondMoment', 'uniformDoubleMoment', 'coordinateMoment', 'coordinateSecondMoment', 'diameter', 'smoothness', 'convexity', 'worstSmoothness', 'lipschitz', 'dimension', 'records', 'epsilon'] as const satisfies readonly (keyof LowySetting)[];

/**
 * The rate that an experiment names.
 *
 * @throws {InvalidParameter} for a name that is none, or a number that no rate reads.
 */
export function rateOf({ name, params }: RateSpec): LowyRate {
  const known: Readonly<Record<string, LowyRate>> = lowyRates;
  if (!Object.hasOwn(known, name)) {
    const meant = nearestName(name, Object.keys(known));
    throw new InvalidParameter(`there is no rate '${name}'; ${meant === undefined ? '' : `did you mean '${meant}'? `}there are ${Object.keys(known).join(', ')}`, { name });
  }
  const stray = Object.keys(params).find((key) => !settable.includes(key as never));
  if (stray !== undefined) throw new InvalidParameter(`rate '${name}': no rate reads '${stray}'; there are ${settable.join(', ')}`, { name, key: stray });
  return known[name]!;
}
