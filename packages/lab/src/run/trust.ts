import {
  centralCurator,
  InvalidParameter,
  shuffleCurator,
  type CentralCurator,
  type CentralCuratorOptions,
  type TrustModel,
} from '@lethe/core';
import type { TrustSpec } from '../experiment/schema.js';

/**
 * Trust model for `n` records, as a plan reads it. All users are honest by default.
 *
 * @throws {InvalidParameter} for more honest users than records.
 */
export function trustModelOf(trust: TrustSpec, n: number): TrustModel {
  if (trust === 'central') return { model: 'central' };
  const { honestUsers = n } = trust;
  if (honestUsers > n)
    throw new InvalidParameter(
      `trust.honestUsers is ${honestUsers}, and there are ${n} records, each of one user; ` +
        `give at most ${n}, or leave it out where all are honest`,
      { honestUsers, n },
    );
  return { model: 'shuffle', honestUsers };
}

/** The curator of a trust model, for one run. */
export const curatorUnder = (trust: TrustModel, options: CentralCuratorOptions): CentralCurator =>
  trust.model === 'shuffle'
    ? shuffleCurator({ ...options, honestUsers: trust.honestUsers })
    : centralCurator(options);
