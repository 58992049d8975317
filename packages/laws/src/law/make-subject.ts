import {
  InvalidParameter,
  makerOf,
  parseOrThrow,
  type Plugin,
  type PluginKind,
  type Ref,
  type Registry,
} from '@lethe/core';
import type { Subject } from './subject.js';

/** The plugin itself, or a reference made by calling it with parameters. */
export type PluginOrRef = Plugin | Ref;

/** Options for the subjects of a plugin. */
export interface SubjectOptions {
  /** Parameters; by default those of the reference, or each of the plugin's examples in turn. */
  readonly params?: unknown;
  /**
   * Other plugins used with it: losses and mechanisms for an
   * optimizer, accountants for an event. @defaultValue none
   */
  readonly registry?: Registry;
}

const isPlugin = (value: PluginOrRef): value is Plugin => 'claims' in value;

const copies = new WeakMap<Registry, Registry>();

/**
 * A frozen copy, one for each registry: core checks a frozen registry once, and keeps what it resolved there.
 */
function frozenCopy(registry: Registry): Registry {
  if (Object.isFrozen(registry)) return registry;
  const copy = copies.get(registry) ?? Object.freeze([...registry]);
  copies.set(registry, copy);
  return copy;
}

/**
 * The subjects of a plugin: one for each set of parameters.
 *
 * @throws {InvalidParameter} when parameters are missing or invalid; or when a reference was not made by
 * calling a plugin and the registry does not contain the plugin.
 */
export function subjectsOf(
  made: PluginOrRef,
  { params, registry = [] }: SubjectOptions = {},
): readonly Subject<PluginKind>[] {
  const plugin = isPlugin(made)
    ? made
    : (makerOf(made) ?? registry.find(({ kind, name }) => kind === made.kind && name === made.name));
  if (plugin === undefined) {
    throw new InvalidParameter(
      `${made.kind} '${made.name}' was given as plain data, which has no code; ` +
        'give the plugin itself, plugin(params), or a registry that has it',
      { kind: made.kind, name: made.name },
    );
  }
  const whole = registry.some((other) => other === plugin)
    ? frozenCopy(registry)
    : Object.freeze([
        plugin,
        ...registry.filter(({ kind, name }) => kind !== plugin.kind || name !== plugin.name),
      ]);
  const given = params ?? (isPlugin(made) ? undefined : made.params);
  const tried = given !== undefined ? [given] : (plugin.examples ?? [{}]);
  return tried.map((input, index) => {
    const what =
      `${plugin.kind} '${plugin.name}'` +
      (given === undefined && plugin.examples === undefined
        ? ', which has no examples: give the laws plugin(params), or declare examples;'
        : '');
    return {
      kind: plugin.kind,
      name: tried.length === 1 ? plugin.name : `${plugin.name} #${index + 1}`,
      claims: plugin.claims,
      plugin,
      registry: whole,
      params: parseOrThrow(plugin.params, input, what),
    } as Subject<PluginKind>;
  });
}
