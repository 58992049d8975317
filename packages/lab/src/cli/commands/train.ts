import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { limitMistakes, limitOption } from './limit-given.js';
import { ownerMistakes, ownerOptions } from './owner-options.js';
import { delimiterMistakes, delimiterOption, jsonFlag, pluginOption } from './shared-options.js';

export const train: Command = {
  name: 'train',
  arguments: 'DATA',
  summary:
    'Trains a private model on a CSV, TSV, JSON, JSON Lines, Parquet or Arrow file. Shows the plan, ' +
    "asks, charges the records' ledger, and writes the model with its certificate.",
  notes:
    'Bounds of numbers and lists of values are public: they are asked for, or come from a schema file or ' +
    '--column, and are never read from the records. DATA.schema.yaml beside the data is used if it is ' +
    'there, and written otherwise; for a second label of the same file only what changes is asked, and ' +
    'DATA.LABEL.schema.yaml is written. Missing numbers count as the middle of their bounds unless the ' +
    'schema says otherwise.',
  examples: [
    'lethe train customers.csv --label late --epsilon 1',
    "lethe train customers.csv --label late --target 'no|yes' --column age=18..90 --epsilon 1 --dry-run",
    'lethe train customers.csv --epsilon 1 --out second.json --set steps=200 --yes',
    'lethe train visits.csv --label late --owner patient --owner-records 5 --epsilon 1',
  ],
  interrupted: 'go on by the same command with --resume; what was charged is not charged again',
  options: {
    label: { type: 'string', value: 'NAME', help: 'column to predict' },
    target: {
      type: 'string',
      value: 'WORDS',
      help: "what the label is: 'no|yes', 'above 15', 0..500 or count..20",
    },
    column: {
      type: 'string',
      multiple: true,
      value: 'NAME=WORDS',
      help: "what a column holds: 18..90, 'Rome|Paris', time:hour or skip; may be repeated",
    },
    ...ownerOptions,
    delimiter: delimiterOption,
    schema: { type: 'string', value: 'FILE', help: 'schema of label and columns (default DATA.schema.yaml)' },
    epsilon: { type: 'number', value: 'E', isRequired: true, help: 'privacy budget of this training' },
    delta: {
      type: 'number',
      value: 'D',
      help: 'delta of the budget (default: a power of ten below a tenth of one over the records)',
    },
    limit: limitOption('that of the budget'),
    out: { type: 'string', value: 'FILE', help: 'model file (default model.json)' },
    'held-out': { type: 'number', value: 'SHARE', help: 'share of records not trained on (default 0.2)' },
    'split-key': { type: 'string', value: 'TEXT', help: 'public key of the split (default lethe)' },
    loss: { type: 'string', value: 'NAME', help: 'loss of the model (default: by the label)' },
    method: { type: 'string', value: 'NAME', help: 'optimizer (default dp-sgd)' },
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      help: 'parameter of the optimizer, such as steps=200; may be repeated',
    },
    clip: {
      type: 'string',
      value: 'N|quantile',
      help: 'norm at which gradients are clipped, or quantile for a private quantile of their norms',
    },
    ledger: {
      type: 'string',
      value: 'FILE',
      help: 'ledger of the records (default: by the records, in LETHE_HOME)',
    },
    adjacency: {
      type: 'string',
      value: 'A',
      choices: ['replace-one', 'zero-out'],
      help: 'which data sets are neighbours (default replace-one)',
    },
    yes: { type: 'boolean', help: 'do not ask before the budget is spent' },
    'dry-run': { type: 'boolean', help: 'show the plan and stop; nothing is spent' },
    resume: { type: 'boolean', help: 'go on with an interrupted training; nothing is charged again' },
    again: { type: 'boolean', help: 'train anew, charged separately, and replace the model file' },
    'new-ledger': {
      type: 'boolean',
      help:
        'start a new ledger where the one of the records is lost; earlier spending is not counted any ' +
        'more',
    },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, flag, number, string }) {
    const mistakes = [
      ...(positionals.length === 1
        ? []
        : ['give one file of records, as in lethe train customers.csv --label churned --epsilon 1']),
      ...(flag('resume') && flag('again')
        ? ['--resume goes on with a training, --again makes a new one; give one of them']
        : []),
      ...ownerMistakes(string('owner'), number('owner-records')),
      ...positive('--epsilon', number('epsilon')),
      ...limitMistakes(string('limit')),
      ...within('--delta', number('delta'), 0, 1),
      ...within('--held-out', number('held-out'), 0, 0.9),
      ...clipProblem(string('clip')),
      ...delimiterMistakes(string('delimiter')),
    ];
    if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
  },
  load: async () => (await import('../train.js')).trainModel,
};

const positive = (name: string, value: number | undefined): readonly string[] =>
  value === undefined || (value > 0 && value < Infinity) ? [] : [`${name} is ${value}; it must be positive`];

const within = (name: string, value: number | undefined, least: number, most: number): readonly string[] =>
  value === undefined || (value >= least && value <= most)
    ? []
    : [`${name} is ${value}; it must be from ${least} to ${most}`];

const clipProblem = (clip: string | undefined): readonly string[] =>
  clip === undefined || clip === 'quantile' || (Number(clip) > 0 && Number(clip) < Infinity)
    ? []
    : [`--clip is '${clip}'; it must be a positive number, or quantile`];
