import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { trustModels } from './choices.js';
import { adjacencyOption, jsonFlag, pluginOption, secondsOption } from './shared-options.js';

export const plan: Command = {
  name: 'plan',
  arguments: 'OPTIMIZER',
  summary:
    'Prints the schedule, the noise, the privacy event and the ' +
    'predicted bound of an optimizer. Reads no data.',
  notes: 'lethe plugins --kind optimizer lists the optimizers.',
  examples: [
    'lethe plan dp-sgd --n 10000 --d 10 --epsilon 1 ' +
      `--params '{"steps":100,"rate":0.1,"clipNorm":1,"stepSize":1}'`,
  ],
  options: {
    n: { type: 'number', value: 'N', isRequired: true, help: 'number of records (public)' },
    d: { type: 'number', value: 'D', isRequired: true, help: 'number of features' },
    epsilon: { type: 'number', value: 'E', isRequired: true, help: 'budget' },
    delta: { type: 'number', value: 'D', help: 'budget (default 1e-6)' },
    adjacency: { ...adjacencyOption, help: 'neighbours (default replace-one)' },
    trust: {
      type: 'string',
      value: 'MODEL',
      choices: trustModels,
      help: 'trust model (default central); shuffle: record owners send private messages through a shuffler',
    },
    'honest-users': {
      type: 'number',
      value: 'M',
      help: 'record owners that follow the protocol, with --trust shuffle (default all)',
    },
    loss: {
      type: 'string',
      value: 'JSON',
      help: 'loss (default {"name":"squared","params":{}})',
    },
    domain: {
      type: 'string',
      value: 'JSON',
      help: 'domain (default {"name":"l2-ball","params":{"radius":1}})',
    },
    'feature-norm': {
      type: 'number',
      value: 'R',
      help:
        "declared bound on the l2 norm of every record's features (default 1, " +
        'or derived from --feature-bounds)',
    },
    'feature-bounds': {
      type: 'string',
      value: 'JSON',
      help: 'declared bound on the absolute value of a feature: a number, or a list with one per column',
    },
    'label-bound': {
      type: 'number',
      value: 'B',
      help:
        'declared bound on the absolute value of a label; ' +
        'with a bounded domain it makes a squared loss Lipschitz',
    },
    sparsity: {
      type: 'number',
      value: 'S',
      help: 'declared bound on the number of features of a record that differ from zero (default all)',
    },
    regulariser: {
      type: 'string',
      value: 'JSON',
      help:
        'public function added to the average loss, such as ' +
        '{"name":"l2-squared","params":{"strength":0.01}}',
    },
    fact: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      help: 'public fact that the optimizer reads, such as startDistance=1; may be repeated',
    },
    params: {
      type: 'string',
      value: 'JSON',
      help: 'parameters of the optimizer; lethe plugins --kind optimizer --json describes them',
    },
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      help: 'one parameter of the optimizer, such as steps=200, over those of --params; may be repeated',
    },
    free: {
      type: 'string',
      multiple: true,
      value: 'PATH',
      help:
        'parameter to calibrate instead of the noise, ' +
        'such as /steps: the least private value within the budget',
    },
    seconds: secondsOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, string }) {
    if (positionals.length !== 1)
      throw new UsageError(
        `lethe plan takes one optimizer, got ${positionals.length}; ` +
          'lethe plugins --kind optimizer lists them',
      );
    if (string('honest-users') !== undefined && string('trust') !== 'shuffle')
      throw new UsageError('--honest-users is about the shuffle model; add --trust shuffle, or leave it out');
  },
  load: async () => (await import('../plan.js')).planOptimizer,
};
