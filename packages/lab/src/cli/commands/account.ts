import type { Command } from '../command.js';
import type { Parsed } from '../parsed.js';
import { UsageError } from '../usage-error.js';
import { adjacencies, adjacencyOption, jsonFlag, pluginOption } from './shared-options.js';

export const account: Command = {
  name: 'account',
  arguments: '[EVENT.json|-]',
  summary:
    'Converts a privacy event to epsilon at a delta, or to delta at an epsilon, with lower and upper bound.',
  options: {
    delta: {
      type: 'number',
      value: 'D',
      multiple: true,
      help: 'ask for epsilon at this delta; may be repeated',
    },
    epsilon: {
      type: 'number',
      value: 'E',
      multiple: true,
      help: 'ask for delta at this epsilon; may be repeated',
    },
    profile: {
      type: 'boolean',
      help: 'ask for delta at many values of epsilon, until delta is 1e-10, or the --delta given',
    },
    adjacency: adjacencyOption,
    accountant: {
      type: 'string',
      value: 'NAME',
      help: 'best (default), all (each separately), or one that lethe plugins --kind accountant lists',
    },
    batch: {
      type: 'boolean',
      help:
        'read JSON Lines {id, event, adjacency, delta|epsilon, accountant?}, ' +
        'write one answer or error per line',
    },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check(parsed) {
    const { positionals, flag, string } = parsed;
    if (positionals.length > 1)
      throw new UsageError(`lethe account takes one event, got ${positionals.length} arguments`);
    if (flag('batch')) checkBatch(parsed);
    else if (string('adjacency') === undefined)
      throw new UsageError(`--adjacency is missing; give one of ${adjacencies.join(', ')}`);
    else checkQuestion(parsed);
  },
  load: async () => (await import('../account.js')).accountEvent,
};

function checkBatch({ strings, flag }: Parsed): void {
  const given = ['delta', 'epsilon', 'adjacency'].find((name) => strings(name).length > 0);
  const name = given ?? (flag('profile') ? 'profile' : undefined);
  if (name !== undefined) throw new UsageError(`--batch reads ${name} from each line; leave --${name} out`);
}

function checkQuestion({ numbers, flag }: Parsed): void {
  const deltas = numbers('delta');
  const epsilons = numbers('epsilon');
  if (flag('profile') && epsilons.length === 0) {
    if (deltas.length > 1) throw new UsageError('--profile ends at one --delta; give one');
    if (deltas[0] === 0)
      throw new UsageError(
        '--profile needs a --delta above 0; the epsilon at which delta is 0 may be infinite',
      );
  } else if (deltas.length > 0 === epsilons.length > 0)
    throw new UsageError('give --delta (for epsilon) or --epsilon (for delta), and not both');
}
