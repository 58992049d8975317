import { bestOf } from '@lethe/accountants';
import {
  LetheError,
  parseEvent,
  parseOrThrow,
  Unsupported,
  type Accountant,
  type Interval,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { z } from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';
import { profileGrid } from '../profile/profile.js';
import { batch } from './account-batch.js';
import { accountantsNamed, accountingGiven, assuming, inWords, toJson } from './accounting.js';
import type { Action } from './command.js';
import { adjacencies } from './commands/shared-options.js';
import { chosen, type Parsed } from './parsed.js';

const asked = {
  delta: z.number().min(0).max(1),
  epsilon: z.union([z.number().nonnegative(), z.literal(Infinity)]),
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
  if (parsed.flag('batch')) return batch(path, parsed.string('accountant'), accounting, context);
  const adjacency = defined(chosen(parsed, 'adjacency', adjacencies));
  const event = parseEvent(parseJson(readText(path), path === '-' ? 'standard input' : path), kinds);
  const name = parsed.string('accountant');
  const best = bestOf(name === 'all' ? accountants : accountantsNamed(accountants, name), kinds);
  const answering: readonly (readonly [string, Answering])[] = [
    ...(name === 'all' ? accountants.map((one) => [one.name, bestOf([one], kinds)] as const) : []),
    [name === undefined || name === 'all' ? 'best' : name, best],
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
  const [only] = rows;
  const single = rows.length === 1 && !parsed.flag('profile') && !(only.answer instanceof LetheError);
  if (parsed.flag('json'))
    context.out(`${single ? toJson({ [answered(only.ask)]: only.answer }) : toJson(rows.map(asRecord))}\n`);
  else context.out(single ? inText(rows) : table(rows));
  return 0;
};

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
  const cells = rows.map(({ accountant, ask, answer }) => {
    const [[name, value]] = Object.entries(ask) as [[string, number]];
    return [
      accountant,
      `${name} ${value}`,
      answer instanceof LetheError ? `no answer: ${answer.message}` : inWords(answered(ask), answer),
    ] as const;
  });
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column].length)));
  return (
    cells
      .map(([first, second, third]) => `${first.padEnd(widths[0])}  ${second.padEnd(widths[1])}  ${third}`)
      .join('\n') + `\n${assuming(intervals(rows))}`
  );
}
