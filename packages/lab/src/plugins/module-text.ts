import type { PluginModule } from '../experiment/environment.js';

/** A plugin module in one line: origin, version, plugins, mark. */
export function moduleText({ from, name, version, mark, plugins }: PluginModule): string {
  const called =
    name === null ? from : `${name} ${version ?? 'without a version'}${name === from ? '' : ` (${from})`}`;
  return `${called}: ${plugins.map((plugin) => `${plugin.kind} ${plugin.name}`).join(', ')}; mark ${mark}`;
}
