import type { Accountant } from '@lethe/core';
import { accountantBy, type Found } from '../accountant/certify.js';
import type { Knowers } from '../events/knowledge.js';
import { resolverOf, type CreateResolver } from '../events/resolver.js';
import { renyiLimitBy } from '../filters/renyi-limit.js';
import { renyiDelta, renyiEpsilon, type AtOrder } from './renyi-conversion.js';

const found = ({ value, order }: AtOrder): Found => ({
  lower: 0,
  upper: value,
  exact: false,
  method: `rdp, at the order ${Number(order.toPrecision(4))}`,
});

const source = { id: 'asoodeh-liao-calmon-kosut-sankar-2021', item: 'Theorem 3' };

/** The accountant by Rényi divergences that resolvers of this maker give. */
export const rdpBy = (create: CreateResolver): Accountant =>
  accountantBy(create, {
    name: 'rdp',
    summary:
      'Adds up Rényi divergences at every order and converts at the best one; supports Poisson sampling.',
    source,
    want: 'rdp',
    filter: renyiLimitBy(create),
    claims: [
      {
        property: 'renyi-optimal',
        statement: 'No Rényi order gives a smaller value than the result.',
        source,
      },
    ],
    epsilon: (curve, delta, stated) => found(renyiEpsilon(curve, delta, 'joint-range', stated)),
    delta: (curve, epsilon, stated) => found(renyiDelta(curve, epsilon, 'joint-range', stated)),
  });

/**
 * `rdp` for events of these kinds alone, such as `{ ...compositions, ...gaussianNoise, ...poissonSamples }`,
 * for pages whose script has to stay small. Its answers are those of `rdp`, or above them where a bound by a
 * kind that it was not given is smaller.
 *
 * @returns an accountant that answers `Unsupported`, naming the kind, for an event of another kind.
 */
export const rdpOf = (knowers: Knowers): Accountant => rdpBy(resolverOf({ knowers, pairs: null }));
