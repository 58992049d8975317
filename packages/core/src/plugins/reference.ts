import { z } from 'zod';
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
 * Schema of parameters that name a plugin: `params: z.strictObject({ clip: referenceTo('clip') })`. What is a
 * reference already is kept as that very object, by which a registry finds what it parsed before.
 */
export function referenceTo<K extends PluginKind>(kind: K): z.ZodType<Ref<K>, WrittenRef<K>> {
  const written = z.strictObject({
    kind: z.literal<K>(kind).default(kind),
    name: z.string().min(1),
    params: json.default({}),
  });
  return z.custom<WrittenRef<K>>().transform((value, context): Ref<K> => {
    const { data, error } = written.safeParse(value);
    if (data === undefined) {
      for (const { path, message } of error.issues)
        context.addIssue({ code: 'custom', message, path: [...path] });
      return z.NEVER;
    }
    return Object.isFrozen(value) && value.kind !== undefined && value.params !== undefined
      ? (value as Ref<K>)
      : (data as Ref<K>);
  });
}
