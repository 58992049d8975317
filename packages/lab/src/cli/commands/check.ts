import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { jsonFlag, pluginOption, setOption } from './shared-options.js';

export const check: Command = {
  name: 'check',
  arguments: 'FILE.{json,yaml}…',
  summary:
    'Checks experiment files and schemas of records without running anything, and lists all mistakes with ' +
    'their line and column.',
  notes:
    'Reads no records. Exit code 2 where there is a mistake. lethe check --schema prints the JSON Schema ' +
    'of experiment files, for editors that complete and check while one writes.',
  examples: ['lethe check experiment.yaml', 'lethe check experiment.yaml --set seeds.count=20 --json'],
  options: {
    schema: { type: 'boolean', help: 'print the JSON Schema of experiment files' },
    set: setOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, flag }) {
    if (flag('schema') === positionals.length > 0)
      throw new UsageError('lethe check takes files, or --schema alone');
  },
  load: async () => (await import('../check.js')).checkFiles,
};
