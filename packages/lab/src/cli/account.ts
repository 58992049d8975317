import { bestOf } from '@lethe/accountants';
import {
  adjacencies,
  adjacencySchema,
  InvalidParameter,
  LetheError,
  parseEvent,
  parseOrThrow,
  Unsupported,
  type Accountant,
  type Interval,
} from '@lethe/core';
import { z } from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';
import { profileGrid } from '../profile/profile.js';
import { pluginFlag } from '../plugins/option.js';
import { batch } from './account-batch.js';
import {
  accountantNames,
  accountantsNamed,
  accountingGiven,
  adjacencyHelp,
  assuming,
  inWords,
  toJson,
} from './accounting.js';
import { helpFlag, jsonFlag, type Command, type Parsed } from './command.js';

const asked = {
  delta: z.number().min(0).max(1),
  epsilon: z.union([z.number().nonnegative(), z.literal(Infinity)]),
};

/** One question, whom it was put to, and the answer or why there is none. */
interface Row {
  readonly accountant: string;
  readonly ask: Ask;
  readonly answer: Interval | LetheError;
}
type Ask = { readonly delta: number } | { readonly epsilon: number };
type Answering = Pick<Accountant, 'epsilon' | 'delta'>;

export const accountCommand: Command = {
  options: {
    delta: {
      type: 'string',
      value: 'D',
      multiple: true,
      help: 'ask for epsilon at this delta; may be repeated',
    },
    epsilon: {
      type: 'string',
      value: 'E',
      multiple: true,
      help: 'ask for delta at this epsilon; may be repeated',
    },
    profile: {
      type: 'boolean',
      help: 'ask for delta at many values of epsilon, to where delta is 1e-10, or the --delta given',
    },
    adjacency: adjacencyHelp(adjacencies),
    accountant: {
      type: 'string',
      value: 'NAME',
      help: `best (default), all (each by itself), ${accountantNames}`,
    },
    batch: {
      type: 'boolean',
      help: 'read JSON Lines {id, event, adjacency, delta|epsilon, accountant?}, write one answer or error a line',
    },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, context) {
    const [path = '-', ...more] = parsed.positionals;
    if (more.length > 0)
      throw new InvalidParameter(`lethe account takes one event, got ${more.length + 1} arguments`, {});
    const accounting = await accountingGiven(parsed);
    const { kinds, accountants } = accounting;
    if (parsed.flag('batch')) {
      const given =
        ['delta', 'epsilon', 'adjacency'].find((name) => parsed.strings(name).length > 0) ??
        (parsed.flag('profile') ? 'profile' : undefined);
      if (given !== undefined)
        throw new InvalidParameter(`--batch reads ${given} from each line; leave --${given} out`, { given });
      return batch(path, parsed.string('accountant'), accounting, { ...context, input: context.inputChunks });
    }
    if (parsed.string('adjacency') === undefined)
      throw new InvalidParameter(`--adjacency is missing; give one of ${adjacencies.join(', ')}`, {});
    const adjacency = parseOrThrow(adjacencySchema, parsed.string('adjacency'), '--adjacency');
    const event = parseEvent(
      parseJson(path === '-' ? context.input() : readText(path), path === '-' ? 'standard input' : path),
      kinds,
    );
    const name = parsed.string('accountant');
    const best = bestOf(name === 'all' ? accountants : accountantsNamed(accountants, name), kinds);
    const chosen: readonly (readonly [string, Answering])[] = [
      ...(name === 'all' ? accountants.map((one) => [one.name, bestOf([one], kinds)] as const) : []),
      [name === undefined || name === 'all' ? 'best' : name, best],
    ];
    const query = { adjacency, kinds };
    const asks = asksOf(parsed, (depth) =>
      profileGrid(event, { accountant: best, adjacency, ...(depth === undefined ? {} : { depth }) }),
    );
    const rows = chosen.flatMap(([accountant, one]) =>
      asks.map((ask): Row => ({
        accountant,
        ask,
        answer: attempt(
          () =>
            'delta' in ask
              ? one.epsilon(event, { ...query, ...ask })
              : one.delta(event, { ...query, ...ask }),
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
  },
};

function asksOf(parsed: Parsed, grid: (depth: number | undefined) => readonly number[]): readonly Ask[] {
  const [deltas, epsilons] = [parsed.numbers('delta'), parsed.numbers('epsilon')].map((values, i) =>
    values.map((value) =>
      parseOrThrow(i === 0 ? asked.delta : asked.epsilon, value, i === 0 ? '--delta' : '--epsilon'),
    ),
  ) as [number[], number[]];
  if (parsed.flag('profile') && epsilons.length === 0) {
    if (deltas.length > 1) throw new InvalidParameter('--profile goes to one --delta; give one', { deltas });
    if (deltas[0] === 0)
      throw new InvalidParameter(
        '--profile goes to a --delta above 0; where delta is 0 the profile may have no end',
        { deltas },
      );
    return grid(deltas[0]).map((epsilon) => ({ epsilon }));
  }
  if (deltas.length > 0 === epsilons.length > 0)
    throw new InvalidParameter('give --delta (for epsilon) or --epsilon (for delta), and not both', {
      deltas,
      epsilons,
    });
  return [...deltas.map((delta) => ({ delta })), ...epsilons.map((epsilon) => ({ epsilon }))];
}

/** Of several accountants, some may not be able to answer; of the best, that is an error. */
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
  return `${cells.map(([first, second, third]) => `${first.padEnd(widths[0])}  ${second.padEnd(widths[1])}  ${third}`).join('\n')}\n${assuming(intervals(rows))}`;
}
