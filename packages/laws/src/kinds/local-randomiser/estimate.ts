import type { RandomSource, ShuffleContext, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { normOf } from '../../engines/norms.js';
import { nonNegativeMean } from '../../evidence/non-negative-mean.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { spreadMean } from '../mean/spread-mean.js';
import { attempt } from '../sampler/declined.js';
import {
  affordable,
  analysed,
  contextOf,
  gathered,
  isBrief,
  multisets,
  records,
  recordsWithin,
  type Users,
} from './outputs.js';

type Of = Subject<'localRandomiser'>;

const sumOf = (users: Users, dimension: number): Vector =>
  Float64Array.from({ length: dimension }, (_, j) => users.reduce((total, record) => total + record[j], 0));

/**
 * Sixteen users with generic records of both signs, equal or different;
 * the last set of records is nearest to a record far outside.
 */
const crowds = (subject: Of, dimension: number): readonly Users[] => {
  const within = recordsWithin(
    subject,
    dimension,
    records(subject, dimension)
      .slice(0, 4)
      .flatMap((record) => [0.37, -0.61].map((by) => record.map((x) => x * by))),
  );
  const [up, , down] = within as readonly [readonly number[], readonly number[], readonly number[]];
  const [far] = recordsWithin(subject, dimension, records(subject, dimension).slice(4, 5)) as readonly [
    readonly number[],
  ];
  const all = (record: readonly number[]): Users => Array.from({ length: 16 }, () => record);
  return [
    all(up),
    all(down),
    Array.from({ length: 16 }, (_, i) => within[i % within.length]),
    all(subject.plugin.domain === undefined ? up : far),
  ];
};

const estimate = (subject: Of, context: ShuffleContext, users: Users, random: RandomSource): Vector =>
  analysed(subject, context, gathered(subject, context, users, random));

/** Whether so many estimates of one user take no longer than fewer ones of sixteen. */
const isAffordable = ({ plugin, params }: Of, context: ShuffleContext): boolean =>
  ((attempt(() => plugin.messageCount(params, context)) as { readonly value?: number }).value ?? Infinity) <=
  500;

/** The declared variance, if any. */
const declared = ({ plugin, params }: Of, context: ShuffleContext): number | undefined =>
  (attempt(() => plugin.varianceBound?.(params, context)) as { readonly value?: number }).value;

/** The estimate is unbiased. */
export const unbiased = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/unbiased',
  kind: 'localRandomiser',
  tier: 'statistical',
  onClaim: true,
  statement:
    'the expected estimate is the sum of the records, for records in the domain: ' +
    'by enumeration for one and two users; by e-processes on estimates for sixteen users, ' +
    'half of them declared honest, and for one user at ε = 15, where a variance is declared',
  power:
    'enumeration: a bias of 10⁻⁹ of the bound; sampling: a bias of a third of the declared standard ' +
    'deviation, in 800 estimates, and of a fourteenth in 32 000 estimates of one user',
  check(subject, env) {
    let tried = 0;
    for (const dimension of [1, 2, 5, 33]) {
      if (dimension > 2 && !isBrief(subject, contextOf(dimension, 1))) continue;
      const rows = recordsWithin(subject, dimension, records(subject, dimension).slice(0, 4));
      for (const users of [
        ...rows.slice(0, dimension > 2 ? 2 : 4).map((record) => [record]),
        ...(dimension > 2 ? [] : [rows.slice(0, 2)]),
      ] as readonly Users[]) {
        const context = contextOf(dimension, users.length);
        const { value: found } = attempt(() => multisets(subject, context, users)) as {
          readonly value?: ReadonlyMap<string, number> | null;
        };
        if (found === null || found === undefined) continue;
        tried++;
        const mean = new Float64Array(dimension);
        for (const [text, probability] of found)
          analysed(
            subject,
            context,
            Uint32Array.from(text === '' ? [] : text.split(' ').map(Number)),
          ).forEach((x, j) => {
            mean[j] += probability * x;
          });
        const sum = sumOf(users, dimension);
        const off = Math.max(...mean.map((x, j) => Math.abs(x - sum[j])));
        const size = 1 + Math.max(...sum.map(Math.abs));
        if (!(off <= 1e-9 * size))
          return fails(tried, {
            what:
              `the estimate is [${mean.join(', ')}] on average; ` +
              `the sum of the records is [${sum.join(', ')}]`,
            measured: off,
            allowed: 1e-9 * size,
            input: users,
          });
      }
      // The number of honest users matters for privacy, not for the estimate.
      const joint = affordable(subject, dimension, 16, 1_500, 8) ?? affordable(subject, dimension, 16, 1_500);
      if (joint === undefined || dimension > 2 || !((declared(subject, joint) ?? NaN) > 0)) continue;
      const alone = { ...contextOf(dimension, 1), target: { epsilon: 15, delta: 0.25 } };
      const sampled = [
        ...crowds(subject, dimension).map((users) => ({ users, context: joint, most: 800 })),
        ...(dimension > 1 || !isAffordable(subject, alone) || !((declared(subject, alone) ?? NaN) > 0)
          ? []
          : [{ users: rows.slice(0, 1), context: alone, most: 32_000 }]),
      ];
      for (const [i, { users, context, most }] of sampled.entries()) {
        const truth = sumOf(users, dimension);
        const variance = defined(declared(subject, context));
        const horizon = env.samples(most);
        const alpha = env.alpha / 9;
        const sum = new Float64Array(dimension);
        const process = spreadMean({
          atMost: 1e-12 * Math.sqrt(variance),
          variance,
          horizon,
          alpha,
        });
        const random = env.random(`${dimension} ${i}`);
        for (let seen = 0; seen < horizon + 50; seen++) {
          const off = estimate(subject, context, users, random.fork(seen)).map((x, j) => x - truth[j]);
          const length = normOf('l2', sum);
          tried++;
          // The bets use the direction of the observed bias, which needs some samples first.
          if (seen >= 50)
            process.push(length === 0 ? 0 : off.reduce((total, x, j) => total + (x * sum[j]) / length, 0));
          off.forEach((x, j) => {
            sum[j] += x;
          });
          if (!process.rejects(alpha)) continue;
          const mean = sum.map((x) => x / (seen + 1));
          return fails(tried, {
            what:
              `the mean of ${seen + 1} estimates for ${users.length} users has an error of ` +
              `[${mean.join(', ')}]; ` +
              `the sum of their records is [${truth.join(', ')}]`,
            measured: normOf('l2', mean),
            allowed: 0,
            logE: process.peak - Math.log(9),
            input: { users, context },
          });
        }
      }
    }
    return tried === 0
      ? skipped('its outputs cannot be enumerated, and it declares no variance for a test by samples')
      : holds(tried);
  },
});

