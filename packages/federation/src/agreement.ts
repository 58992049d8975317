import { domainAt, type Adjacency, type Registry } from '@lethe/core';
import { agreedPart, type AgreedPart } from '@lethe/curator/federation';
import type { Domain } from '@lethe/numerics';
import type { Identity, PublicIdentity } from './identity.js';
import { signedText, type FederatedPlan, type SealedPlan } from './plan.js';
import { refusal, refusing } from './refusal.js';

/** What a silo is before it has agreed to a plan. */
export interface SiloStanding {
  readonly identity: Identity;
  /** The server's key, as its operator gave it by hand. */
  readonly serverKey: PublicIdentity;
  /** Slots of its records, or its owners where they are the unit. */
  readonly records: number;
  /** Adjacency and unit of its ledger. */
  readonly adjacency: Adjacency;
  readonly unit: FederatedPlan['unit'];
  /** The silo's own plugins, the optimizer of the plan among them. */
  readonly registry: Registry;
}

/**
 * Checks that a silo can agree to a plan: the server's signature, its own place in the plan, its records, the
 * adjacency and unit of its ledger, and the start. The silo's curator works out the cost, and finds room for
 * it.
 *
 * @returns which silo of the plan it is, and what the run costs it, as it works out itself.
 * @throws the refusal of the first rule that is broken.
 */
export function assertAgreeable(
  { plan, digest }: SealedPlan,
  signature: Uint8Array,
  { identity, serverKey, records, adjacency, unit, registry }: SiloStanding,
): { readonly index: number; readonly part: AgreedPart } {
  if (plan.server !== serverKey.text || !serverKey.verify(signedText('server', digest), signature))
    throw refusal(
      'wrong-signature',
      'the plan is not signed by the server whose key this silo was given',
      {},
    );
  const index = plan.silos.findIndex(({ key }) => key === identity.public.text);
  if (index < 0)
    throw refusal(
      'not-in-plan',
      "the plan does not name this silo's key; add it to the silos of the experiment",
      {},
    );
  const { problem } = plan.agreement.plan;
  const planned = problem.slots[index];
  if (planned !== records)
    throw refusal(
      'wrong-records',
      `the plan counts on ${planned} ${plan.unit}s of this silo, which has ${records}`,
      {
        planned,
        records,
      },
    );
  if (problem.adjacency !== adjacency)
    throw refusal(
      'wrong-adjacency',
      `the plan is for ${problem.adjacency}, and this silo's ledger for ${adjacency}`,
      { planned: problem.adjacency, adjacency },
    );
  if (plan.unit !== unit)
    throw refusal('wrong-unit', `the plan protects one ${plan.unit}, and this silo's ledger one ${unit}`, {});
  const domain = domainAt(registry, problem.domain, problem.dimension);
  if (!isWithin(domain, Float64Array.from(plan.agreement.start)))
    throw refusal('start-outside', 'the start of the plan is outside its domain', {});
  const part = refusing(() => agreedPart(plan.agreement, index, registry), {
    corrupt: 'wrong-optimizer',
    'invalid-parameter': 'wrong-optimizer',
    unsupported: 'wrong-optimizer',
    'incompatible-plugins': 'wrong-optimizer',
  });
  return { index, part };
}

/** Steps by which sums and projections of doubles miss a bound that holds in the reals. */
const tolerance = 2 ** -40;

/** Whether a point is in a domain, up to `2⁻⁴⁰` of its size. */
export const isWithin = (domain: Domain, point: Float64Array): boolean =>
  domain.contains(point, tolerance * (domain.diameter < Infinity ? domain.diameter : 1));
