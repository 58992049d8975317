import { eventKindsOf, LetheError, type RandomSource, type ShuffleContext } from '@lethe/core';
import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { audit } from '../../engines/audit.js';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';
import {
  affordable,
  analysed,
  contextOf,
  gathered,
  hockeyStickOf,
  isBrief,
  multisets,
  records,
  sent,
  shuffled,
  tally,
  type Users,
} from './outputs.js';

const dimensions = [1, 2, 3];

/** The number of messages of a user does not depend on the record. */
export const messages = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/messages',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'every user sends messageCount messages for any record, the null record included; ' +
    'a record that is not finite sends the messages of the null record; equal randomness gives equal ' +
    'messages, and the record is not modified',
  power: 'a count that depends on record or randomness, at eight records, three dimensions and 20 seeds',
  check: (subject, env) =>
    firstOf(
      (function* () {
        for (const dimension of dimensions) {
          const context = affordable(subject, dimension, 3);
          if (context === undefined) continue;
          const count = subject.plugin.messageCount(subject.params, context);
          yield Number.isSafeInteger(count) && count >= 0
            ? undefined
            : { what: `messageCount is ${count}; it must be a whole number`, measured: count };
          for (const record of records(subject, dimension)) {
            for (let k = 0; k < 20; k++) {
              const given = Float64Array.from(record);
              const random = env.random(`${dimension} ${k}`);
              const found = subject.plugin.randomise(subject.params, context, given, random);
              yield found instanceof Uint32Array && found.length === count
                ? undefined
                : {
                    what:
                      `the record [${record.join(', ')}] sends ${found?.length} messages; ` +
                      `messageCount says ${count}`,
                    measured: found?.length,
                    allowed: count,
                    input: record,
                  };
              yield sameBits(given, Float64Array.from(record))
                ? undefined
                : { what: 'the call modified the record', input: record };
              yield sameBits(found, sent(subject, context, record, env.random(`${dimension} ${k}`)))
                ? undefined
                : { what: 'equal randomness gives different messages', input: record };
            }
          }
          const zero = Array.from({ length: dimension }, () => 0);
          for (const bad of [NaN, Infinity, -Infinity])
            for (let k = 0; k < 20; k++) {
              const nulled = sent(subject, context, zero, env.random(`${dimension} ${k}`));
              const found = sent(
                subject,
                context,
                zero.map((_, j) => (j === k % dimension ? bad : 1)),
                env.random(`${dimension} ${k}`),
              );
              yield sameBits(found, nulled)
                ? undefined
                : {
                    what: `a record with an entry ${bad} does not send what the null record sends`,
                    input: { dimension },
                  };
            }
        }
      })(),
    ),
});

/** The estimate does not depend on the order of messages, which a shuffler destroys. */
export const order = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/order',
  kind: 'localRandomiser',
  tier: 'search',
  statement:
    'analyse returns a vector of finite numbers, equal up to rounding for any order of the messages, ' +
    'and does not modify the messages',
  power: 'a dependence on the order of more than 10⁻⁹ of the estimate, for 24 multisets in ten orders',
  check: (subject, env) =>
    firstOf(
      (function* () {
        for (const dimension of dimensions) {
          const users: Users = [...records(subject, dimension), ...records(subject, dimension)];
          const context = affordable(subject, dimension, users.length);
          if (context === undefined) continue;
          for (let k = 0; k < 8; k++) {
            const all = shuffled(subject, context, users, env.random(k)).toReversed();
            const once = analysed(subject, context, all.slice());
            if (
              !(once instanceof Float64Array) ||
              once.length !== dimension ||
              !once.every(Number.isFinite)
            ) {
              yield {
                what:
                  `analyse returns [${Array.from(once ?? []).join(', ')}]; ` +
                  `it must be ${dimension} finite numbers`,
              };
              continue;
            }
            const kept = all.slice();
            analysed(subject, context, kept);
            yield sameBits(kept, all) ? undefined : { what: 'analyse modified the messages' };
            const random = env.random(`order ${k}`);
            const size = Math.max(1e-300, ...once.map(Math.abs), all.length);
            for (let turn = 0; turn < 10; turn++) {
              const other = Uint32Array.from(
                Array.from(all, (message) => [random.uniform(), message] as const).toSorted(
                  ([a], [b]) => a - b,
                ),
                ([, message]) => message,
              );
              const again = analysed(subject, context, other);
              const off = Math.max(...again.map((x, j) => Math.abs(x - once[j])));
              yield off <= 1e-9 * size
                ? undefined
                : {
                    what:
                      `the same messages in another order give [${again.join(', ')}] in place of ` +
                      `[${once.join(', ')}]: the estimate must not depend on the order`,
                    measured: off,
                    allowed: 1e-9 * size,
                    input: Array.from(other),
                  };
            }
          }
        }
      })(),
    ),
});

