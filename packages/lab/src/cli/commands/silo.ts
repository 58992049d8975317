import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { limitMistakes, limitOption } from './limit-given.js';
import { networkOptions } from './network-options.js';
import { ownerOptions } from './owner-options.js';
import { delimiterMistakes, delimiterOption, jsonFlag, pluginOption } from './shared-options.js';

export const silo: Command = {
  name: 'silo',
  arguments: '',
  summary:
    'Takes part in federated runs with records of your own, which stay in this process: shows each plan ' +
    'and asks you before the first answer; adds its own noise, and charges the ledger of the records.',
  notes:
    'The first start makes the keys of the silo and prints its public key, for the operator of the server; ' +
    'without --server-key it does nothing else.',
  options: {
    data: {
      type: 'string',
      value: 'FILE',
      isRequired: true,
      help: 'the table of records: CSV, JSON, Arrow or Parquet',
    },
    delimiter: delimiterOption,
    server: {
      type: 'string',
      value: 'URL',
      help: 'address of the NATS server (default nats://127.0.0.1:4222)',
    },
    'server-key': {
      type: 'string',
      value: 'KEY',
      help: 'public key of the server, as its operator gave it to you',
    },
    limit: limitOption('a power of ten below a tenth of one over the records'),
    owner: ownerOptions.owner,
    adjacency: {
      type: 'string',
      value: 'A',
      choices: ['replace-one', 'zero-out'],
      help: 'which data sets are neighbours (default replace-one)',
    },
    folder: { type: 'string', value: 'DIR', help: 'keys and log of the silo (default silo)' },
    ledger: {
      type: 'string',
      value: 'FILE',
      help: 'ledger of the records (default: the one of all their releases)',
    },
    yes: { type: 'boolean', help: 'agrees to every plan that passes the checks; for scripts' },
    once: { type: 'boolean', help: 'ends after one run' },
    ...networkOptions,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, string }) {
    if (positionals.length > 0)
      throw new UsageError('lethe silo takes no experiment: the server sends the plan. Give --data FILE');
    const mistakes = [...limitMistakes(string('limit')), ...delimiterMistakes(string('delimiter'))];
    if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'));
  },
  load: async () => (await import('../silo.js')).serveSilo,
};
