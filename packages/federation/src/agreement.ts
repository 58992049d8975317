import { domainAt, type Adjacency, type Registry } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import type { Identity, PublicIdentity } from './identity.js';
import { signedText, startOf, type FederatedPlan, type SealedPlan } from './plan.js';
import { refusal } from './refusal.js';

/** What a silo is before it has agreed to a plan. */
export interface SiloStanding {
  readonly identity: Identity;
  /** The server's key, as its operator gave it by hand. */
  readonly serverKey: PublicIdentity;
  /** Slots of its records, or its users where the plan's unit is user. */
  readonly records: number;
  /** Adjacency and unit of its ledger. */
  readonly adjacency: Adjacency;
  readonly unit: FederatedPlan['unit'];
  /** Where the plan's domain is found. */
  readonly registry: Registry;
}

/** Steps by which sums and projections of doubles miss a bound that holds in the reals. */
export const tolerance = 2 ** -40;

/**
 * Checks that a silo can agree to a plan: the server's signature, its own place in the plan, its records, the
 * adjacency and unit of its ledger, the clip and the start. Room for the event is found out when the run is opened.
 *
 * @returns the index of the silo in the plan.
 * @throws the refusal of the first rule that is broken.
 */
export function assertAgreeable(
  { plan, digest }: SealedPlan,
  signature: Uint8Array,
  { identity, serverKey, records, adjacency, unit, registry }: SiloStanding,
): number {
  if (plan.server !== serverKey.text || !serverKey.verify(signedText('server', digest), signature))
    throw refusal('wrong-signature', 'the plan is not signed by the server whose key this silo was given', {});
  const index = plan.silos.findIndex(({ key }) => key === identity.public.text);
  if (index < 0)
    throw refusal('not-in-plan', 'the plan does not name this silo’s key; add it to the silos of the experiment', {});
  const { batchSize, records: planned } = plan.silos[index];
  if (planned > records || plan.rounds * batchSize > records)
    throw refusal(
      'too-few-records',
      `the plan takes ${Math.max(planned, plan.rounds * batchSize)} ${plan.unit}s of this silo, which has ${records}`,
      { planned, rounds: plan.rounds, batchSize, records },
    );
  if (plan.adjacency !== adjacency)
    throw refusal('wrong-adjacency', `the plan is for ${plan.adjacency}, and this silo's ledger for ${adjacency}`, {
      planned: plan.adjacency,
      adjacency,
    });
  if (plan.unit !== unit)
    throw refusal('wrong-unit', `the plan protects a ${plan.unit}, and this silo's ledger a ${unit}`, {});
  assertClip(plan, registry);
  return index;
}

/** @throws the refusal of a clip whose radius is not that of its constants, or of a start outside the domain. */
function assertClip(plan: FederatedPlan, registry: Registry): void {
  const { rule, radius, centred, lipschitz, smoothness, diameter } = plan.clip;
  const domain = domainAt(registry, plan.domain, plan.dimension);
  if (centred && smoothness === undefined)
    throw refusal('wrong-clip', 'a centred clip needs the smoothness that its centre follows from', {});
  if (rule === 'constants') {
    if (lipschitz === undefined || smoothness === undefined || diameter === undefined)
      throw refusal('wrong-clip', 'a clip by constants needs lipschitz, smoothness and diameter', {});
    if (!(domain.diameter <= diameter * (1 + tolerance)))
      throw refusal('wrong-clip', `the domain has diameter ${domain.diameter}, the plan says ${diameter}`, {});
    const own = lipschitz + (centred ? 1 : 2) * smoothness * diameter;
    if (!(Math.abs(own - radius) <= tolerance * own))
      throw refusal('wrong-clip', `the radius of the clip is ${radius}; its constants give ${own}`, { radius, own });
  }
  if (!isWithin(domain, startOf(plan)))
    throw refusal('start-outside', 'the start of the plan is outside its domain', {});
}

/** Whether a point is in a domain, up to {@link tolerance} of its size. */
export const isWithin = (domain: Domain, point: Float64Array): boolean =>
  domain.contains(point, tolerance * (domain.diameter < Infinity ? domain.diameter : 1));
