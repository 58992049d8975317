import { describePlugin, InvalidParameter } from '@lethe/core';
import { pluginFlag, registryGiven } from '../plugins/option.js';
import { registry as shipped } from '../registry.js';
import { helpFlag, jsonFlag, type Command } from './command.js';

const kinds = [...new Set(shipped.map(({ kind }) => kind))].toSorted();

export const pluginsCommand: Command = {
  options: {
    kind: { type: 'string', value: 'KIND', help: `only one of ${kinds.join(', ')}` },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, { out }) {
    const kind = parsed.string('kind');
    if (kind !== undefined && !kinds.some((known) => known === kind))
      throw new InvalidParameter(`--kind is '${kind}'; there are plugins of kind ${kinds.join(', ')}`, {
        kind,
      });
    const registry = await registryGiven(parsed);
    const chosen = registry
      .filter((plugin) => kind === undefined || plugin.kind === kind)
      .map(describePlugin);
    if (parsed.flag('json')) out(`${JSON.stringify(chosen, null, 2)}\n`);
    else {
      const width = Math.max(...chosen.map((p) => p.kind.length + p.name.length + 1));
      for (const { kind: of, name, summary, source } of chosen)
        out(`${`${of} ${name}`.padEnd(width)}  ${summary} [${source.id}, ${source.item}]\n`);
    }
    return 0;
  },
};
