import * as z from 'zod';
import type { Json } from '../json.js';
import type { PluginKind, Ref } from './plugin.js';

const json = z.json() as z.ZodType<Json, Json>;

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
export function referenceTo<K extends PluginKind>(kind: K): z.ZodType<Ref<K>, WrittenRef<K>> {
  const written = z.strictObject({
    kind: z.literal<K>(kind).default(kind),
    name: z.string().min(1),
    params: json.default({}),
  });
  return z.custom<WrittenRef<K>>().transform((value, context): Ref<K> => {
    const { data } = written.safeParse(value);
    if (data === undefined) {
      context.addIssue({ code: 'custom', message: wrongReference(kind, value) });
      return z.NEVER;
    }
    return Object.isFrozen(value) && value.kind !== undefined && value.params !== undefined
      ? (value as Ref<K>)
      : (data as Ref<K>);
  });
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
