import { defineDomain, domainAt, type DomainReference, type Registry } from '@lethe/core';
import { l2Ball, type Domain } from '@lethe/numerics';
import * as z from 'zod';

const ball = defineDomain({
  name: 'l2-ball',
  summary: 'Euclidean distance from the centre at most the radius.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({ radius: z.number().positive(), centre: z.array(z.number()).optional() }),
  claims: [],
  build: ({ radius, centre }, dimension) =>
    l2Ball(centre === undefined ? { radius, dimension } : { radius, centre: Float64Array.from(centre) }),
});

const extended = new WeakMap<Registry, Registry>();

/**
 * The registry with a ball among its domains, for problems in laws; the registry's own ball takes precedence.
 */
export function withBall(registry: Registry): Registry {
  const known = extended.get(registry);
  if (known !== undefined) return known;
  const has = registry.some(({ kind, name }) => kind === 'domain' && name === ball.name);
  const whole = has ? registry : Object.freeze([...registry, ball]);
  extended.set(registry, whole);
  return whole;
}

/** The domain that a problem of a law names. */
export const domainIn = (registry: Registry, reference: DomainReference, dimension: number): Domain =>
  domainAt(withBall(registry), reference, dimension);