const epsilons = [0, 0.1, 0.5, 1, 2, 4];
const claimed = (
  subject: Subject<'localRandomiser'>,
  context: ShuffleContext,
): ClaimedProfile | undefined => {
  const kinds = eventKindsOf(subject.registry);
  const { value } = attempt(() =>
    claimedProfile(subject.plugin.event(subject.params, context), 'replace-one', kinds),
  ) as { readonly value?: ClaimedProfile };
  return value;
};

/** Pairs of neighbours among one or two users. */
const neighbours = (
  subject: Subject<'localRandomiser'>,
  dimension: number,
): readonly (readonly [Users, Users])[] => {
  const [up, down, zero, half] = records(subject, dimension) as readonly [
    readonly number[],
    readonly number[],
    readonly number[],
    readonly number[],
  ];
  const [first, last] = records(subject, dimension).slice(-2) as [readonly number[], readonly number[]];
  return [
    [[up], [down]],
    [[first], [last]],
    [[up], [zero]],
    [[half], [down]],
    [
      [up, zero],
      [down, zero],
    ],
    [
      [up, up],
      [down, up],
    ],
  ];
};

/** The messages of honest users have at most the claimed cost. */
export const event = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/event',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'the shuffled messages of the declared number of honest users on neighbouring ' +
    'data have at most the claimed δ(ε): by enumeration for one and two users; ' +
    'where the event refuses so few, there is no claim',
  power: 'an ε too small by 10⁻⁹, where the outputs can be enumerated',
  check(subject) {
    let tried = 0;
    for (const dimension of [...dimensions, 6, 12]) {
      const isLong = dimension > 3;
      if (isLong && !isBrief(subject, contextOf(dimension, 1))) continue;
      for (const epsilon of [0.5, 2]) {
        for (const [here, there] of neighbours(subject, dimension)) {
          if (isLong && here.length > 1) continue;
          const context = contextOf(dimension, here.length, epsilon);
          const profile = claimed(subject, context);
          const [p, q] =
            profile === undefined
              ? [null, null]
              : [multisets(subject, context, here), multisets(subject, context, there)];
          if (profile === undefined || p === null || q === null) continue;
          for (const at of epsilons) {
            tried++;
            const found = Math.max(hockeyStickOf(p, q, at), hockeyStickOf(q, p, at));
            const allowed = profile.delta(at);
            if (!(found <= allowed + 1e-9))
              return fails(tried, {
                what:
                  `the messages of ${here.length} honest user${here.length > 1 ? 's' : ''} have ` +
                  `δ(${at}) = ${found}; the event claims ${allowed}`,
                measured: found,
                allowed,
                input: { here, there, context },
              });
          }
        }
      }
    }
    return tried === 0
      ? skipped(
          'nothing to enumerate: it refuses one and two users, or samples a density; ' +
            'see localRandomiser/hockey-stick',
        )
      : holds(tried);
  },
});

/** The same by sampling, for any outputs. */
export const hockeyStick = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/hockey-stick',
  kind: 'localRandomiser',
  tier: 'statistical',
  statement:
    'the shuffled messages of four users, or of as many as the event needs, one of whom changes, ' +
    'have at most the claimed δ(ε)',
  power: 'an event that claims ε = 0.5 for messages of ε = 2, within 6 000 pairs',
  cells: () => [
    { name: 'replaced', values: { dimension: 1 } },
    { name: 'nulled, two coordinates', values: { dimension: 2 } },
    { name: 'replaced among equals, two coordinates', values: { dimension: 2, equals: true } },
    { name: 'from the first to the last of 50 coordinates', values: { dimension: 50, axes: true } },
  ],
  check(subject, env) {
    const dimension = Number(env.cell.values?.['dimension'] ?? 1);
    const [up, down, zero] = records(subject, dimension) as readonly [
      readonly number[],
      readonly number[],
      readonly number[],
    ];
    const context = [4, 16, 64, 256]
      .map((users) => affordable(subject, dimension, users, 50_000))
      .find((some) => some !== undefined && claimed(subject, some) !== undefined);
    const profile = context && claimed(subject, context);
    if (context === undefined || profile === undefined)
      return skipped('it refuses 256 honest users in this dimension, or the cost of its event is unknown');
    const equals = env.cell.values?.['equals'] === true;
    const others = Array.from({ length: context.users - 1 }, () => (equals ? up : zero));
    const [first, last] = records(subject, dimension).slice(-2);
    const axes = env.cell.values?.['axes'] === true;
    const other = dimension === 1 || equals ? down : zero;
    const [here, there]: readonly [Users, Users] = [
      [axes ? first : up, ...others],
      [axes ? last : other, ...others],
    ];
    const sample = shuffled(subject, context, here, env.random('kinds'));
    const kinds =
      Math.max(sample.at(-1) ?? 0, shuffled(subject, context, there, env.random('kinds')).at(-1) ?? 0) + 1;
    const pairs = Math.min(6_000, Math.max(250, Math.ceil(4e6 / (sample.length + 40 * context.users))));
    const gatheredBy = (neighbour: number, random: RandomSource): Uint32Array =>
      gathered(subject, context, neighbour === 0 ? here : there, random);
    // Of many kinds of messages only the one that tells most in a few draws is counted.
    const telling = axes ? tellingKind(gatheredBy, env.random('pilot')) : undefined;
    return audit({
      draw(neighbour, random) {
        const all = gatheredBy(neighbour, random);
        return telling === undefined
          ? tally(all, kinds)
          : [all.reduce((count, message) => count + Number(message === telling), 0)];
      },
      profile: profile.delta,
      pairs: env.samples(pairs),
      most: pairs,
      alpha: env.alpha,
      random: env.random('audit'),
    });
  },
});

