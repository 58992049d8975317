import { eventKindsOf, type ShuffleContext } from '@lethe/core';
import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { countsOf, hockeyStick, sumOf, times } from './count-distribution.js';
import { contextOf, multisets, records } from './outputs.js';

type Of = Subject<'localRandomiser'>;
const epsilons = [0, 0.1, 0.5, 1, 2, 4];
const mostHonest = 2 ** 20;

/**
 * The smallest power of two of honest users with an event, if
 * one user's outputs can be enumerated; and its claimed profile.
 */
function fewest(
  subject: Of,
  dimension: number,
  perHonest: number,
): { readonly context: ShuffleContext; readonly profile: ClaimedProfile } | undefined {
  const kinds = eventKindsOf(subject.registry);
  for (let honest = 1; honest <= mostHonest; honest *= 2) {
    const context = contextOf(dimension, honest * perHonest, 2, honest);
    const { value } = attempt(() => ({
      messages: subject.plugin.messageCount(subject.params, context),
      profile: claimedProfile(subject.plugin.event(subject.params, context), 'replace-one', kinds),
    })) as { readonly value?: { readonly messages: number; readonly profile: ClaimedProfile } };
    // Among so many each adds few fair bits to messages of its own, which may be more than 16 for many
    // levels.
    const most = honest === mostHonest ? 24 : 16;
    if (value !== undefined && !(value.messages > most)) return { context, profile: value.profile };
  }
  return undefined;
}

/** The number of copies of one message reveals no more than all messages. */
export const counts = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/counts',
  kind: 'localRandomiser',
  tier: 'exact',
  elsewhere: 1,
  statement:
    'the number of copies of one message among the honest users has at most the claimed δ(ε), ' +
    'exactly, by enumeration of one user’s outputs; for the fewest honest users with an event, ' +
    'when all users are honest or one in 1024',
  power:
    'an entry that is sent unrandomised, a null record that is not randomised; an ε below that of one ' +
    'count, of the first two messages or the last, with up to 2²⁰ users of 16 messages each',
  check(subject) {
    let tried = 0;
    // Dishonest users send arbitrary messages, which an attacker can subtract.
    for (const [dimension, perHonest] of [
      [1, 1],
      [2, 1],
      [3, 1],
      [1, 1024],
      [2, 1024],
    ] as const) {
      const found = fewest(subject, dimension, perHonest);
      if (found === undefined) continue;
      const { profile, context } = found;
      const users = context.honestUsers;
      const claims = epsilons.map((epsilon) => ({ epsilon, allowed: profile.delta(epsilon) }));
      const sent = records(subject, dimension).map((record) => ({
        record,
        draws: multisets(subject, context, [record]),
      }));
      const values = new Set(
        sent.flatMap(({ draws }) =>
          [...(draws?.keys() ?? [])].flatMap((text) => text.split(' ')).filter((text) => text !== ''),
        ),
      );
      for (const message of [...values].filter((_, i) => i < 2 || i >= values.size - 2))
        for (const other of [sent[2], sent[0]].every(({ draws }) => draws === null)
          ? sent.filter(({ draws }) => draws !== null).slice(0, 1)
          : [sent[2], sent[0]]) {
          if (other.draws === null) continue;
          const others = times(countsOf(other.draws, message), users - 1);
          const all = sent.flatMap(({ record, draws }) =>
            draws === null ? [] : [{ record, law: sumOf(others, countsOf(draws, message)) }],
          );
          for (const here of all)
            for (const there of all)
              for (const { epsilon, allowed } of claims) {
                tried++;
                const measured = hockeyStick(here.law, there.law, epsilon);
                if (!(measured <= allowed + 1e-9))
                  return fails(tried, {
                    what:
                      `the count of message ${message} among the honest of ${context.users} users, ` +
                      `${users}, has δ(${epsilon}) = ${measured}; the event claims ${allowed}`,
                    measured,
                    allowed,
                    input: { here: here.record, there: there.record, others: other.record, context },
                  });
              }
        }
    }
    return tried === 0
      ? skipped(
          'nothing to enumerate: it refuses up to 2²⁰ users, sends more than 16 messages per user, ' +
            'or samples a density; see localRandomiser/hockey-stick',
        )
      : holds(tried);
  },
});
