import { writeFileSync } from 'node:fs';
import {
  bestOf,
  detectionRate,
  fromDpAccounting,
  oneDirection,
  profileOf,
  resolveEvent,
  toDpAccounting,
} from '@lethe/accountants';
import {
  InvalidParameter,
  LetheError,
  parseEvent,
  parseOrThrow,
  Unsupported,
  type Accountant,
  type Adjacency,
  type EventKind,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { defined, type Bounds } from '@lethe/numerics';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';
import { profileGrid } from '../profile/profile.js';
import { nearRound } from '../run/near-round.js';
import { batch } from './account-batch.js';
import { accountantsNamed, accountingGiven, assuming, inWords, timeGiven, toJson } from './accounting.js';
import type { Action, Parsed } from './command.js';
import { methodOf } from './commands/method-options.js';
import { oneWay } from './commands/choices.js';
import { adjacencies } from './commands/shared-options.js';
import { methodEvent } from './method-event.js';
import { chosen } from './parsed.js';

const asked = {
  delta: z.number().min(0).max(1),
  epsilon: z.union([z.number().nonnegative(), z.literal(Infinity)]),
  order: z.number().gt(1),
  falseAlarms: z.number().min(0).max(1),
};

/** A question to an accountant, and its answer, or the reason why it has none. */
interface Row {
  readonly accountant: string;
  readonly ask: Ask;
  readonly answer: Interval | LetheError;
}
type Ask = { readonly delta: number } | { readonly epsilon: number };
type Answering = Pick<Accountant, 'epsilon' | 'delta'>;

export const accountEvent: Action = async (parsed, context) => {
  const [path = '-'] = parsed.positionals;
  const accounting = await accountingGiven(parsed);
  const { kinds, accountants } = accounting;
  if (parsed.flag('lines'))
    return batch(path, { name: parsed.string('accountant'), time: timeGiven(parsed) }, accounting, context);
  const { event, adjacency } = eventGiven(parsed, kinds);
  if (parsed.flag('export')) {
    context.out(`${toDpAccounting(event, adjacency)}\n`);
    return 0;
  }
  const name = parsed.string('accountant');
  const time = timeGiven(parsed);
  const direction = chosen(parsed, 'direction', oneWay);
  const best: Answering =
    direction === undefined
      ? nearRound(name === 'all' ? accountants : accountantsNamed(accountants, name), kinds, time)
      : oneDirection(direction);
  const answering: readonly (readonly [string, Answering])[] = [
    ...(name === 'all' ? accountants.map((one) => [one.name, bestOf([one], kinds, time)] as const) : []),
    [direction ?? (name === undefined || name === 'all' ? 'best' : name), best],
  ];
  const query = { adjacency, kinds };
  const asks = asksOf(parsed, (depth) =>
    profileGrid(event, { accountant: best, adjacency, ...(depth === undefined ? {} : { depth }) }),
  );
  const rows = answering.flatMap(([accountant, one]) =>
    asks.map((ask): Row => ({
      accountant,
      ask,
      answer: attempt(
        () =>
          'delta' in ask ? one.epsilon(event, { ...query, ...ask }) : one.delta(event, { ...query, ...ask }),
        one !== best,
      ),
    })),
  );
  const others = otherAnswers(parsed, event, { accountant: best, ...query });
  const figure = parsed.string('svg');
  if (figure !== undefined) {
    const { accountFigure } = await import('./account-figure.js');
    const points = profileGrid(event, { accountant: best, adjacency, points: 41 }).map((epsilon) => ({
      epsilon,
      ...best.delta(event, { ...query, epsilon }),
    }));
    writeFileSync(figure, accountFigure(`${path} under ${adjacency}`, points));
    if (!parsed.flag('json')) context.error(`${figure} written\n`);
  }
  const [only] = rows;
  const single =
    rows.length === 1 &&
    others.length === 0 &&
    !parsed.flag('profile') &&
    !(only.answer instanceof LetheError);
  if (direction !== undefined)
    context.error(`${direction} alone; the cost is the larger of both directions\n`);
  if (parsed.flag('json')) {
    if (rows.length + others.length > 0)
      context.out(
        (single
          ? toJson({ [answered(only.ask)]: only.answer })
          : toJson([...rows.map(asRecord), ...others.map(({ record }) => record)])) + `\n`,
      );
    return 0;
  }
  if (methodOf(parsed) !== undefined && parsed.string('adjacency') === undefined)
    context.error(`under ${adjacency}; --adjacency asks for another\n`);
  if (rows.length > 0) context.out(single ? inText(rows) : table(rows));
  for (const { text } of others) context.out(`${text}\n`);
  return 0;
};

/**
 * The event of the command line: of a method, from JSON, or from what Python prints of an event of
 * dp_accounting.
 *
 * @throws {InvalidParameter} when it is none.
 */
export function eventGiven(
  parsed: Parsed,
  kinds: readonly EventKind[],
): { readonly event: PrivacyEvent; readonly adjacency: Adjacency } {
  const given = chosen(parsed, 'adjacency', adjacencies);
  const method = methodOf(parsed);
  if (method !== undefined) {
    const noise = defined(parsed.number(method === 'laplace' ? 'scale' : 'sigma'));
    if (!(noise > 0)) throw new InvalidParameter(`the noise is ${noise}; it must be positive`, { noise });
    const { adjacency, event } = methodEvent(method, parsed);
    return { event: event(noise), adjacency: given ?? adjacency };
  }
  const adjacency = defined(given);
  const [path = '-'] = parsed.positionals;
  const text = readText(path);
  const what = path === '-' ? 'standard input' : path;
  const event = /^\s*(?:[\w]+\.)*\w+DpEvent\s*\(/u.test(text)
    ? fromDpAccounting(text, adjacency)
    : parseJson(text, what);
  return { event: parseEvent(event, kinds), adjacency };
}

/** Answers that are no interval of ε or δ: Rényi divergences, and detection rates. */
interface OtherAnswer {
  readonly record: object;
  readonly text: string;
}

function otherAnswers(
  parsed: Parsed,
  event: PrivacyEvent,
  { accountant, ...query }: { accountant: Answering; adjacency: Adjacency; kinds: readonly EventKind[] },
): readonly OtherAnswer[] {
  const orders = parsed.numbers('order').map((value) => parseOrThrow(asked.order, value, '--order'));
  const rates = parsed
    .numbers('false-alarms')
    .map((value) => parseOrThrow(asked.falseAlarms, value, '--false-alarms'));
  const divergence = orders.length === 0 ? undefined : resolveEvent(event, 'rdp', query);
  const profile = profileOf(accountant, event, query);
  return [
    ...orders.map((order) => {
      const value = defined(divergence)(order);
      return {
        record: { order, divergence: value },
        text: `Rényi divergence of order ${order} at most ${value}`,
      };
    }),
    ...rates.map((falseAlarms) => {
      const detection: Bounds = detectionRate(profile, falseAlarms);
      return {
        record: { falseAlarms, detection },
        text:
          `an attack with ${100 * falseAlarms} % of false alarms detects a record ` +
          `in at most ${Number((100 * detection.upper).toPrecision(6))} % of cases`,
      };
    }),
  ];
}

/** Questions of the command line, or the points of a profile that `grid` finds. */
function asksOf(parsed: Parsed, grid: (depth: number | undefined) => readonly number[]): readonly Ask[] {
  const deltas = parsed.numbers('delta').map((value) => parseOrThrow(asked.delta, value, '--delta'));
  const epsilons = parsed.numbers('epsilon').map((value) => parseOrThrow(asked.epsilon, value, '--epsilon'));
  if (parsed.flag('profile') && epsilons.length === 0) return grid(deltas[0]).map((epsilon) => ({ epsilon }));
  return [...deltas.map((delta) => ({ delta })), ...epsilons.map((epsilon) => ({ epsilon }))];
}

/** The answer, or the refusal of an accountant that may refuse. */
function attempt(ask: () => Interval, mayRefuse: boolean): Row['answer'] {
  try {
    return ask();
  } catch (error) {
    if (mayRefuse && error instanceof Unsupported) return error;
    throw error;
  }
}

const answered = (ask: Ask): 'epsilon' | 'delta' => ('delta' in ask ? 'epsilon' : 'delta');

const asRecord = ({ accountant, ask, answer }: Row): object => ({
  accountant,
  ...ask,
  ...(answer instanceof LetheError
    ? { error: { type: answer.name, message: answer.message } }
    : { [answered(ask)]: answer }),
});

const intervals = (rows: readonly Row[]): readonly Interval[] =>
  rows.flatMap(({ answer }) => (answer instanceof LetheError ? [] : [answer]));
const inText = (rows: readonly Row[]): string =>
  `${intervals(rows)
    .map((answer, i) => inWords(answered(rows[i].ask), answer))
    .join('\n')}\n${assuming(intervals(rows))}`;

function table(rows: readonly Row[]): string {
  const told = new Set<string>();
  const reason = (accountant: string, message: string): string => {
    const why = message.replace(`no accountant can answer: ${accountant}: `, '');
    if (told.has(why)) return 'no answer, as above';
    told.add(why);
    return `no answer: ${why}`;
  };
  const cells = rows.map(({ accountant, ask, answer }) => {
    const [[name, value]] = Object.entries(ask) as [[string, number]];
    return [
      accountant,
      `${name} ${value}`,
      answer instanceof LetheError ? reason(accountant, answer.message) : inWords(answered(ask), answer),
    ] as const;
  });
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column].length)));
  return (
    cells
      .map(([first, second, third]) => `${first.padEnd(widths[0])}  ${second.padEnd(widths[1])}  ${third}`)
      .join('\n') + `\n${assuming(intervals(rows))}`
  );
}
