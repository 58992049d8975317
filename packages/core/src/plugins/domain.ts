import type * as z from 'zod';
import { type Domain, InvalidParameter, type ZodSchema } from '@lethe/numerics';
import { builtAt, type PartReference } from './built-at.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';
import type { Registry } from './registry.js';

/** A closed convex set by name. */
export interface DomainPlugin<Params extends ZodSchema = ZodSchema> extends Plugin<'domain', Params> {
  /**
   * The set in R^dimension. `registry` is where it finds the
   * domains that its parameters name, by {@link domainAt}.
   */
  build(params: z.output<Params>, dimension: number, registry: Registry): Domain;
}

/** Declares a domain; the result, called with parameters, is a reference for problems and queries. */
export function defineDomain<Params extends ZodSchema>(
  definition: Omit<DomainPlugin<Params>, 'kind'>,
): Callable<DomainPlugin<Params>> {
  return callablePlugin({ ...definition, kind: 'domain' });
}

/** A domain as plain JSON; the dimension comes from the problem. */
export type DomainReference = PartReference<'domain'>;

const deepest = 16;

/** Refuses references nested so deeply that building them could exhaust the stack. */
function requireShallow(given: unknown): void {
  let inner = given;
  for (let depth = 0; depth <= deepest; depth++) {
    const params: unknown =
      typeof inner === 'object' && inner !== null && 'params' in inner ? inner.params : undefined;
    if (typeof params !== 'object' || params === null || !('domain' in params)) return;
    inner = params.domain;
  }
  throw new InvalidParameter(`domains are nested more than ${deepest} deep: give fewer intersections`, {
    deepest,
  });
}

/**
 * The set in R^dimension that a reference names: `{ name: 'l2-ball', params: { radius: 1 } }`.
 *
 * @param registry - Plugins, this domain's among them, and those of the domains it is made of.
 * @throws {Unsupported} when the registry has no such domain; the message lists those it has.
 * @throws {InvalidParameter} on parameters outside their
 * schema, of the wrong length, or that describe no set.
 */
export function domainAt(registry: Registry, given: DomainReference, dimension: number): Domain {
  requireShallow(given);
  return builtAt<'domain', Domain>('domain', registry, given, dimension);
}
