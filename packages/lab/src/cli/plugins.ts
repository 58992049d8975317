import { describePlugin } from '@lethe/core';
import { registryGiven } from '../plugins/registry-given.js';
import type { Action } from './command.js';

export const listPlugins: Action = async (parsed, { out }) => {
  const kind = parsed.string('kind');
  const registry = await registryGiven(parsed);
  const chosen = registry.filter((plugin) => kind === undefined || plugin.kind === kind).map(describePlugin);
  if (parsed.flag('json')) {
    out(`${JSON.stringify(chosen, null, 2)}\n`);
    return 0;
  }
  const width = Math.max(0, ...chosen.map((plugin) => plugin.kind.length + plugin.name.length + 1));
  for (const { kind: of, name, summary, source } of chosen)
    out(`${`${of} ${name}`.padEnd(width)}  ${summary} [${source.id}, ${source.item}]\n`);
  return 0;
};
