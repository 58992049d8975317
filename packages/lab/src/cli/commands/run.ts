import type { Command } from '../command.js';
import { assertNoRecords } from '../records-file.js';
import { UsageError } from '../usage-error.js';
import { networkOptions } from './network-options.js';
import { jsonFlag, pluginOption, setOption } from './shared-options.js';

export const run: Command = {
  name: 'run',
  arguments: 'EXPERIMENT.{json,yaml}…',
  summary:
    'Plans, runs and accounts experiments; writes results.json and report.html. ' +
    'An evaluation is a simulation over many seeds, and keeps each run when it is done, in cells beside ' +
    'the ' +
    'results, so that it goes on after an end and grows; a release is one private run, ' +
    "charged to the data set's ledger.",
  interrupted:
    'continue a release with --resume; an evaluation, run again, goes on from the runs that are done',
  examples: [
    'lethe run experiment.yaml --jobs 2',
    'lethe run experiment.yaml --set seeds.count=20 --out results/more',
    'lethe run release.yaml --resume',
  ],
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
        'make a new release, charged separately, or every run of an evaluation anew; ' +
        'an earlier release is moved to a folder named after its run',
    },
    'new-ledger': {
      type: 'boolean',
      help:
        'start a new ledger where the one of the records is lost or damaged; ' +
        'earlier spending is not counted any more',
    },
    jobs: {
      type: 'number',
      value: 'N',
      help: 'threads that share the runs of an evaluation (default 1); results are the same for every N',
    },
    server: {
      type: 'string',
      value: 'URL',
      help: 'NATS server with JetStream: each run of an evaluation is done by a lethe worker elsewhere',
    },
    patience: {
      type: 'number',
      value: 'SECONDS',
      help: 'with --server: when a run of a silent worker is given to another (default 60)',
    },
    ...networkOptions,
    'checkpoint-every': {
      type: 'number',
      value: 'N',
      help:
        'answers between checkpoints of a release, ' +
        'from which --resume continues (default 1000; Infinity: none)',
    },
    png: {
      type: 'boolean',
      help: 'write every figure as PNG too, with the package @resvg/resvg-js, which is installed apart',
    },
    set: setOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, flag, number, string }) {
    const checkpointEvery = number('checkpoint-every') ?? 1;
    if (positionals.length === 0)
      throw new UsageError('give an experiment file, as in lethe run experiment.yaml');
    assertNoRecords(positionals, 'run', 'experiments');
    if (flag('resume') && flag('again'))
      throw new UsageError('--resume continues a release, --again makes a new one; give one of them');
    if (flag('new-ledger') && flag('resume'))
      throw new UsageError(
        '--resume needs the ledger that the run began with, which has its noise seed; ' +
          'give --new-ledger with --again',
      );
    const patience = number('patience') ?? 60;
    if (string('server') === undefined) {
      const stray = ['patience', ...Object.keys(networkOptions)].find((name) => string(name) !== undefined);
      if (stray !== undefined) throw new UsageError(`--${stray} is about the queue of --server; give both`);
    } else if (number('jobs') !== undefined)
      throw new UsageError('--jobs shares runs among threads here, --server among workers; give one of them');
    if (!(patience >= 1)) throw new UsageError(`--patience is ${patience}; it must be at least 1 second`);
    const jobs = number('jobs') ?? 1;
    if (!(Number.isSafeInteger(jobs) && jobs >= 1 && jobs <= 64))
      throw new UsageError(`--jobs is ${jobs}; it must be a whole number from 1 to 64`);
    if (!(checkpointEvery >= 1))
      throw new UsageError(
        `--checkpoint-every is ${checkpointEvery}; it must be at least 1 answer, ` +
          'or Infinity for no checkpoints',
      );
  },
  load: async () => (await import('../run.js')).runExperiments,
};
