import { InvalidParameter, parseOrThrow, type ZodSchema } from '@lethe/numerics';
import type * as z from 'zod';
import { deepFreeze, type Json } from '../json.js';

/** Every kind of plugin; there is one `define…` function for each. */
export type PluginKind =
  | 'mechanism'
  | 'selector'
  | 'clip'
  | 'mean'
  | 'localRandomiser'
  | 'sketch'
  | 'sampler'
  | 'prefixSum'
  | 'solver'
  | 'domain'
  | 'regulariser'
  | 'event'
  | 'accountant'
  | 'loss'
  | 'optimizer'
  | 'lowerBound';

/** A plugin by name, with its parameters as JSON, as sent from optimizer to curator. */
export type Ref<K extends PluginKind = PluginKind> = {
  readonly kind: K;
  readonly name: string;
  readonly params: Json;
};

/** Source of a plugin or a claim: a citation key and the item in it. */
export interface Source {
  readonly id: string;
  readonly item: string;
}
/** A claimed property of a plugin, as data; the law with the same `property` checks it. */
export interface Claim {
  readonly property: string;
  readonly statement: string;
  readonly source?: Source;
}

/** Fields of every plugin. Plugins are frozen plain objects; a registry is an array of them. */
export interface Plugin<K extends PluginKind = PluginKind, Params extends ZodSchema = ZodSchema> {
  readonly kind: K;
  readonly name: string;
  /** One sentence for a list. */
  readonly summary: string;
  readonly source: Source;
  /** Schema of its parameters; the parsed value is what runs and what is recorded. */
  readonly params: Params;
  readonly claims: readonly Claim[];
  /**
   * Version of the package that it ships in. A run does not go on
   * with a plugin of another version; those of Lethe go by Lethe's.
   */
  readonly packageVersion?: string;
  /**
   * Parameters at which it can be tried: laws and lists begin
   * with these. Left out: `{}`, where the schema takes it.
   */
  readonly examples?: readonly z.input<Params>[];
}

/** A plugin that can be called with its parameters to make a {@link Ref}. */
export type Callable<P extends Plugin> = P & ((params: z.input<P['params']>) => Ref<P['kind']>);

/** Parsed parameters of a plugin. */
export type ParamsOf<P extends { readonly params: ZodSchema }> = z.output<P['params']>;

/**
 * The reference of a plugin at parameters.
 * @throws {InvalidParameter} for parameters that it does not take.
 */
export const refer = <P extends Plugin>(
  { kind, name, params }: P,
  input: z.input<P['params']>,
): Ref<P['kind']> =>
  deepFreeze({ kind, name, params: parseOrThrow(params, input, `${kind} '${name}'`) as Json });

/**
 * Refuses a plugin without the fields that every use of it reads.
 *
 * @throws {InvalidParameter} for parameters that are no schema of zod 4, claims that are no array, a sampler
 * whose size is neither exact nor hidden, and an accountant without a list of what it wants.
 */
export function assertForm(plugin: Plugin): void {
  const { kind, name, params, claims } = plugin;
  const given: unknown = params;
  const isSchema =
    typeof given === 'object' &&
    given !== null &&
    '_zod' in given &&
    'safeParse' in given &&
    typeof given.safeParse === 'function';
  if (!isSchema)
    throw new InvalidParameter(
      `params of ${kind} '${name}' is no schema of zod 4; give one, such as z.strictObject({}) for a ` +
        'plugin without parameters',
      { kind, name },
    );
  if (!Array.isArray(claims))
    throw new InvalidParameter(
      `claims of ${kind} '${name}' is no array; give [] for a plugin that claims nothing`,
      { kind, name },
    );
  const { size, wants } = plugin as { readonly size?: unknown; readonly wants?: unknown };
  if (kind === 'sampler' && size !== 'exact' && size !== 'hidden')
    throw new InvalidParameter(
      `size of sampler '${name}' is '${String(size)}'; it must be 'exact' where the size of a batch is ` +
        "public, or 'hidden'",
      { name, size },
    );
  if (kind === 'accountant' && !Array.isArray(wants))
    throw new InvalidParameter(
      `wants of accountant '${name}' is no array; give what it reads of an event, such as ['pair']`,
      { name },
    );
}

/**
 * Freezes a definition and makes it callable:
 * `l2Clip({ radius: 1 })` is the reference that goes into a
 * query.
 */
export function callablePlugin<P extends Plugin>(definition: P): Callable<P> {
  assertForm(definition);
  const call = (input: z.input<P['params']>): Ref<P['kind']> => {
    const ref = refer<P>(definition, input);
    makers.set(ref, plugin);
    return ref;
  };
  const fields = Object.entries(definition).map(
    ([key, value]) => [key, { value, enumerable: true }] as const,
  );
  const plugin = Object.defineProperties(call, Object.fromEntries(fields)) as Callable<P>;
  deepFreeze(definition.claims);
  return Object.freeze(plugin);
}

const makers = new WeakMap<Ref, Plugin>();

/**
 * The plugin that was called to make this very object; `undefined`
 * for a reference that was copied, parsed or written by hand.
 */
export const makerOf = (ref: Ref): Plugin | undefined => makers.get(ref);

/** Freezes a definition that is used directly, not by reference. */
export function plainPlugin<P extends Plugin>(definition: P): P {
  assertForm(definition);
  deepFreeze(definition.claims);
  return Object.freeze(definition);
}
