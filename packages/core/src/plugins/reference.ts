import type { ZodSchema } from '@lethe/numerics';
import * as z from 'zod/mini';
import type { Json } from '../json.js';
import type { PluginKind, Ref } from './plugin.js';

const json = z.json() as ZodSchema<Json, Json>;

/**
 * A reference as it is written: its kind follows from where it
 * stands, and parameters that are left out are none.
 */
export interface WrittenRef<K extends PluginKind> {
  readonly kind?: K;
  readonly name: string;
  readonly params?: unknown;
}

/**
 * Schema of parameters that name a plugin: `params: z.strictObject({ clip: referenceTo('clip') })`. A frozen
 * reference stays the same object, under which a registry remembers its parsed parameters.
 */
export function referenceTo<K extends PluginKind>(kind: K): z.ZodMiniType<Ref<K>, WrittenRef<K>> {
  const written = z.strictObject({
    kind: z._default(z.literal<K>(kind), kind),
    name: z.string().check(z.minLength(1)),
    params: z._default(json, {}),
  });
  const read = z.transform((value: WrittenRef<K>, context): Ref<K> => {
    const { data } = written.safeParse(value);
    if (data === undefined) {
      context.issues.push({ code: 'custom', message: wrongReference(kind, value), input: value });
      return z.NEVER;
    }
    return Object.isFrozen(value) && value.kind !== undefined && value.params !== undefined
      ? (value as Ref<K>)
      : (data as Ref<K>);
  });
  return z.pipe(z.custom<WrittenRef<K>>(), read);
}

/** Error text: what is wrong with a value, and the form of a reference. */
function wrongReference(kind: PluginKind, value: unknown): string {
  const form = (name: string): string => `name the ${kind} and give its parameters, as { name: ${name} }`;
  if (typeof value === 'string') return `is the text '${value}'; ${form(value)}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `is ${Array.isArray(value) ? 'a list' : String(value)}; ${form('…')}`;
  const { kind: given, name, params: _params, ...rest } = value as Readonly<Record<string, unknown>>;
  const [stray] = Object.keys(rest);
  if (stray !== undefined) return `has the key '${stray}'; ${form('…, params: {…}')}`;
  if (typeof name !== 'string' || name === '') return `has no name; ${form('…, params: {…}')}`;
  if (given !== undefined && given !== kind) return `is of kind '${String(given)}'; it must be a ${kind}`;
  return 'has parameters that are no JSON';
}
