import { kinds } from '@lethe/create-plugin';
import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { jsonFlag } from './shared-options.js';

export const newPlugin: Command = {
  name: 'new',
  arguments: 'KIND NAME',
  words: kinds,
  summary: 'Writes a package with a plugin of a kind, and a test of its laws, to begin with.',
  notes: `The kinds: ${kinds.join(', ')}. The package is written to a new folder NAME of the current one.`,
  examples: ['lethe new clip my-clip'],
  options: { json: jsonFlag },
  check({ positionals }) {
    if (positionals.length > 2)
      throw new UsageError(`lethe new takes a kind and a name, got ${positionals.length} arguments`);
  },
  load: async () => (await import('../new.js')).createPackage,
};
