import type { Command } from '../command.js';
import { jsonFlag, pluginKinds, pluginOption } from './shared-options.js';

export const plugins: Command = {
  name: 'plugins',
  arguments: '',
  summary: 'Lists the plugins that ship with Lethe and those of --plugin, with their sources.',
  examples: ['lethe plugins --kind optimizer'],
  options: {
    kind: { type: 'string', value: 'KIND', choices: pluginKinds, help: 'only this kind' },
    plugin: pluginOption,
    json: jsonFlag,
  },
  load: async () => (await import('../plugins.js')).listPlugins,
};
