import * as z from 'zod/mini';
import { InvalidParameter, nearestName, parseOrThrow, Unsupported } from '@lethe/numerics';
import type { Json } from '../json.js';
import type { EventKind } from './event.js';
import { assertForm, type Claim, type Plugin, type PluginKind, type Ref, type Source } from './plugin.js';
import { isSettled } from './settled-refs.js';

/** Plugins a caller passes in. There is no global registry. */
export type Registry = readonly Plugin[];

/** The event kinds of a registry, which accountants need to know. */
export const eventKindsOf = (registry: Registry): readonly EventKind[] =>
  registry.filter((plugin): plugin is EventKind => plugin.kind === 'event');

/** What registries held when they were checked. */
const wellFormed = new WeakMap<Registry, Registry>();

function isAsChecked(registry: Registry): boolean {
  const entries = wellFormed.get(registry);
  if (entries === undefined) return false;
  // A frozen registry stands for itself.
  if (entries === registry) return true;
  return entries.length === registry.length && entries.every((plugin, at) => plugin === registry[at]);
}

/**
 * Checks that a registry is an array of plugins in which kind and name say which plugin is meant, and freezes
 * them, so that a name stays the one that was checked.
 *
 * @throws {InvalidParameter} for anything else: one plugin instead of an array, a reference among the
 * plugins, two plugins of one kind and name, a plugin whose parameters are no schema.
 */
export function assertRegistry(given: unknown): asserts given is Registry {
  if (!Array.isArray(given))
    throw new InvalidParameter(
      `registry is ${described(given)}; give an array of plugins, such as [...mechanisms, myPlugin]`,
      {},
    );
  const registry = given as Registry;
  if (isAsChecked(registry)) return;
  const known = new Map<string, unknown>();
  for (const [at, plugin] of registry.entries()) {
    if (!isThing(plugin) || typeof plugin.kind !== 'string' || typeof plugin.name !== 'string')
      throw new InvalidParameter(
        `entry ${at} of the registry is ${described(plugin)}; every entry is a plugin, ` +
          'such as [...mechanisms, myPlugin]',
        { at },
      );
    const { kind, name } = plugin;
    if (!('summary' in plugin))
      throw new InvalidParameter(
        `entry ${at} of the registry is ${described(plugin)}; give the plugin itself, ` +
          'as its define function made it, and its parameters where it is used',
        { at, name },
      );
    assertForm(plugin);
    Object.freeze(plugin);
    const key = `${kind} '${name}'`;
    if (known.has(key) && known.get(key) !== plugin)
      throw new InvalidParameter(`the registry has two plugins ${key}; rename one, or leave it out`, {
        kind,
        name,
      });
    known.set(key, plugin);
  }
  wellFormed.set(registry, Object.isFrozen(registry) ? registry : [...registry]);
}

const isThing = (value: unknown): value is Plugin =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function described(value: unknown): string {
  if (!isThing(value)) return String(value);
  if (typeof value.kind !== 'string') return typeof value === 'function' ? 'a function' : 'an object';
  return `${'summary' in value ? 'one plugin' : 'a reference'}, ${value.kind} '${String(value.name)}'`;
}

/** A plugin together with its parsed parameters. */
export interface Resolved<P extends Plugin> {
  readonly plugin: P;
  readonly params: z.output<P['params']>;
}

/** As many names are listed, where one of them may be meant too. */
const fewNames = 8;

/**
 * Finds a plugin by kind and name.
 *
 * @throws {Unsupported} when the registry has no such plugin; the message names the one that may be meant, or
 * lists those of the same kind.
 */
export function findPlugin<P extends Plugin>(registry: Registry, kind: P['kind'], name: string): P {
  const plugin =
    indexOf(registry)?.get(kind)?.get(name) ?? registry.find((p) => p.kind === kind && p.name === name);
  if (plugin !== undefined) return plugin as P;
  const known = registry.filter((p) => p.kind === kind).map((p) => p.name);
  const meant = nearestName(name, known);
  throw new Unsupported(
    `no ${kind} named '${name}'; ` +
      (meant === undefined || known.length <= fewNames
        ? `this registry has ${known.join(', ') || 'none'}`
        : `is '${meant}' meant?`),
    { kind, name, known },
  );
}

type Index = ReadonlyMap<string, ReadonlyMap<string, Plugin>>;
const indices = new WeakMap<Registry, Index>();

/** The plugins of a registry that is as it was checked, by kind and name. */
function indexOf(registry: Registry): Index | undefined {
  const entries = wellFormed.get(registry);
  if (entries === undefined || !isAsChecked(registry)) return undefined;
  const known = indices.get(entries);
  if (known !== undefined) return known;
  const index = new Map<string, Map<string, Plugin>>();
  for (const plugin of registry) {
    const named = index.get(plugin.kind) ?? new Map<string, Plugin>();
    if (!named.has(plugin.name)) named.set(plugin.name, plugin);
    index.set(plugin.kind, named);
  }
  indices.set(entries, index);
  return index;
}

/**
 * Looks up the plugin a reference names and parses the reference's parameters by the plugin's schema.
 *
 * @throws {Unsupported} when the registry has no such plugin.
 * @throws {InvalidParameter} when the parameters do not fit.
 */
export function resolvePlugin<P extends Plugin>(registry: Registry, ref: Ref<P['kind']>): Resolved<P> {
  const known = resolvedRefs.get(registry)?.get(ref);
  if (known !== undefined) return known as Resolved<P>;
  const plugin = findPlugin<P>(registry, ref.kind, ref.name);
  const resolved = {
    plugin,
    params: parseOrThrow(plugin.params, ref.params, `${ref.kind} '${ref.name}'`) as z.output<P['params']>,
  };
  if (Object.isFrozen(registry) && isSettled(ref)) remember(registry, ref, resolved);
  return resolved;
}

const resolvedRefs = new WeakMap<Registry, WeakMap<Ref, Resolved<Plugin>>>();

function remember(registry: Registry, ref: Ref, resolved: Resolved<Plugin>): void {
  let known = resolvedRefs.get(registry);
  if (known === undefined) resolvedRefs.set(registry, (known = new WeakMap()));
  known.set(ref, resolved);
}

/** A plugin as JSON, for lists and documentation. */
export interface PluginDescription {
  readonly kind: PluginKind;
  readonly name: string;
  readonly summary: string;
  readonly source: Source;
  readonly params: Json;
  readonly claims: readonly Claim[];
}

/**
 * What `lethe plugins --json` prints for one plugin; parameters as JSON Schema.
 *
 * @throws {InvalidParameter} for a plugin whose parameters are no schema.
 */
export function describePlugin(plugin: Plugin): PluginDescription {
  assertForm(plugin);
  const { kind, name, summary, source, claims } = plugin;
  return {
    kind,
    name,
    summary,
    source,
    params: z.toJSONSchema(plugin.params, { unrepresentable: 'any', io: 'input' }) as Json,
    claims,
  };
}
