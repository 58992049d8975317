import { InvalidParameter, type Plugin, type Registry } from '@lethe/core';
import { calledBy, type LoadedPlugins } from './load-plugins.js';

/**
 * Shipped plugins, followed by those of modules.
 *
 * @throws {InvalidParameter} for a module without any plugin that could be found by its name, and for two
 *   plugins of one kind
 *   and name, naming where both are from.
 */
export function withPlugins(shipped: Registry, loaded: readonly LoadedPlugins[]): Registry {
  if (loaded.length === 0) return shipped;
  const known = new Map<string, { readonly plugin: Plugin; readonly from: string }>();
  for (const plugin of shipped) known.set(keyOf(plugin), { plugin, from: 'Lethe' });
  for (const { wanted, plugins } of loaded) {
    const from = calledBy(wanted);
    if (plugins.length === 0) {
      throw new InvalidParameter(
        `${from} exports references alone; export the plugin itself, as its define… function made it`,
        { ...wanted },
      );
    }
    for (const plugin of plugins) {
      const key = keyOf(plugin);
      const other = known.get(key);
      // A module that is given twice, or re-exports another's plugins, adds nothing.
      if (other !== undefined && other.plugin !== plugin) {
        throw new InvalidParameter(
          `two plugins are ${key}: one of ${other.from}, one of ${from}; rename one, or leave it out`,
          { kind: plugin.kind, name: plugin.name, sources: [other.from, from] },
        );
      }
      known.set(key, { plugin, from });
    }
  }
  return Object.freeze([...known.values()].map(({ plugin }) => plugin));
}

const keyOf = ({ kind, name }: Plugin): string => `${kind} '${name}'`;
