import { createReadStream } from 'node:fs';
import type { TimeOptions } from '@lethe/accountants';
import { adjacencySchema, InvalidParameter, LetheError, parseEvent, parseOrThrow } from '@lethe/core';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { nearRound } from '../run/near-round.js';
import { accountantsNamed, toJson, type Accounting } from './accounting.js';
import type { Context } from './command.js';
import { linesOf, type Line } from './lines.js';
import { unreadable } from '../experiment/read-text.js';

const unbounded = z.literal('Infinity').transform(() => Infinity);
const lineSchema = z.strictObject({
  id: z.union([z.string(), z.number()]),
  event: z.unknown(),
  adjacency: adjacencySchema,
  delta: z.number().min(0).max(1).optional(),
  epsilon: z.union([z.number().nonnegative(), unbounded]).optional(),
  accountant: z.string().optional(),
});

/** What a line may leave out, and the time for each line. */
interface Defaults {
  readonly name: string | undefined;
  readonly time: TimeOptions | undefined;
}

/**
 * Answers JSON Lines in order. Each line is answered and written before the next is read, and output waits
 * for
 * its reader, so memory does not grow with the file. A line without an answer gets an error.
 */
export async function batch(
  path: string,
  given: Defaults,
  accounting: Accounting,
  { out, drained, input, signal }: Pick<Context, 'out' | 'drained' | 'signal' | 'input'>,
): Promise<number> {
  accountantsNamed(accounting.accountants, given.name);
  for await (const line of linesOf(path === '-' ? input() : chunksOf(path))) {
    signal.throwIfAborted();
    if ('text' in line && line.text.trim() === '') continue;
    out(`${answerLine(line, given, accounting)}\n`);
    if (!(await drained())) break;
  }
  return 0;
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

function answerLine(
  line: Line,
  { name: fallback, time }: Defaults,
  { kinds, accountants }: Accounting,
): string {
  let id: unknown = null;
  try {
    if ('problem' in line) throw new InvalidParameter(line.problem, {});
    const content = parseJson(line.text, 'line');
    if (
      typeof content === 'object' &&
      content !== null &&
      'id' in content &&
      ['string', 'number'].includes(typeof content.id)
    )
      id = content.id;
    const { event, adjacency, delta, epsilon, accountant: name } = parseOrThrow(lineSchema, content, 'line');
    if ((delta === undefined) === (epsilon === undefined))
      throw new InvalidParameter('line: give delta (for epsilon) or epsilon (for delta), and not both', {});
    const accountant = nearRound(accountantsNamed(accountants, name ?? fallback), kinds, time);
    const parsed = parseEvent(event, kinds);
    return toJson(
      delta === undefined
        ? { id, delta: accountant.delta(parsed, { adjacency, epsilon: defined(epsilon) }) }
        : { id, epsilon: accountant.epsilon(parsed, { adjacency, delta }) },
    );
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    return toJson({ id, error: { type: error.name, message: error.message } });
  }
}
