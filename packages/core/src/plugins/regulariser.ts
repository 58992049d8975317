import type * as z from 'zod';
import type { Proximal, ZodSchema } from '@lethe/numerics';
import { builtAt, type PartReference } from './built-at.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';
import type { Registry } from './registry.js';

/** A public convex function of the iterate by name, with its proximal map. */
export interface Regulariser<Params extends ZodSchema = ZodSchema> extends Plugin<'regulariser', Params> {
  /** The function on R^dimension. `registry` is where it finds the plugins that its parameters name. */
  build(params: z.output<Params>, dimension: number, registry: Registry): Proximal;
}

/** Declares a regulariser; the result, called with parameters, is a reference for problems. */
export function defineRegulariser<Params extends ZodSchema>(
  definition: Omit<Regulariser<Params>, 'kind'>,
): Callable<Regulariser<Params>> {
  return callablePlugin({ ...definition, kind: 'regulariser' });
}

/** A regulariser as plain JSON; the dimension comes from the problem. */
export type RegulariserReference = PartReference<'regulariser'>;

/**
 * The function on R^dimension that a reference names: `{ name: 'l1', params: { strength: 0.1 } }`.
 *
 * @param registry - Plugins, this regulariser's among them.
 * @throws {Unsupported} when the registry has no such regulariser; the message lists those it has.
 * @throws {InvalidParameter} on parameters outside their schema or that do not fit the dimension.
 */
export const regulariserAt = (registry: Registry, given: RegulariserReference, dimension: number): Proximal =>
  builtAt<'regulariser', Proximal>('regulariser', registry, given, dimension);
