import type { Command, Parsed } from '../command.js';
import { UsageError } from '../usage-error.js';
import { directions, sides } from './choices.js';
import { sideOf, type Side } from './side.js';
import { checkMethod, methodOf, methodOptions, methods, otherMethodWords } from './method-options.js';
import { adjacencies, adjacencyOption, jsonFlag, pluginOption, secondsOption } from './shared-options.js';

export const calibrate: Command = {
  name: 'calibrate',
  arguments: `${methods.join('|')}|TEMPLATE.json|-`,
  words: methods,
  summary:
    'Finds the free number of an event that meets a target: ' +
    'the least private value whose certified upper bound does.',
  notes:
    'A target is epsilon and delta, or what an attack may reach: --advantage, or --detection at ' +
    '--false-alarms.',
  examples: [
    'lethe calibrate dp-sgd --n 60000 --batch 256 --epochs 10 --epsilon 2 --delta 1e-5',
    'lethe calibrate gaussian --steps 10 --advantage 0.1',
    'lethe calibrate dp-sgd --n 60000 --batch 256 --epochs 10 --detection 0.1 --false-alarms 0.01',
  ],
  options: {
    ...methodOptions,
    free: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      help:
        'path of the free number, such as /sigma, /parts/0/count or parts.0.count; repeated: ' +
        'one number at several places',
    },
    epsilon: { type: 'number', value: 'E', help: 'target' },
    delta: { type: 'number', value: 'D', help: 'target' },
    advantage: {
      type: 'number',
      value: 'A',
      help:
        'target: true positives minus false alarms of any attack that finds out whether a record is ' +
        'there',
    },
    detection: {
      type: 'number',
      value: 'P',
      help: 'target: true positives of any such attack, at --false-alarms',
    },
    'false-alarms': { type: 'number', value: 'X', help: 'rate of false alarms at which --detection holds' },
    adjacency: {
      ...adjacencyOption,
      help:
        `${adjacencyOption.help}; of a method, add-remove by default, replace-one for batches of one ` +
        'size',
    },
    accountant: {
      type: 'string',
      value: 'NAME',
      help: 'best (default), or one that lethe plugins --kind accountant lists',
    },
    by: {
      type: 'string',
      value: 'SIDE',
      choices: sides,
      help:
        'epsilon: compare epsilon at the delta; delta: compare delta at the epsilon; advantage and ' +
        'detection: those of the best attack (default: by the target that is given)',
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
    seconds: secondsOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  otherWords: otherMethodWords,
  check(parsed) {
    const { positionals, strings, string } = parsed;
    if (positionals.length !== 1)
      throw new UsageError(
        `lethe calibrate takes one template, got ${positionals.length}; give the path of an event in ` +
          `JSON, a method (${methods.join(', ')}), or -`,
      );
    checkMethod(parsed, true);
    const isMethod = methodOf(parsed) !== undefined;
    if (isMethod && strings('free').length > 0)
      throw new UsageError('--free is for events in JSON; of a method the noise is found');
    if (!isMethod && strings('free').length === 0)
      throw new UsageError('--free is missing; give the path of the number to find, such as /sigma');
    if (!isMethod && string('adjacency') === undefined)
      throw new UsageError(`--adjacency is missing; give one of ${adjacencies.join(', ')}`);
    checkTarget(parsed);
  },
  load: async () => (await import('../calibrate.js')).calibrateEvent,
};

/** Targets of each side, all of which are needed. */
const targets: Readonly<Record<Side, readonly string[]>> = {
  epsilon: ['epsilon', 'delta'],
  delta: ['epsilon', 'delta'],
  advantage: ['advantage'],
  detection: ['detection', 'false-alarms'],
};

function checkTarget({ strings, string, number }: Parsed): void {
  const by = sideOf({ string, strings });
  const missing = targets[by].find((name) => strings(name).length === 0);
  if (missing !== undefined)
    throw new UsageError(
      `--${missing} is missing; a target by ${by} has ` +
        `${targets[by].map((name) => `--${name}`).join(' and ')}`,
    );
  const other = [...new Set(Object.values(targets).flat())].find(
    (name) => !targets[by].includes(name) && strings(name).length > 0,
  );
  if (other !== undefined)
    throw new UsageError(`--${other} is no part of a target by ${by}; leave it out, or change --by`);
  for (const name of ['advantage', 'detection', 'false-alarms']) {
    const rate = number(name);
    if (rate !== undefined && !(rate > 0 && rate < 1))
      throw new UsageError(`--${name} is ${rate}; it must be above 0 and below 1`);
  }
}