/** The message whose number differs most between neighbours, in a hundred draws of each. */
function tellingKind(
  gatheredBy: (neighbour: number, random: RandomSource) => Uint32Array,
  random: RandomSource,
): number {
  const lead = new Map<number, number>();
  for (let i = 0; i < 100; i++)
    for (const neighbour of [0, 1])
      for (const message of gatheredBy(neighbour, random.fork(2 * i + neighbour)))
        lead.set(message, (lead.get(message) ?? 0) + (neighbour === 0 ? 1 : -1));
  return [...lead].reduce((best, one) => (Math.abs(one[1]) > Math.abs(best[1]) ? one : best), [0, 0])[0];
}

/** Privacy depends on the number of honest users, so invalid numbers are refused. */
export const honestUsers = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/honest-users',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'the event throws a typed error below the number of honest users it needs and for invalid numbers; ' +
    'above, the cost is non-increasing in the number of honest users, for equal messages',
  power: 'certain for six invalid numbers, and at 1 to 4096 users',
  check: (subject) =>
    firstOf(
      (function* () {
        // The first dimension that it accepts.
        const dimension =
          dimensions.find((some) =>
            [1, 64, 4096].some(
              (users) =>
                'value' in outcomeOf(() => subject.plugin.event(subject.params, contextOf(some, users, 1))),
            ),
          ) ?? 1;
        const cost = (context: ShuffleContext): ReturnType<typeof outcomeOf<number>> =>
          outcomeOf(() => {
            const kinds = eventKindsOf(subject.registry);
            return claimedProfile(subject.plugin.event(subject.params, context), 'replace-one', kinds).delta(
              0.1,
            );
          });
        for (const bad of [NaN, -1, 0.5, Infinity, 9, 1e9]) {
          const outcome = outcomeOf(() =>
            subject.plugin.event(subject.params, contextOf(dimension, 8, 1, bad)),
          );
          if ('value' in outcome)
            yield {
              what: `with ${bad} honest users of 8 it has an event; it must be refused`,
              input: outcome.value,
            };
          else
            yield outcome.error instanceof LetheError
              ? undefined
              : {
                  what:
                    `with ${bad} honest users of 8 it throws ` +
                    `${outcome.message}; it must be a typed error`,
                  cause: outcome.error,
                };
        }
        let before: { readonly honest: number; readonly delta: number } | undefined;
        for (let honest = 1; honest <= 4096; honest *= 2) {
          const outcome = cost(contextOf(dimension, 4096, 1, honest));
          if ('value' in outcome) {
            const delta = outcome.value;
            yield before === undefined || delta <= before.delta * (1 + 1e-9)
              ? undefined
              : ({
                  what:
                    `with ${honest} honest users of 4096 δ(0.1) is ${delta}, with ${before.honest} it is ` +
                    `${before.delta}: more honest users cost more`,
                  measured: delta,
                  allowed: before.delta,
                } satisfies Violation);
            before = { honest, delta };
          } else if (!(outcome.error instanceof LetheError))
            yield {
              what:
                `with ${honest} honest users of 4096 it throws ${outcome.message}; ` +
                'a refusal is a typed error',
              cause: outcome.error,
            };
          else
            yield before === undefined
              ? undefined
              : {
                  what:
                    `with ${honest} honest users it is refused, ` +
                    `with ${before.honest} it is not: ${outcome.message}`,
                };
        }
      })(),
    ),
});
