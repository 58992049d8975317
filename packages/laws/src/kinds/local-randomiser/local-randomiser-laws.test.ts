import { defineLocalRandomiser, InvalidParameter, type LocalRandomiser } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws } from '../../law/run.js';
import { subjectsOf } from '../../law/make-subject.js';
import type { Subject } from '../../law/subject.js';
import { localRandomiserLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const params = z.strictObject({});
type Own = Omit<LocalRandomiser<typeof params>, 'kind'>;

const clamped = (record: Float64Array, j: number): number =>
  record.every(Number.isFinite) ? Math.max(-1, Math.min(1, record[j] * Math.sqrt(record.length))) : 0;

/**
 * Randomised response on the sign of each entry with probability 3/4, on a grid of eighths: ε = ln 3 each.
 */
const response = (bugs: Partial<Own> = {}): LocalRandomiser =>
  defineLocalRandomiser({
    name: 'response',
    summary: 'Randomised response.',
    source: { id: 'test', item: 'none' },
    params,
    claims: [{ property: 'unbiased', statement: '' }],
    messageCount: (_params, { dimension }) => dimension,
    randomise: (_params, { dimension }, record, random) =>
      Uint32Array.from(
        { length: dimension },
        (_, j) =>
          2 * j +
          Number(random.integer(8) < Math.round(4 * (1 + clamped(record, j))) !== (random.integer(4) === 0)),
      ),
    analyse(_params, { dimension }, messages) {
      const out = new Float64Array(dimension);
      for (const message of messages)
        out[message >> 1] += (message % 2 === 1 ? 2 : -2) / Math.sqrt(dimension);
      return out;
    },
    event(_params, { dimension, users, honestUsers }) {
      if (!(Number.isSafeInteger(honestUsers) && honestUsers >= 1 && honestUsers <= users))
        throw new InvalidParameter('honestUsers', { honestUsers });
      return { kind: 'core/pure', v: 1, epsilon: dimension * Math.log(3) * (1 + 2 ** -40) } as ReturnType<
        Own['event']
      >;
    },
    ...bugs,
  }) as unknown as LocalRandomiser;
const event =
  (epsilon: number): Own['event'] =>
  (given, context) =>
    ({ ...response().event(given as never, context), epsilon }) as ReturnType<Own['event']>;

const failing = async (plugin: LocalRandomiser, only?: string): Promise<Readonly<Record<string, string>>> => {
  const reports = await runLaws(
    localRandomiserLaws,
    subjectsOf(plugin)[0] as Subject<'localRandomiser'>,
    lawsAlone(only),
  );
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
};

describe('laws of local randomisers', () => {
  it('hold for a correct one', async () => {
    expect(await failing(response())).toEqual({});
  });
  it.each<readonly [string, string, Partial<Own>, RegExp]>([
    ['a wrong messageCount', 'localRandomiser/messages', { messageCount: () => 1 }, /messageCount says 1/u],
    [
      'a NaN that is sent as a number',
      'localRandomiser/messages',
      {
        randomise: (given, context, record, random) =>
          response().randomise(
            given as never,
            context,
            record.map((x) => (Number.isNaN(x) ? 1 : x)),
            random,
          ),
      },
      /an entry NaN/u,
    ],
    [
      'a variance too small',
      'localRandomiser/variance-bound',
      {
        claims: [{ property: 'variance-bound', statement: '' }],
        varianceBound: (_params, { users }) => users / 2,
      },
      /varianceBound says at most 8/u,
    ],
    [
      'a bias without enumeration',
      'localRandomiser/unbiased',
      {
        varianceBound: (_params, { users }) => 4 * users,
        messageCount: (_params, { dimension }) => dimension,
        randomise: (given, context, record, random) => {
          random.uniform();
          return response().randomise(
            given as never,
            context,
            record.map((x) => x / 2),
            random,
          );
        },
      },
      /the mean of \d+ estimates/u,
    ],
    [
      'an estimate that depends on the order',
      'localRandomiser/order',
      { analyse: (_params, { dimension }, messages) => new Float64Array(dimension).fill(messages[0]) },
      /another order/u,
    ],
    [
      'a bias',
      'localRandomiser/unbiased',
      { analyse: (_params, { dimension }) => new Float64Array(dimension) },
      /on average/u,
    ],
    ['an ε too small', 'localRandomiser/event', { event: event(1.09) }, /the event claims/u],
    [
      'an event for any number of honest users',
      'localRandomiser/honest-users',
      { event: () => ({ kind: 'core/pure', v: 1, epsilon: 5 }) as ReturnType<Own['event']> },
      /must be refused/u,
    ],
    [
      'an ε far too small, by sampling',
      'localRandomiser/hockey-stick',
      { event: event(0.1) },
      /more than is claimed/u,
    ],
  ])('find %s', async (_name, law, bugs, message) => {
    expect((await failing(response(bugs), law))[law]).toMatch(message);
  });
});
