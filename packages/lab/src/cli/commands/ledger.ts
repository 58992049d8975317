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
    'ledger open first. A ledger that came back from a backup may have answered more than it knows, so ' +
    '--end compares it with --silo-log or --transcript, and releases nothing where it is older; without ' +
    'either it takes your word by --never-restored.',
  examples: ['lethe ledger', 'lethe ledger customers.csv'],
  options: {
    delta: {
      type: 'number',
      value: 'D',
      help: 'delta at which epsilon is given where a ledger has no limit (default 1e-6)',
    },
    end: { type: 'string', value: 'RUN', help: 'ends an open run, as the owner of the records' },
    'silo-log': { type: 'string', value: 'FILE', help: 'with --end: silo.log of the silo that answered' },
    transcript: {
      type: 'string',
      value: 'FILE',
      help: 'with --end: transcript.lethe of the release',
    },
    'never-restored': {
      type: 'boolean',
      help: 'with --end: your word that this ledger never came back from a backup',
    },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, string, flag }) {
    const given = [
      string('silo-log') !== undefined && '--silo-log',
      string('transcript') !== undefined && '--transcript',
      flag('never-restored') && '--never-restored',
    ].filter((one) => one !== false);
    if (given.length > 0 && string('end') === undefined)
      throw new UsageError(`${given[0]} goes with --end RUN`);
    if (given.length > 1) throw new UsageError(`give one of ${given.join(', ')}`);
    if (positionals.length > 1)
      throw new UsageError(`lethe ledger takes one folder or file, got ${positionals.length}`);
  },
  load: async () => (await import('../ledger.js')).printLedgers,
};
