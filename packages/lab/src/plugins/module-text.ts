import type { PluginModule } from '../experiment/results.js';

/** A module of plugins in one line: what it is from, its version, what it brings, its mark. */
export function moduleText({ from, name, version, mark, plugins }: PluginModule): string {
  const called =
    name === null ? from : `${name} ${version ?? 'without a version'}${name === from ? '' : ` (${from})`}`;
  return `${called}: ${plugins.map((plugin) => `${plugin.kind} ${plugin.name}`).join(', ')}; mark ${mark}`;
}
