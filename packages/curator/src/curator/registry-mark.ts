import type { Registry } from '@lethe/core';
import { hexOf, keyedHash128 } from '@lethe/numerics';
import { pluginMark } from '../optimizer/plugin-mark.js';

const domain = new TextEncoder().encode('lethe/registry/1');

/**
 * Tells a registry from one with other plugins, whatever their order. Losses are left out: of those a run has
 * one, to which it is bound when it opens.
 */
export function registryMark(registry: Registry): string {
  const marks = registry
    .filter(({ kind }) => kind !== 'loss')
    .map((plugin) => `${plugin.kind} ${plugin.name} ${pluginMark(plugin)}`);
  return hexOf(keyedHash128(domain, new TextEncoder().encode(marks.toSorted().join('\n'))));
}
