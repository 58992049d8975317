import type { Command } from '../command.js';
import { modelFirst } from './model-first.js';
import { UsageError } from '../usage-error.js';
import { delimiterMistakes, delimiterOption, jsonFlag, pluginOption } from './shared-options.js';

export const evaluate: Command = {
  name: 'evaluate',
  arguments: 'MODEL DATA',
  summary: 'Measures a model on records with labels: loss, accuracy, AUC, calibration; or R², errors.',
  notes:
    'Without --epsilon the numbers are exact and not private: do not publish them if the records are not ' +
    "public. With --epsilon they are noisy, private, and charged to the records' ledger.",
  examples: [
    'lethe evaluate model.json test.csv',
    'lethe evaluate model.json customers.csv --held-out --epsilon 0.5',
  ],
  interrupted: 'what was charged stands in the ledger',
  options: {
    'held-out': {
      type: 'boolean',
      help: 'DATA is the training file: use only the records that were held out of training',
    },
    epsilon: { type: 'number', value: 'E', help: 'budget of a private evaluation' },
    delta: { type: 'number', value: 'D', help: 'delta of the budget (default: as in lethe train)' },
    ledger: {
      type: 'string',
      value: 'FILE',
      help: 'ledger of the records (default: by the records, in LETHE_HOME)',
    },
    'new-ledger': {
      type: 'boolean',
      help:
        'start a new ledger where the one of the records is lost; earlier spending is not counted any ' +
        'more',
    },
    yes: { type: 'boolean', help: 'do not ask before the budget is spent' },
    delimiter: delimiterOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, number, string, flag }) {
    const epsilon = number('epsilon');
    const delta = number('delta');
    const mistakes = [
      ...modelFirst('evaluate', positionals),
      ...delimiterMistakes(string('delimiter')),
      ...(epsilon === undefined || (epsilon > 0 && epsilon < Infinity)
        ? []
        : [`--epsilon is ${epsilon}; it must be positive`]),
      ...(delta === undefined || (delta >= 0 && delta < 1)
        ? []
        : [`--delta is ${delta}; it must be below 1`]),
      ...(epsilon === undefined &&
      (delta !== undefined || string('ledger') !== undefined || flag('new-ledger'))
        ? ['--delta, --ledger and --new-ledger are about a private evaluation; give --epsilon with them']
        : []),
    ];
    if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
  },
  load: async () => (await import('../evaluate.js')).evaluateRecords,
};
