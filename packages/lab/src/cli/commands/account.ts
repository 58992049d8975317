import { oneWay } from './choices.js';
import type { Command, Parsed } from '../command.js';
import { UsageError } from '../usage-error.js';
import { checkMethod, methodOf, methodOptions, methods, otherMethodWords } from './method-options.js';
import { adjacencies, adjacencyOption, jsonFlag, pluginOption, secondsOption } from './shared-options.js';

export const account: Command = {
  name: 'account',
  arguments: `[${methods.join('|')}|EVENT.json|-]`,
  words: methods,
  summary:
    'Converts a privacy event to epsilon at a delta, or to delta at an epsilon, with lower and upper bound.',
  notes:
    'An event is described by a method and its numbers, or read from JSON or from what Python prints of an ' +
    'event of dp_accounting.',
  examples: [
    'lethe account dp-sgd --n 60000 --batch 256 --epochs 10 --sigma 1.1 --delta 1e-5',
    'lethe account gaussian --sigma 4 --steps 10 --epsilon 1',
    'lethe account event.json --adjacency replace-one --delta 1e-6 --accountant all',
  ],
  options: {
    ...methodOptions,
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
    order: {
      type: 'number',
      value: 'ALPHA',
      multiple: true,
      help: 'ask for the Rényi divergence of this order; may be repeated',
    },
    'false-alarms': {
      type: 'number',
      value: 'X',
      multiple: true,
      help:
        'ask how often an attack that finds out whether a record is there can be right, ' +
        'at this rate of false alarms; may be repeated',
    },
    svg: { type: 'string', value: 'FILE', help: 'draw delta against epsilon, and that rate of detection' },
    export: { type: 'boolean', help: 'print the event alone, as a Python expression of dp_accounting' },
    adjacency: {
      ...adjacencyOption,
      help:
        `${adjacencyOption.help}; of a method, add-remove by default, replace-one for batches of one ` +
        'size',
    },
    accountant: {
      type: 'string',
      value: 'NAME',
      help: 'best (default), all (each separately), or one that lethe plugins --kind accountant lists',
    },
    direction: {
      type: 'string',
      value: oneWay.join('|'),
      choices: oneWay,
      help: 'only where the first data set has the record (remove), or where it has not (add)',
    },
    lines: {
      type: 'boolean',
      help:
        'read JSON Lines {id, event, adjacency, delta|epsilon, accountant?}, ' +
        'write one answer or error per line',
    },
    seconds: secondsOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  otherWords: otherMethodWords,
  check(parsed) {
    const { positionals, flag, string } = parsed;
    if (positionals.length > 1)
      throw new UsageError(`lethe account takes one event, got ${positionals.length} arguments`);
    checkMethod(parsed, false);
    if (flag('lines')) checkLines(parsed);
    else if (string('adjacency') === undefined && methodOf(parsed) === undefined)
      throw new UsageError(`--adjacency is missing; give one of ${adjacencies.join(', ')}`);
    else checkQuestion(parsed);
    if (string('direction') !== undefined) checkDirection(parsed);
  },
  load: async () => (await import('../account.js')).accountEvent,
};

function checkLines(parsed: Parsed): void {
  const { strings, flag } = parsed;
  if (methodOf(parsed) !== undefined)
    throw new UsageError('--lines reads events from JSON Lines; leave the method out');
  const given = ['delta', 'epsilon', 'adjacency', 'order', 'false-alarms', 'svg', 'direction'].find(
    (name) => strings(name).length > 0,
  );
  const name = given ?? (flag('profile') ? 'profile' : undefined);
  if (name !== undefined) throw new UsageError(`--lines reads ${name} from each line; leave --${name} out`);
}

function checkDirection({ strings }: Parsed): void {
  for (const name of ['accountant', 'order', 'false-alarms', 'svg', 'seconds'] as const)
    if (strings(name).length > 0)
      throw new UsageError(
        `--direction asks for epsilon or delta by privacy-loss distributions; leave --${name} out`,
      );
}

function checkQuestion({ numbers, strings, flag }: Parsed): void {
  if (flag('export')) return checkExport(strings, flag);
  const isAsked = ['order', 'false-alarms', 'svg'].some((name) => strings(name).length > 0);
  const deltas = numbers('delta');
  const epsilons = numbers('epsilon');
  if (flag('profile') && epsilons.length === 0) {
    if (deltas.length > 1) throw new UsageError('--profile ends at one --delta; give one');
    if (deltas[0] === 0)
      throw new UsageError(
        '--profile needs a --delta above 0; the epsilon at which delta is 0 may be infinite',
      );
  } else if (isAsked ? deltas.length > 0 && epsilons.length > 0 : deltas.length > 0 === epsilons.length > 0)
    throw new UsageError('give --delta (for epsilon) or --epsilon (for delta), and not both');
}

/** What it prints is a file that `lethe account` reads. */
function checkExport(strings: Parsed['strings'], flag: Parsed['flag']): void {
  const named = ['delta', 'epsilon', 'order', 'false-alarms', 'svg', 'direction', 'accountant', 'seconds'];
  const given =
    named.find((name) => strings(name).length > 0) ?? ['profile', 'json'].find((name) => flag(name));
  if (given !== undefined)
    throw new UsageError(
      `--export prints the event and nothing else; leave --${given} out, and ask for it apart`,
    );
}
