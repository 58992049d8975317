import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { networkOptions } from './network-options.js';
import { pluginOption } from './shared-options.js';

export const worker: Command = {
  name: 'worker',
  arguments: '',
  summary:
    'Helps with the runs of evaluations that lethe run --server puts on the queue of a NATS server, until ' +
    'it is stopped.',
  notes:
    'Reads the records itself, from the same paths as the experiment or below --folder, and does only runs ' +
    'whose records, plugins and versions are those of the one who asked. Connect it to a server that you ' +
    'trust: who may write to the queue decides which tables it reads. A worker may be killed at any time.',
  examples: ['lethe worker --server nats://queue.example:4222 --folder /data/experiments'],
  interrupted: 'what it was at is given to another worker',
  options: {
    server: { type: 'string', value: 'URL', isRequired: true, help: 'the NATS server, with JetStream' },
    folder: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the experiment files, for relative paths (default: as the one who asked has it)',
    },
    idle: { type: 'number', value: 'SECONDS', help: 'end when there was nothing to do for so long' },
    plugin: pluginOption,
    ...networkOptions,
  },
  check({ positionals, number }) {
    const idle = number('idle') ?? 1;
    if (positionals.length > 0) throw new UsageError('lethe worker takes no arguments');
    if (!(idle > 0)) throw new UsageError(`--idle is ${idle}; it must be a positive number of seconds`);
  },
  load: async () => (await import('../worker.js')).workOnQueue,
};
