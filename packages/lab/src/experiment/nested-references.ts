import { fieldsOf } from '@lethe/numerics';
import { InvalidParameter, type LowerBound, type PluginKind } from '@lethe/core';

/** A plugin that the parameters of another name. */
export interface NestedReference {
  readonly path: string;
  readonly kind: PluginKind;
  readonly name: string;
  readonly params: unknown;
}

/** Kinds of plugins that parameters of others name. */
export const nestedKinds: readonly PluginKind[] = [
  'mechanism',
  'selector',
  'clip',
  'mean',
  'localRandomiser',
  'sketch',
  'sampler',
  'prefixSum',
  'domain',
  'regulariser',
  'solver',
  'loss',
  'optimizer',
];
const kinds: ReadonlySet<string> = new Set(nestedKinds);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Plugins that parameters name, at any depth: records with a
 * name, and a kind that they say, or are kept under.
 */
export function referencesIn(params: unknown, path = '', under = ''): readonly NestedReference[] {
  if (!isRecord(params)) return [];
  const { kind = under, name, params: own = {} } = params;
  const isReference = typeof name === 'string' && typeof kind === 'string' && kinds.has(kind);
  const inside = Object.entries(params).flatMap(([key, value]) =>
    referencesIn(value, path === '' ? key : `${path}.${key}`, Array.isArray(params) ? under : key),
  );
  return isReference ? [{ path, kind: kind as PluginKind, name, params: own }, ...inside] : inside;
}

/**
 * Checks the parameters that are given to a lower bound; what an experiment fills in is not known yet.
 *
 * @throws {InvalidParameter} for a name that the bound has not, or a value that it does not take.
 */
export function fitsBound({ name, params }: LowerBound, given: Readonly<Record<string, unknown>>): void {
  const shape = fieldsOf(params);
  if (shape === null) return;
  const wrong = Object.entries(given).flatMap(([key, value]) => {
    if (!Object.hasOwn(shape, key))
      return [`${key}: there is no such parameter; there are ${Object.keys(shape).join(', ')}`];
    return (shape[key].safeParse(value).error?.issues ?? []).map(
      ({ path, message }) => `${[key, ...path].join('.')}: ${message}`,
    );
  });
  if (wrong.length > 0)
    throw new InvalidParameter(`lower bound '${name}' is not valid: ${wrong.join('; ')}`, {
      lowerBound: name,
      wrong,
    });
}
