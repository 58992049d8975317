import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { modelFirst } from './model-first.js';
import { delimiterMistakes, delimiterOption } from './shared-options.js';

export const predict: Command = {
  name: 'predict',
  arguments: 'MODEL DATA',
  summary: 'Predicts with a model: one line for each record, as CSV. Records need no label.',
  notes: 'Predictions cost no privacy of the records that the model was trained on.',
  examples: [
    'lethe predict model.json new.csv',
    'lethe predict model.json new.csv --keep id --out predictions.csv',
  ],
  options: {
    out: { type: 'string', value: 'FILE', help: 'CSV file to write (default: standard output)' },
    keep: {
      type: 'string',
      multiple: true,
      value: 'COLUMN',
      help: 'column of DATA to write beside the prediction, such as an id; may be repeated',
    },
    delimiter: delimiterOption,
  },
  check({ positionals, string }) {
    const mistakes = [...modelFirst('predict', positionals), ...delimiterMistakes(string('delimiter'))];
    if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
  },
  load: async () => (await import('../predict.js')).predictRecords,
};
