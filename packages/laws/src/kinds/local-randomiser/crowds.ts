import { eventKindsOf, type ShuffleContext } from '@lethe/core';
import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { countsOf, hockeyStick, sumOf, times } from './count-distribution.js';
import { multisets, records } from './outputs.js';

type Of = Subject<'localRandomiser'>;

/**
 * From much noise to hardly any, so that users send few messages in crowds of a few dozen and of thousands.
 */
const targets = [
  { epsilon: 15, delta: 0.25 },
  { epsilon: 4, delta: 0.1 },
  { epsilon: 2, delta: 0.01 },
] as const;
const mostUsers = 2 ** 13;
/** Messages of one user; of more the outputs are too many for an enumeration. */
const mostMessages = 16;

interface Crowd {
  readonly context: ShuffleContext;
  readonly profile: ClaimedProfile;
}

/**
 * Crowds of 1 and 32 times the fewest users of few messages each; the first also where half of it is honest.
 */
function crowdsOf(subject: Of, dimension: number, target: (typeof targets)[number]): readonly Crowd[] {
  const { plugin, params, registry } = subject;
  const kinds = eventKindsOf(registry);
  const crowdOf = (users: number, honestUsers = users): Crowd | undefined => {
    const context: ShuffleContext = { dimension, users, honestUsers, target };
    const { value } = attempt(() => ({
      messages: plugin.messageCount(params, context),
      profile: claimedProfile(plugin.event(params, context), 'replace-one', kinds),
    })) as { readonly value?: { readonly messages: number; readonly profile: ClaimedProfile } };
    return value === undefined || value.messages > mostMessages
      ? undefined
      : { context, profile: value.profile };
  };
  for (let users = 1; users <= mostUsers; users *= 2) {
    const first = crowdOf(users);
    if (first !== undefined)
      return [
        first,
        ...[32].flatMap((factor) => (factor * users > mostUsers ? [] : (crowdOf(factor * users) ?? []))),
        ...[2, 64].flatMap((factor) =>
          factor * users > mostUsers ? [] : (crowdOf(factor * users, (factor / 2) * users) ?? []),
        ),
      ];
  }
  return [];
}

/** The first count of a message that tells two records apart by more than the claim; `undefined` without. */
function told(
  subject: Of,
  { context, profile }: Crowd,
): { readonly tried: number; readonly violation?: Violation } {
  const { dimension, honestUsers: users, target } = context;
  const { epsilon: aim } = target as { readonly epsilon: number };
  const sent = records(subject, dimension)
    .slice(0, 3)
    .flatMap((record) => {
      const draws = multisets(subject, context, [record]);
      return draws === null ? [] : [{ record, draws }];
    });
  const last = sent.at(-1);
  if (last === undefined) return { tried: 0 };
  const messages = [
    ...new Set(sent.flatMap(({ draws }) => [...draws.keys()].flatMap((text) => text.split(' ')))),
  ];
  let tried = 0;
  for (const message of messages.filter((text, i) => text !== '' && (i < 2 || i >= messages.length - 2))) {
    const others = times(countsOf(last.draws, message), users - 1);
    const all = sent.map(({ record, draws }) => ({ record, law: sumOf(others, countsOf(draws, message)) }));
    for (const here of all)
      for (const there of all)
        for (const epsilon of [aim / 2, aim]) {
          tried++;
          const measured = hockeyStick(here.law, there.law, epsilon);
          const allowed = profile.delta(epsilon);
          if (measured <= allowed + 1e-9) continue;
          return {
            tried,
            violation: {
              what:
                `the count of message ${message} among ${users} honest users has δ(${epsilon}) = ` +
                `${measured}; the event claims ${allowed}`,
              measured,
              allowed,
              input: { here: here.record, there: there.record, others: last.record, context },
            },
          };
        }
  }
  return { tried };
}

/** The event over crowds and targets; over levels by the other parameters of laws that do not sample. */
export const crowds = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/crowds',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'among 1 and 32 times the fewest honest users that send at most 16 messages each, alone and beside ' +
    'as many that are not honest, for three targets, ' +
    'the number of copies of one message has at most the claimed δ(ε), exactly, by enumeration',
  power:
    'randomness that is left out, or the same for all users, in a range of crowds up to 8 192 or of levels',
  check(subject) {
    let tried = 0;
    for (const target of targets) {
      const all = [1, 2].map((dimension) => crowdsOf(subject, dimension, target));
      for (const crowd of all.find(({ length }) => length > 0) ?? []) {
        const found = told(subject, crowd);
        tried += found.tried;
        if (found.violation !== undefined) return fails(tried, found.violation);
      }
    }
    return tried === 0
      ? skipped(
          `nothing to enumerate: it refuses up to ${mostUsers} users, sends more than ${mostMessages} ` +
            'messages per user, or samples a density; see localRandomiser/hockey-stick',
        )
      : holds(tried);
  },
});
