import { packageNames } from '../../laws/package-names.js';
import type { Command } from '../command.js';
import { assertNoRecords } from '../records-file.js';
import { UsageError } from '../usage-error.js';
import { subjectKinds, tiers } from './choices.js';
import { jsonFlag, pluginOption } from './shared-options.js';

export const laws: Command = {
  name: 'laws',
  arguments: '[PLUGIN …]',
  summary:
    'Checks the claims of plugins: of those that files or packages export ' +
    'or experiment files name, or of all that ship.',
  examples: [
    'lethe laws ./my-clip.js',
    'lethe laws --package mechanisms --kind clip --tier exact',
    'lethe laws --power',
  ],
  options: {
    package: {
      type: 'string',
      value: 'NAME',
      choices: packageNames,
      help: 'only what ships in this package',
    },
    kind: {
      type: 'string',
      value: 'KIND',
      choices: subjectKinds,
      help: 'only this kind',
    },
    law: {
      type: 'string',
      value: 'ID',
      multiple: true,
      help: 'only this law, such as clip/bounded-norm; may be repeated',
    },
    cell: { type: 'string', value: 'NAME', help: 'only this cell of each law, such as replace-one' },
    example: { type: 'number', value: 'N', help: 'only the Nth example of each plugin, from 1' },
    params: { type: 'string', value: 'JSON', help: 'parameters at which the plugin of a file is tested' },
    tier: {
      type: 'string',
      value: 'TIER',
      multiple: true,
      choices: tiers,
      help: 'only laws of this tier (default: all but nightly); may be repeated',
    },
    seed: { type: 'string', value: 'S', help: 'seed of all randomness' },
    effort: { type: 'number', value: 'X', help: 'factor on the numbers of inputs and draws (default 1)' },
    power: {
      type: 'boolean',
      help: 'runs nothing: lists the laws with the smallest violation that each detects',
    },
    plugin: { ...pluginOption, help: `${pluginOption.help}; without files, its plugins are tested` },
    json: jsonFlag,
  },
  check({ positionals, strings, string }) {
    assertNoRecords(positionals, 'laws', 'plugins');
    const kind = positionals.find((one) => (subjectKinds as readonly string[]).includes(one));
    if (kind !== undefined)
      throw new UsageError(`'${kind}' is a kind of plugin; lethe laws --kind ${kind} checks all that ship`);
    const isOfFile = positionals.length > 0 || strings('plugin').length > 0;
    if (isOfFile && string('package') !== undefined)
      throw new UsageError('give plugin files or --package, not both');
    if (!isOfFile && string('params') !== undefined)
      throw new UsageError('--params is for the plugin of a file; give the file');
  },
  load: async () => (await import('../laws.js')).checkLaws,
};
