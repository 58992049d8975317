import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { networkOptions } from './network-options.js';
import { jsonFlag } from './shared-options.js';

export const federate: Command = {
  name: 'federate',
  arguments: 'EXPERIMENT.{json,yaml}',
  summary:
    'Runs an optimizer over the records of several silos, each a lethe silo elsewhere: proposes a signed ' +
    'plan, waits for their owners, and writes results.json and report.html. It sees no record.',
  notes:
    'The first start makes the keys of the server beside the experiment and prints its public key, for ' +
    'the owners of the silos; with an experiment without silos it does nothing else.',
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results (default results/<name of the experiment>)',
    },
    key: {
      type: 'string',
      value: 'FILE',
      help: 'secret keys of the server (default federation.key beside the experiment)',
    },
    resume: { type: 'boolean', help: 'continue an interrupted run' },
    again: {
      type: 'boolean',
      help: 'make a new run, charged separately; earlier results are kept in earlier-RUN',
    },
    ...networkOptions,
    json: jsonFlag,
  },
  check({ positionals, flag }) {
    if (positionals.length !== 1)
      throw new UsageError('give one experiment file, as in lethe federate dose.yaml');
    if (flag('resume') && flag('again'))
      throw new UsageError('--resume continues a run, --again makes a new one; give one of them');
  },
  load: async () => (await import('../federate.js')).federateExperiment,
};
