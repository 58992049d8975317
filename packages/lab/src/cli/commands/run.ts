import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { jsonFlag, pluginOption } from './shared-options.js';

export const run: Command = {
  name: 'run',
  arguments: 'EXPERIMENT.{json,yaml}…',
  summary:
    'Plans, runs and accounts experiments; writes results.json and report.html. ' +
    'An evaluation is a simulation over many seeds; a release is one private run, ' +
    "charged to the data set's ledger.",
  interrupted: 'continue a release with --resume',
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results (default results/<name of the first experiment>)',
    },
    resume: { type: 'boolean', help: 'continue an interrupted release' },
    again: {
      type: 'boolean',
      help:
        'make a new release, charged separately; ' +
        'the earlier one is moved to a folder named after its run',
    },
    'new-ledger': {
      type: 'boolean',
      help:
        'start a new ledger where the one of the records is lost or damaged; ' +
        'earlier spending is not counted any more',
    },
    'checkpoint-every': {
      type: 'number',
      value: 'N',
      help:
        'answers between checkpoints of a release, ' +
        'from which --resume continues (default 1000; Infinity: none)',
    },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, flag, number }) {
    const checkpointEvery = number('checkpoint-every') ?? 1;
    if (positionals.length === 0) throw new UsageError('lethe run needs an experiment file');
    if (flag('resume') && flag('again'))
      throw new UsageError('--resume continues a release, --again makes a new one; give one of them');
    if (flag('new-ledger') && flag('resume'))
      throw new UsageError(
        '--resume needs the ledger that the run began with, which has its noise seed; ' +
          'give --new-ledger with --again',
      );
    if (!(checkpointEvery >= 1))
      throw new UsageError(
        `--checkpoint-every is ${checkpointEvery}; it must be at least 1 answer, ` +
          'or Infinity for no checkpoints',
      );
  },
  load: async () => (await import('../run.js')).runExperiments,
};
