import { calibrator } from '@lethe/accountants';
import { adjacencies, adjacencySchema, InvalidParameter, parseEvent, parseOrThrow } from '@lethe/core';
import { z } from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';
import { pluginFlag } from '../plugins/option.js';
import {
  accountantNames,
  accountantsNamed,
  accountingGiven,
  adjacencyHelp,
  assuming,
  inWords,
  toJson,
} from './accounting.js';
import { helpFlag, jsonFlag, required, type Command } from './command.js';
import { freeNumber } from './free-number.js';

const directions = ['larger-is-private', 'smaller-is-private'] as const;
const sides = ['epsilon', 'delta'] as const;

export const calibrateCommand: Command = {
  options: {
    free: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      help: 'the number that is free, as /parts/0/count or parts.0.count; repeated: one number at several places',
    },
    epsilon: { type: 'string', value: 'E', help: 'target' },
    delta: { type: 'string', value: 'D', help: 'target' },
    adjacency: adjacencyHelp(adjacencies),
    accountant: { type: 'string', value: 'NAME', help: `best (default), ${accountantNames}` },
    by: {
      type: 'string',
      value: 'SIDE',
      help: 'epsilon (default): compare epsilon at the delta; delta: compare delta at the epsilon',
    },
    direction: { type: 'string', value: 'WHICH', help: `${directions.join(', ')} (default: found out)` },
    integer: { type: 'boolean', help: 'whole numbers only (default: where the event takes no others)' },
    min: { type: 'string', value: 'X', help: 'least number to try' },
    max: { type: 'string', value: 'X', help: 'largest number to try' },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, { out, input }) {
    const [path, ...more] = parsed.positionals;
    if (path === undefined || more.length > 0)
      throw new InvalidParameter(
        `lethe calibrate takes one template, got ${parsed.positionals.length}; give the path of an event in JSON, or -`,
        {},
      );
    const paths = parsed.strings('free');
    if (paths.length === 0)
      throw new InvalidParameter(
        '--free is missing; give the way to the number that is free, such as /sigma',
        {},
      );
    if (parsed.string('adjacency') === undefined)
      throw new InvalidParameter(`--adjacency is missing; give one of ${adjacencies.join(', ')}`, {});
    const adjacency = parseOrThrow(adjacencySchema, parsed.string('adjacency'), '--adjacency');
    const target = { epsilon: required(parsed, 'epsilon'), delta: required(parsed, 'delta') };
    const direction = parseOrThrow(z.enum(directions).optional(), parsed.string('direction'), '--direction');
    const by = parseOrThrow(z.enum(sides), parsed.string('by') ?? 'epsilon', '--by');
    const [min, max] = [parsed.number('min'), parsed.number('max')];
    const { kinds, accountants } = await accountingGiven(parsed);
    const free = freeNumber(
      parseJson(path === '-' ? input() : readText(path), path === '-' ? 'standard input' : path),
      paths,
      (event) => parseEvent(event, kinds),
    );
    const integer = parsed.flag('integer') || free.integer;
    const {
      value,
      achieved,
      direction: found,
    } = calibrator(
      accountantsNamed(accountants, parsed.string('accountant')),
      kinds,
    )({
      make: free.event,
      target,
      adjacency,
      integer,
      by,
      ...(free.given > 0 && Number.isFinite(free.given) ? { start: free.given } : {}),
      ...(direction === undefined ? {} : { direction }),
      ...(min === undefined && max === undefined ? {} : { bracket: [min ?? 0, max ?? Infinity] }),
    });
    if (parsed.flag('json'))
      out(
        `${toJson({ value, integer, direction: found, target, adjacency, [by]: achieved, event: free.event(value) }, 2)}\n`,
      );
    else
      out(
        `${value}\n${inWords(by, achieved)} at ${by === 'epsilon' ? `delta ${target.delta}` : `epsilon ${target.epsilon}`}; ${found.replaceAll('-', ' ')}${integer ? ', whole numbers' : ''}\n${assuming([achieved])}`,
      );
    return 0;
  },
};
