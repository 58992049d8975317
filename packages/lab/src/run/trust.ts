import {
  centralCurator,
  InvalidParameter,
  shuffleCurator,
  type Answered,
  type CentralCuratorOptions,
  type Curator,
  type RandomSource,
  type TrustModel,
} from '@lethe/core';
import { isJoint } from '@lethe/core/federation';
import type { TrustSpec } from '../experiment/schema.js';
import { simulatedSilos, siloSizes } from './silos.js';

/**
 * Trust model for `n` records, as a plan reads it. All users are honest by default.
 *
 * @throws {InvalidParameter} for more honest users than records.
 */
export function trustModelOf(trust: TrustSpec, n: number): TrustModel {
  if (trust === 'central') return { model: 'central' };
  if (trust.model === 'federated') {
    siloSizes(trust.silos, n);
    return { model: 'federated', silos: trust.silos, server: trust.server };
  }
  if (trust.model === 'secure-aggregation') {
    const { model, silos, corrupted, survivors = silos } = trust;
    siloSizes(silos, n);
    return { model, silos, corrupted, survivors };
  }
  const { honestUsers = n } = trust;
  if (honestUsers > n)
    throw new InvalidParameter(
      `trust.honestUsers is ${honestUsers}, and there are ${n} records, each of one user; ` +
        `give at most ${n}, or leave it out where all are honest`,
      { honestUsers, n },
    );
  return { model: 'shuffle', honestUsers };
}

/**
 * The curator of a trust model, for one run; of silos it is simulated, with the records split as the spec
 * says.
 */
export function curatorUnder(
  trust: TrustModel,
  options: CentralCuratorOptions & { readonly random: RandomSource },
  spec: TrustSpec = 'central',
): Curator<Answered> {
  if (trust.model === 'shuffle') return shuffleCurator({ ...options, honestUsers: trust.honestUsers });
  if (isJoint(trust)) {
    const split = spec !== 'central' && spec.model !== 'shuffle' ? spec.split : 'in-order';
    return simulatedSilos(trust, split, options);
  }
  return centralCurator(options);
}

/** Slots of a problem of `n` records. */
export const slotsUnder = (trust: TrustModel, n: number): readonly number[] =>
  isJoint(trust) ? siloSizes(trust.silos, n) : [n];
