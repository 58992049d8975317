import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { jsonFlag } from './shared-options.js';

export const inspect: Command = {
  name: 'inspect',
  arguments: 'MODEL',
  summary: 'Prints what a model predicts, its weights, how it was trained, and its certificate.',
  examples: ['lethe inspect model.json'],
  options: { json: jsonFlag },
  check({ positionals }) {
    if (positionals.length !== 1) throw new UsageError('give one model, as in lethe inspect model.json');
  },
  load: async () => (await import('../inspect.js')).inspectModel,
};
