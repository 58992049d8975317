import { heavyTailsRates, type HeavyTailsRate, type HeavyTailsSetting } from '@lethe/algorithms';
import { InvalidParameter } from '@lethe/core';
import { nearestName } from '@lethe/numerics';
import type { RateSpec } from './schema.js';

/** Numbers of a setting that an experiment may override. */
const settable = [
  'order',
  'moment',
  'secondMoment',
  'uniformDoubleMoment',
  'coordinateMoment',
  'coordinateSecondMoment',
  'diameter',
  'smoothness',
  'convexity',
  'worstSmoothness',
  'lipschitz',
  'dimension',
  'records',
  'epsilon',
] as const satisfies readonly (keyof HeavyTailsSetting)[];

/**
 * The rate that an experiment names.
 *
 * @throws {InvalidParameter} for a name that is none, or a number that no rate reads.
 */
export function rateOf({ name, params }: RateSpec): HeavyTailsRate {
  const known: Readonly<Record<string, HeavyTailsRate>> = heavyTailsRates;
  if (!Object.hasOwn(known, name)) {
    const meant = nearestName(name, Object.keys(known));
    throw new InvalidParameter(
      `there is no rate '${name}'; ${meant === undefined ? '' : `did you mean '${meant}'? `}there are ` +
        `${Object.keys(known).join(', ')}`,
      { name },
    );
  }
  const stray = Object.keys(params).find((key) => !settable.some((own) => own === key));
  if (stray !== undefined)
    throw new InvalidParameter(`rate '${name}': no rate reads '${stray}'; there are ${settable.join(', ')}`, {
      name,
      key: stray,
    });
  return known[name];
}
