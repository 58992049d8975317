import { calibrator } from '@lethe/accountants';
import { parseEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';
import { accountantsNamed, accountingGiven, assuming, inWords, toJson } from './accounting.js';
import type { Action } from './command.js';
import { directions, sides } from './commands/calibrate.js';
import { adjacencies } from './commands/shared-options.js';
import { freeNumber } from './free-number.js';
import { chosen } from './parsed.js';

export const calibrateEvent: Action = async (parsed, { out }) => {
  const [path] = parsed.positionals;
  const adjacency = defined(chosen(parsed, 'adjacency', adjacencies));
  const target = { epsilon: defined(parsed.number('epsilon')), delta: defined(parsed.number('delta')) };
  const direction = chosen(parsed, 'direction', directions);
  const by = chosen(parsed, 'by', sides) ?? 'epsilon';
  const [min, max] = [parsed.number('min'), parsed.number('max')];
  const { kinds, accountants } = await accountingGiven(parsed);
  const free = freeNumber(
    parseJson(readText(path), path === '-' ? 'standard input' : path),
    parsed.strings('free'),
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
  if (parsed.flag('json')) {
    const event = free.event(value);
    out(`${toJson({ value, integer, direction: found, target, adjacency, [by]: achieved, event }, 2)}\n`);
    return 0;
  }
  const at = by === 'epsilon' ? `delta ${target.delta}` : `epsilon ${target.epsilon}`;
  const how = `${found.replaceAll('-', ' ')}${integer ? ', whole numbers' : ''}`;
  out(`${value}\n${inWords(by, achieved)} at ${at}; ${how}\n${assuming([achieved])}`);
  return 0;
};
