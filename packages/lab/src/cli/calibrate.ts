import { calibrateDetection, calibrator, type Calibration } from '@lethe/accountants';
import { parseEvent, type Adjacency, type EventKind, type Interval, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';
import {
  accountantsNamed,
  accountingGiven,
  assuming,
  inWords,
  limited,
  timeGiven,
  toJson,
} from './accounting.js';
import type { Action, Parsed } from './command.js';
import { directions } from './commands/choices.js';
import { methodOf } from './commands/method-options.js';
import { adjacencies } from './commands/shared-options.js';
import { sideOf, type Side } from './commands/side.js';
import { freeNumber } from './free-number.js';
import { methodEvent } from './method-event.js';
import { chosen } from './parsed.js';

export const calibrateEvent: Action = async (parsed, { out, error }) => {
  const { kinds, accountants } = await accountingGiven(parsed);
  const { make, adjacency, given, isWhole } = familyGiven(parsed, kinds);
  const direction = chosen(parsed, 'direction', directions);
  const by = sideOf(parsed);
  const [min, max] = [parsed.number('min'), parsed.number('max')];
  const integer = parsed.flag('integer') || isWhole;
  const calibrate = calibrator(
    accountantsNamed(accountants, parsed.string('accountant')),
    kinds,
    limited(timeGiven(parsed)),
  );
  const options = {
    make,
    adjacency,
    integer,
    ...(given > 0 && Number.isFinite(given) ? { start: given } : {}),
    ...(direction === undefined ? {} : { direction }),
    ...(min === undefined && max === undefined ? {} : { bracket: [min ?? 0, max ?? Infinity] as const }),
  };
  const { found, target } = calibrated(parsed, by, { calibrate, options });
  const { value, achieved, direction: towards } = found;
  const side = by === 'epsilon' ? 'epsilon' : 'delta';
  if (parsed.flag('json')) {
    const event = make(value);
    out(`${toJson({ value, integer, direction: towards, target, adjacency, [side]: achieved, event }, 2)}\n`);
    return 0;
  }
  if (methodOf(parsed) !== undefined && parsed.string('adjacency') === undefined)
    error(`under ${adjacency}; --adjacency asks for another\n`);
  const at = side === 'epsilon' ? `delta ${target.delta}` : `epsilon ${target.epsilon}`;
  const how = `${towards.replaceAll('-', ' ')}${integer ? ', whole numbers' : ''}`;
  const shown = `${inWords(side, achieved)} at ${at}; ${how}\n${assuming([achieved])}`;
  out(`${value}\n${attackWords(parsed, by, achieved)}${shown}`);
  return 0;
};

/** What an attack that finds out whether a record is there reaches, where the target is about that. */
function attackWords(parsed: Parsed, by: Side, { upper }: Pick<Interval, 'upper'>): string {
  if (by === 'advantage')
    return `advantage of any attack at most ${upper}: true positives minus false alarms\nshown by `;
  if (by !== 'detection') return '';
  return (
    `any attack detects a record at a rate of at most ${parsed.number('detection')}, at a rate of false ` +
    `alarms of ${parsed.number('false-alarms')}\nshown by `
  );
}

interface Search {
  readonly calibrate: ReturnType<typeof calibrator>;
  readonly options: Omit<Parameters<Search['calibrate']>[0], 'target' | 'by'>;
}

/** The number that meets the target of the command line, and the (ε, δ) that shows it. */
function calibrated(
  parsed: Parsed,
  by: Side,
  { calibrate, options }: Search,
): { readonly found: Calibration; readonly target: { readonly epsilon: number; readonly delta: number } } {
  const number = (name: string): number => defined(parsed.number(name));
  if (by === 'detection') {
    const rates = { detection: number('detection'), falseAlarms: number('false-alarms') };
    const { epsilon, delta, ...found } = calibrateDetection(calibrate, options, rates);
    return { found, target: { epsilon, delta } };
  }
  // The advantage of the best attack is δ at ε = 0.
  const target =
    by === 'advantage'
      ? { epsilon: 0, delta: number('advantage') }
      : { epsilon: number('epsilon'), delta: number('delta') };
  return { found: calibrate({ ...options, target, by: by === 'epsilon' ? by : 'delta' }), target };
}

/** Events by the number that is looked for. */
interface Family {
  readonly make: (value: number) => PrivacyEvent;
  readonly adjacency: Adjacency;
  /** A first value to try. */
  readonly given: number;
  readonly isWhole: boolean;
}

function familyGiven(parsed: Parsed, kinds: readonly EventKind[]): Family {
  const adjacency = chosen(parsed, 'adjacency', adjacencies);
  const method = methodOf(parsed);
  if (method !== undefined) {
    const { event, adjacency: usual } = methodEvent(method, parsed);
    return { make: event, adjacency: adjacency ?? usual, given: 1, isWhole: false };
  }
  const [path] = parsed.positionals;
  const free = freeNumber(
    parseJson(readText(path), path === '-' ? 'standard input' : path),
    parsed.strings('free'),
    (event) => parseEvent(event, kinds),
  );
  return {
    make: (value) => free.event(value),
    adjacency: defined(adjacency),
    given: free.given,
    isWhole: free.integer,
  };
}
