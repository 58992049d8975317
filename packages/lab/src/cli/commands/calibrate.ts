import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { adjacencyOption, jsonFlag, pluginOption } from './shared-options.js';

export const sides = ['epsilon', 'delta'] as const;
export const directions = ['larger-is-private', 'smaller-is-private'] as const;

export const calibrate: Command = {
  name: 'calibrate',
  arguments: 'TEMPLATE.json|-',
  summary:
    'Finds the free number of an event that meets a target: ' +
    'the least private value whose certified upper bound does.',
  options: {
    free: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      isRequired: true,
      help:
        'path of the free number, such as /sigma, /parts/0/count or parts.0.count; repeated: ' +
        'one number at several places',
    },
    epsilon: { type: 'number', value: 'E', isRequired: true, help: 'target' },
    delta: { type: 'number', value: 'D', isRequired: true, help: 'target' },
    adjacency: { ...adjacencyOption, isRequired: true },
    accountant: {
      type: 'string',
      value: 'NAME',
      help: 'best (default), or one that lethe plugins --kind accountant lists',
    },
    by: {
      type: 'string',
      value: 'SIDE',
      choices: sides,
      help: 'epsilon (default): compare epsilon at the delta; delta: compare delta at the epsilon',
    },
    direction: {
      type: 'string',
      value: 'WHICH',
      choices: directions,
      help: 'which numbers are more private (default: found by trying)',
    },
    integer: { type: 'boolean', help: 'whole numbers only (default: where the event takes no others)' },
    min: { type: 'number', value: 'X', help: 'least number to try' },
    max: { type: 'number', value: 'X', help: 'largest number to try' },
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals }) {
    if (positionals.length !== 1)
      throw new UsageError(
        'lethe calibrate takes one template, got ' +
          `${positionals.length}; give the path of an event in JSON, ` +
          'or -',
      );
  },
  load: async () => (await import('../calibrate.js')).calibrateEvent,
};