/** The declared variance bounds the variance of the estimate. */
export const varianceBound = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/variance-bound',
  kind: 'localRandomiser',
  tier: 'statistical',
  exempt: ({ plugin }) => (plugin.varianceBound === undefined ? 'it declares no varianceBound' : undefined),
  statement:
    'the variance of the estimate is at most varianceBound for any records: ' +
    'by e-processes on estimates for sixteen users, half of them declared honest',
  power:
    'a bound of half the variance, in 600 pairs of estimates; a bound too small by a fifth in 6 000 ' +
    'pairs at null records, if each user sends few messages',
  check(subject, env) {
    let tried = 0;
    for (const dimension of [1, 2]) {
      const context =
        affordable(subject, dimension, 16, 1_500, 8) ?? affordable(subject, dimension, 16, 1_500);
      const bound = context && declared(subject, context);
      if (context === undefined) continue;
      if (bound === undefined || !(bound > 0 && bound < Infinity))
        return fails(tried + 1, {
          what:
            `varianceBound is ${bound} for 16 users and dimension ${dimension}; ` +
            'it must be positive and finite',
          input: context,
        });
      const [zero] = recordsWithin(subject, dimension, records(subject, dimension).slice(2, 3)) as readonly [
        readonly number[],
      ];
      for (const [i, users] of [
        ...crowds(subject, dimension).slice(0, 3),
        Array.from({ length: 16 }, () => zero),
      ].entries()) {
        const process = nonNegativeMean({ atMost: bound });
        const alpha = env.alpha / 8;
        const runs = () => {
          if (i < 3) return 250;
          return subject.plugin.messageCount(subject.params, context) <= 4 ? 6000 : 600;
        };
        const count = env.samples(runs());
        const random = env.random(`${dimension} ${i}`);
        let total = 0;
        for (let pair = 1; pair <= count; pair++) {
          const a = estimate(subject, context, users, random.fork(2 * pair));
          const b = estimate(subject, context, users, random.fork(2 * pair + 1));
          const half =
            normOf(
              'l2',
              a.map((x, j) => x - b[j]),
            ) **
              2 /
            2;
          tried++;
          total += half;
          process.push(half);
          if (process.rejects(alpha))
            return fails(tried, {
              what:
                `half the mean squared distance of ${pair} pairs of estimates for 16 users is ` +
                `${total / pair}; varianceBound says at most ${bound}`,
              measured: total / pair,
              allowed: bound,
              logE: process.peak - Math.log(8),
              input: { users, context },
            });
        }
      }
    }
    return tried === 0 ? skipped('it refuses every context tried') : holds(tried);
  },
});
