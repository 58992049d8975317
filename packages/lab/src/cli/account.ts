import { accountants, bestOf } from '@lethe/accountants';
import { eventKindsOf, adjacencies, adjacencySchema, findPlugin, InvalidParameter, LetheError, parseEvent, parseOrThrow, type Accountant, type Interval } from '@lethe/core';
import { z } from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';
import { registry } from '../registry.js';
import { helpFlag, jsonFlag, type Command, type Context } from './command.js';

const kinds = eventKindsOf(registry);
const question = z.union([
  z.strictObject({ delta: z.number().min(0).max(1) }),
  z.strictObject({ epsilon: z.number().nonnegative() }),
], 'give delta (for epsilon) or epsilon (for delta), not both');
const line = z.object({
  id: z.union([z.string(), z.number()]), event: z.unknown(), adjacency: adjacencySchema,
  delta: z.number().min(0).max(1).optional(), epsilon: z.number().nonnegative().optional(), accountant: z.string().optional(),
}).strict();

const accountantNamed = (name: string): Pick<Accountant, 'epsilon' | 'delta'> => (name === 'best' ? bestOf(accountants, kinds) : findPlugin<Accountant>(accountants, 'accountant', name));

type Answer = { readonly epsilon: Interval } | { readonly delta: Interval };

function answer(event: unknown, adjacency: unknown, asked: { readonly delta?: number | undefined; readonly epsilon?: number | undefined }, name: string): Answer {
  const parsed = parseEvent(event, kinds);
  const context = { kinds, adjacency: parseOrThrow(adjacencySchema, adjacency, 'adjacency') };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const want = parseOrThrow(question, given, 'query');
  const accountant = accountantNamed(name);
  return 'delta' in want ? { epsilon: accountant.epsilon(parsed, { ...context, ...want }) } : { delta: accountant.delta(parsed, { ...context, ...want }) };
}

export const accountCommand: Command = {
  name: 'account',
  arguments: '[EVENT.json|-]',
  summary: 'From a privacy event to epsilon at a delta, or delta at an epsilon, with lower and upper bound.',
  options: {
    delta: { type: 'string', value: 'D', help: 'ask for epsilon at this delta' },
    epsilon: { type: 'string', value: 'E', help: 'ask for delta at this epsilon' },
    adjacency: { type: 'string', value: 'A', help: adjacencies.join(', ') },
    accountant: { type: 'string', value: 'NAME', help: `best (default), ${accountants.map(({ name }) => name).join(', ')}` },
    batch: { type: 'boolean', help: 'read JSON Lines {id, event, adjacency, delta|epsilon, accountant?}, write one answer or error a line' },
    json: jsonFlag, help: helpFlag,
  },
  async run(parsed, context) {
    const [path = '-', ...more] = parsed.positionals;
    if (more.length > 0) throw new InvalidParameter(`lethe account takes one event, got ${more.length + 1} arguments`, {});
    if (parsed.flag('batch')) return batch(path, parsed.string('accountant') ?? 'best', context);
    if (parsed.string('adjacency') === undefined) throw new InvalidParameter(`--adjacency is missing; give one of ${adjacencies.join(', ')}`, {});
    const result = answer(parseJson(path === '-' ? context.input() : readText(path), path === '-' ? 'standard input' : path), parsed.string('adjacency'), { delta: parsed.number('delta'), epsilon: parsed.number('epsilon') }, parsed.string('accountant') ?? 'best');
    context.out(parsed.flag('json') ? `${toJson(result)}\n` : describe(result));
    return 0;
  },
};

async function batch(path: string, fallback: string, { out, inputLines }: Context): Promise<number> {
  const lines = path === '-' ? inputLines() : readText(path).split('\n');
  for await (const text of lines) {
    if (text.trim() !== '') out(`${answerLine(text, fallback)}\n`);
  }
  return 0;
}

function answerLine(text: string, fallback: string): string {
  let id: unknown = null;
  try {
    const content = parseJson(text, 'line');
    if (typeof content === 'object' && content !== null && 'id' in content && ['string', 'number'].includes(typeof content.id)) id = content.id;
    const { event, adjacency, delta, epsilon, accountant } = parseOrThrow(line, content, 'line');
    return toJson({ id, ...answer(event, adjacency, { delta, epsilon }, accountant ?? fallback) });
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    return toJson({ id, error: { type: error.name, message: error.message } });
  }
}

/** JSON has no infinity; an unbounded answer is written as the string "Infinity". */
const toJson = (value: unknown): string => JSON.stringify(value, (_key, inner: unknown) => (inner === Infinity ? 'Infinity' : inner));

function describe(result: Answer): string {
  const [name, { lower, upper, certificate, method, assumptions }] = Object.entries(result)[0] as [string, Interval];
  return `${name} in [${lower}, ${upper}] (${certificate}, ${method})${assumptions.length > 0 ? `\nassuming ${assumptions.join(', ')}` : ''}\n`;
}
