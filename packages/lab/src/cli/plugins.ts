import { papers } from '@lethe/algorithms';
import { describePlugin, type Plugin, type PluginKind } from '@lethe/core';
import { registryGiven } from '../plugins/registry-given.js';
import type { Action } from './command.js';

export const listPlugins: Action = async (parsed, { out }) => {
  const kind = parsed.string('kind');
  const registry = await registryGiven(parsed);
  const chosen = registry.filter((plugin) => kind === undefined || plugin.kind === kind);
  if (parsed.flag('json')) {
    out(`${JSON.stringify(chosen.map(describePlugin), null, 2)}\n`);
    return 0;
  }
  const width = Math.max(0, ...chosen.map(({ name }) => name.length));
  const names = [...new Set(chosen.map(headingOf))];
  const parts = names.map((heading) => {
    const plugins = chosen.filter((plugin) => headingOf(plugin) === heading);
    const lines = plugins.map((plugin) => {
      const { name, summary, source } = describePlugin(plugin);
      return `  ${name.padEnd(width)}  ${summary} [${source.id}, ${source.item}]\n`;
    });
    return `${heading}\n${lines.join('')}`;
  });
  out(parts.join('\n'));
  return 0;
};

const headings: Readonly<Record<PluginKind, string>> = {
  mechanism: 'Mechanisms: noise for numbers (mechanism)',
  event: 'Kinds of privacy events (event)',
  selector: 'Private selection of one of several (selector)',
  clip: 'Clips: bounds on what one record adds (clip)',
  mean: 'Private means (mean)',
  localRandomiser: 'Randomisers of single users, shuffled or not (localRandomiser)',
  sketch: 'Sketches: which coordinates a step moves (sketch)',
  sampler: 'Samplers of batches (sampler)',
  prefixSum: 'Correlated noise for sums over steps (prefixSum)',
  domain: 'Domains: sets in which weights stay (domain)',
  regulariser: 'Regularisers (regulariser)',
  solver: 'Solvers of minimisers that are released (solver)',
  loss: 'Losses (loss)',
  optimizer: 'Optimizers (optimizer)',
  accountant: 'Accountants (accountant)',
  lowerBound: 'Lower bounds on the excess risk (lowerBound)',
};

/** Under which heading a plugin stands: by its kind, and an optimizer of a paper by the paper. */
function headingOf({ kind, name }: Plugin): string {
  const paper =
    kind === 'optimizer'
      ? papers.find(({ optimizers }) => optimizers.some((one) => one.name === name))
      : undefined;
  return paper === undefined ? headings[kind] : `Optimizers of the paper “${paper.title}”`;
}
