import {
  InvalidParameter,
  type Answered,
  type Curator,
  type RandomSource,
  type TrustModel,
} from '@lethe/core';
import { centralCurator, shuffleCurator, type CentralCuratorOptions } from '@lethe/curator';
import { countedShares, isJoint, secureTrust } from '@lethe/curator/federation';
import type { TrustSpec } from '../experiment/schema.js';
import { simulatedSilos, siloSizes, type Layout } from './silos.js';

/**
 * Trust model for `n` records, as a plan reads it. All users are honest by default.
 *
 * @throws {InvalidParameter} for more honest users than records.
 */
export function trustModelOf(trust: TrustSpec, n: number): TrustModel {
  if (trust === 'central') return { model: 'central' };
  if (trust.model === 'federated' || trust.model === 'simulated-sums') {
    const { silos, weights } = trust;
    const sizes = siloSizes(trust, n);
    const shared = weights === undefined ? {} : { weights: inAll(weights === 'records' ? sizes : weights) };
    if (trust.model === 'federated') return { model: 'federated', silos, server: trust.server, ...shared };
    const { corrupted, survivors = silos } = trust;
    const simulatedShares = countedShares(secureTrust({ silos, corrupted, survivors }));
    return { model: 'federated', silos, server: 'trusted', ...shared, simulatedShares };
  }
  if (trust.model === 'secure-aggregation') {
    const { model, silos, corrupted, survivors = silos } = trust;
    siloSizes(trust, n);
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
  if (isJoint(trust))
    return simulatedSilos(trust, layoutOf(spec) ?? { silos: trust.silos, split: 'in-order' }, options);
  return centralCurator(options);
}

/** Numbers in proportion, 1 in all. */
function inAll(numbers: readonly number[]): readonly number[] {
  const total = numbers.reduce((sum, one) => sum + one, 0);
  return numbers.map((one) => one / total);
}

/** How records lie on silos, where there are some. */
const layoutOf = (trust: TrustSpec): Layout | null =>
  trust === 'central' || trust.model === 'shuffle' ? null : trust;

/** Slots of a problem of `n` records. */
export function slotsUnder(trust: TrustSpec, n: number): readonly number[] {
  const layout = layoutOf(trust);
  return layout === null ? [n] : siloSizes(layout, n);
}
