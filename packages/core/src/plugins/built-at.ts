import * as z from 'zod/mini';
import { parseOrThrow, requireDimension } from '@lethe/numerics';
import type { Json } from '../json.js';
import type { Plugin } from './plugin.js';
import { resolvePlugin, type Registry } from './registry.js';

/** A part of a problem by name, as plain JSON; its dimension is the problem's. */
export interface PartReference<K extends 'domain' | 'regulariser'> {
  readonly kind?: K | undefined;
  readonly name: string;
  readonly params?: unknown;
}

/** A plugin that is built for one dimension. */
interface Built<K extends 'domain' | 'regulariser', T> extends Plugin<K> {
  build(params: unknown, dimension: number, registry: Registry): T;
}

const partSchema = (kind: 'domain' | 'regulariser') =>
  z.strictObject({ kind: z.optional(z.literal(kind)), name: z.string(), params: z.optional(z.unknown()) });
const reference = { domain: partSchema('domain'), regulariser: partSchema('regulariser') };

/**
 * What a reference names, in R^dimension.
 *
 * @throws {Unsupported} when the registry has no such plugin; the message lists those it has.
 * @throws {InvalidParameter} on parameters outside their schema or that do not fit the dimension.
 */
export function builtAt<K extends 'domain' | 'regulariser', T>(
  kind: K,
  registry: Registry,
  given: PartReference<K>,
  dimension: number,
): T {
  const { name, params } = parseOrThrow(reference[kind], given, kind);
  requireDimension(dimension);
  const found = resolvePlugin<Built<K, T>>(registry, { kind, name, params: (params ?? {}) as Json });
  return found.plugin.build(found.params, dimension, registry);
}
