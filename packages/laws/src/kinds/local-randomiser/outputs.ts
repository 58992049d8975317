import {
  makerOf,
  type DomainPlugin,
  type RandomSource,
  type ShuffleContext,
  type Target,
  type Vector,
} from '@lethe/core';
import { enumerate } from '../../engines/exhaustive-random.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

type Of = Subject<'localRandomiser'>;
/** Records of a few users. */
export type Users = readonly (readonly number[])[];

/** Bound on an entry of a record: the parameter `bound` or `radius`, if any, else 1. */
const scaleOf = ({ params }: Of): number =>
  ['bound', 'radius']
    .map((name) => (params as Readonly<Record<string, unknown>>)[name])
    .find((value): value is number => typeof value === 'number' && value > 0) ?? 1;

export const contextOf = (
  dimension: number,
  users: number,
  epsilon = 2,
  honestUsers = users,
): ShuffleContext => ({ dimension, users, honestUsers, target: { epsilon, delta: 1e-6 } });

/** Targets from a typical one to those with the fewest messages. */
const targets: readonly Target[] = [
  { epsilon: 2, delta: 1e-6 },
  { epsilon: 2, delta: 0.05 },
  { epsilon: 4, delta: 0.1 },
  { epsilon: 15, delta: 0.25 },
];

/**
 * Context of the first target with at most `most` messages in total;
 * `undefined` if there is none. All users are honest by default.
 */
export function affordable(
  { plugin, params }: Of,
  dimension: number,
  users: number,
  most = 4_000,
  honestUsers = users,
): ShuffleContext | undefined {
  return targets
    .map((target) => ({ dimension, users, honestUsers, target }))
    .find((context) => {
      const { value } = attempt(() => plugin.messageCount(params, context)) as { readonly value?: number };
      return value !== undefined && !(value * users > most);
    });
}

/** Messages of one user. */
export const sent = (
  { plugin, params }: Of,
  context: ShuffleContext,
  record: readonly number[],
  random: RandomSource,
): Uint32Array => plugin.randomise(params, context, Float64Array.from(record), random);

/** All messages, in the order of users. */
export function gathered(
  subject: Of,
  context: ShuffleContext,
  users: Users,
  random: RandomSource,
): Uint32Array {
  const parts = users.map((record, user) => sent(subject, context, record, random.fork(user)));
  const all = new Uint32Array(parts.reduce((total, { length }) => total + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

/** All messages, shuffled: sorted, since their order carries no information. */
export const shuffled = (
  subject: Of,
  context: ShuffleContext,
  users: Users,
  random: RandomSource,
): Uint32Array => gathered(subject, context, users, random).toSorted();

/**
 * Histogram of the messages for few kinds, else the sorted
 * messages: a list of fixed length with the same information.
 */
export function tally(messages: Uint32Array, kinds: number): ArrayLike<number> {
  if (kinds > 64) return messages.toSorted();
  const counts = new Float64Array(kinds);
  for (const message of messages) counts[Math.min(message, kinds - 1)]++;
  return counts;
}

/** The estimate from the messages. */
export const analysed = ({ plugin, params }: Of, context: ShuffleContext, messages: Uint32Array): Vector =>
  plugin.analyse(params, context, messages);

/** Whether one user sends so few messages that enumeration is feasible. */
export function isBrief({ plugin, params }: Of, context: ShuffleContext): boolean {
  const { value } = attempt(() => plugin.messageCount(params, context)) as { readonly value?: number };
  return value !== undefined && value <= 64;
}

/** Every multiset of messages with its probability; `null` where outputs cannot be enumerated. */
export function multisets(
  subject: Of,
  context: ShuffleContext,
  users: Users,
): ReadonlyMap<string, number> | null {
  const outcomes = enumerate((random) => shuffled(subject, context, users, random).join(' '), {
    limit: 4096,
  });
  if (outcomes === null) return null;
  const total = new Map<string, number>();
  for (const { value, probability } of outcomes) total.set(value, (total.get(value) ?? 0) + probability);
  return total;
}

/** `Σ max(0, P − e^ε Q)`. */
export function hockeyStickOf(
  p: ReadonlyMap<string, number>,
  q: ReadonlyMap<string, number>,
  epsilon: number,
): number {
  const factor = Math.exp(epsilon);
  let sum = 0;
  for (const [key, probability] of p) sum += Math.max(0, probability - factor * (q.get(key) ?? 0));
  return sum;
}

/**
 * Records at the extremes, between, and far outside on both
 * sides; the last two along the first and the last axis.
 */
export const records = (subject: Of, dimension: number): Users => {
  const scale = scaleOf(subject);
  const even = scale / Math.sqrt(dimension);
  const places = Array.from({ length: dimension }, (_, j) => j);
  const corners = [1, -1, 0, 0.5, 40, -40].map((share) =>
    places.map((j) => (j % 2 === 0 ? 1 : -1) * share * even + 0),
  );
  return [
    ...corners,
    places.map((j) => (j === 0 ? scale : 0)),
    places.map((j) => {
      if (j === dimension - 1) return dimension === 1 ? -scale : scale;
      return 0;
    }),
  ];
};

/** The same records, projected to the domain where the estimate is declared unbiased. */
export function recordsWithin({ plugin, params, ...subject }: Of, dimension: number, rows: Users): Users {
  const ref = plugin.domain?.(params, dimension);
  if (ref === undefined) return rows;
  const maker = (makerOf(ref) ??
    subject.registry.find(({ kind, name }) => kind === 'domain' && name === ref.name)) as
    | DomainPlugin
    | undefined;
  const domain = maker?.build(ref.params, dimension, subject.registry);
  return domain === undefined
    ? rows
    : rows.map((row) => Array.from(domain.projectInto(new Float64Array(dimension), Float64Array.from(row))));
}
