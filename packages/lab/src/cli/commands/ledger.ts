import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { jsonFlag, pluginOption } from './shared-options.js';

export const ledger: Command = {
  name: 'ledger',
  arguments: '[DIR|FILE|DATA]',
  summary:
    'Prints what data sets have spent by run, their limits, what is left of them, ' +
    'and what is reserved: of a ledger, of a folder of ledgers, or of a file of records. ' +
    'Changes nothing but by --end. Default: LETHE_HOME, or .lethe in the home folder.',
  notes:
    'A run that was given up keeps what it set aside until it ends. --end releases what it did not ' +
    'answer; what it answered stays charged, and it answers nothing more. Stop the process that has the ' +
    'ledger open first. Never end a run of a ledger that came back from a backup: it may have answered ' +
    'more than the ledger knows, and that would be released.',
  options: {
    delta: {
      type: 'number',
      value: 'D',
      help: 'delta at which epsilon is given where a ledger has no limit (default 1e-6)',
    },
    end: { type: 'string', value: 'RUN', help: 'ends an open run, as the owner of the records' },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals }) {
    if (positionals.length > 1)
      throw new UsageError(`lethe ledger takes one folder or file, got ${positionals.length}`);
  },
  load: async () => (await import('../ledger.js')).printLedgers,
};
