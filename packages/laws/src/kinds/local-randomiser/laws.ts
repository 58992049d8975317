import { eventKindsOf, LetheError, type ShuffleContext } from '@lethe/core';
import { claimedProfile, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { audit } from '../../engines/audit.js';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';
import { affordable, analysed, contextOf, gathered, hockeyStickOf, isBrief, multisets, records, sent, shuffled, tally, type Users } from './outputs.js';

const dimensions = [1, 2, 3];

/** How many messages a user sends tells nothing of the record. */
export const messages = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/messages', kind: 'localRandomiser', tier: 'exact',
  statement: 'every user sends messageCount messages, whatever the record, the null record included, whose messages are sent for a record that is not finite too; the same coins send the same, and the record is left alone',
  power: 'a count that depends on record or coins, at eight records, three dimensions and 20 seeds',
  check: (subject, env) => firstOf((function* () {
    for (const dimension of dimensions) {
      const context = affordable(subject, dimension, 3);
      if (context === undefined) continue;
      const count = subject.plugin.messageCount(subject.params as never, context);
      yield Number.isSafeInteger(count) && count >= 0 ? undefined : { what: `messageCount is ${count}; it must be a whole number`, measured: count };
      for (const record of records(subject, dimension)) {
        for (let k = 0; k < 20; k++) {
          const given = Float64Array.from(record), random = env.random(`${dimension} ${k}`), found = subject.plugin.randomise(subject.params as never, context, given, random);
          yield found instanceof Uint32Array && found.length === count ? undefined : { what: `the record [${record.join(', ')}] sends ${found?.length} messages; messageCount says ${count}`, measured: found?.length, allowed: count, input: record };
          yield sameBits(given, Float64Array.from(record)) ? undefined : { what: 'it changes the record', input: record };
          yield sameBits(found, sent(subject, context, record, env.random(`${dimension} ${k}`))) ? undefined : { what: 'with the same coins it sends other messages', input: record };
        }
      }
      const zero = Array.from({ length: dimension }, () => 0);
      for (const bad of [NaN, Infinity, -Infinity]) for (let k = 0; k < 20; k++) {
        const nulled = sent(subject, context, zero, env.random(`${dimension} ${k}`)), found = sent(subject, context, zero.map((_, j) => (j === k % dimension ? bad : 1)), env.random(`${dimension} ${k}`));
        yield sameBits(found, nulled) ? undefined : { what: `a record with an entry ${bad} does not send what the null record sends`, input: { dimension } };
      }
    }
  })()),
});

/** Who sent what is lost, and nothing is made of it. */
export const order = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/order', kind: 'localRandomiser', tier: 'search',
  statement: 'analyse gives a vector of finite numbers, the same to rounding in whatever order the messages come, and leaves the messages alone',
  power: 'an estimate that depends on the order by more than 10⁻⁹ of its size, 24 multisets in ten orders',
  check: (subject, env) => firstOf((function* () {
    for (const dimension of dimensions) {
      const users: Users = [...records(subject, dimension), ...records(subject, dimension)], context = affordable(subject, dimension, users.length);
      if (context === undefined) continue;
      for (let k = 0; k < 8; k++) {
        const all = shuffled(subject, context, users, env.random(k)).toReversed(), once = analysed(subject, context, all.slice());
        if (!(once instanceof Float64Array) || once.length !== dimension || !once.every(Number.isFinite)) { yield { what: `analyse gives [${Array.from(once ?? []).join(', ')}]; it must be ${dimension} finite numbers` }; continue; }
        const kept = all.slice();
        analysed(subject, context, kept);
        yield sameBits(kept, all) ? undefined : { what: 'analyse changes the messages' };
        const random = env.random(`order ${k}`), size = Math.max(1e-300, ...once.map(Math.abs), all.length);
        for (let turn = 0; turn < 10; turn++) {
          const other = Uint32Array.from(Array.from(all, (message) => [random.uniform(), message] as const).toSorted(([a], [b]) => a - b), ([, message]) => message);
          const again = analysed(subject, context, other), off = Math.max(...again.map((x, j) => Math.abs(x - once[j]!)));
          yield off <= 1e-9 * size ? undefined : { what: `the same messages in another order give [${again.join(', ')}] in place of [${once.join(', ')}]: their order is not to be relied on`, measured: off, allowed: 1e-9 * size, input: Array.from(other) };
        }
      }
    }
  })()),
});

const epsilons = [0, 0.1, 0.5, 1, 2, 4];
const claimed = (subject: Subject<'localRandomiser'>, context: ShuffleContext): ClaimedProfile | undefined => {
  const kinds = eventKindsOf(subject.registry);
  const { value } = attempt(() => claimedProfile(subject.plugin.event(subject.params as never, context), 'replace-one', kinds)) as { readonly value?: ClaimedProfile };
  return value;
};

/** Pairs of neighbours among one or two users. */
const neighbours = (subject: Subject<'localRandomiser'>, dimension: number): readonly (readonly [Users, Users])[] => {
  const [up, down, zero, half] = records(subject, dimension) as readonly [readonly number[], readonly number[], readonly number[], readonly number[]];
  const [first, last] = records(subject, dimension).slice(-2) as [readonly number[], readonly number[]];
  return [[[up], [down]], [[first], [last]], [[up], [zero]], [[half], [down]], [[up, zero], [down, zero]], [[up, up], [down, up]]];
};

/** What the messages of honest users tell is what the event says. */
export const event = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/event', kind: 'localRandomiser', tier: 'exact',
  statement: 'with as many honest users as the event is asked for, the shuffled messages of neighbouring data are no easier to tell apart than it claims: by enumeration, for one and two users; where it refuses so few, nothing is claimed',
  power: 'an ε too small by 10⁻⁹, where every draw can be listed',
  check(subject) {
    let tried = 0;
    for (const dimension of [...dimensions, 6]) {
      const isLong = dimension > 3;
      if (isLong && !isBrief(subject, contextOf(dimension, 1))) continue;
      for (const epsilon of [0.5, 2]) {
        for (const [here, there] of neighbours(subject, dimension)) {
          if (isLong && here.length > 1) continue;
          const context = contextOf(dimension, here.length, epsilon), profile = claimed(subject, context);
          const [p, q] = profile === undefined ? [null, null] : [multisets(subject, context, here), multisets(subject, context, there)];
          if (profile === undefined || p === null || q === null) continue;
          for (const at of epsilons) {
            tried++;
            const found = Math.max(hockeyStickOf(p, q, at), hockeyStickOf(q, p, at)), allowed = profile.delta(at);
            if (!(found <= allowed + 1e-9)) return fails(tried, { what: `the messages of ${here.length} honest user${here.length > 1 ? 's' : ''} have δ(${at}) = ${found}; the event claims ${allowed}`, measured: found, allowed, input: { here, there, context } });
          }
        }
      }
    }
    return tried === 0 ? skipped('nothing to enumerate: it refuses one and two users, or draws from a density; see localRandomiser/hockey-stick') : holds(tried);
  },
});

/** The same from outside, for any draws. */
export const hockeyStick = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/hockey-stick', kind: 'localRandomiser', tier: 'statistical',
  statement: 'the shuffled messages of four users, or of as many as the event needs, one of whom changes, are no easier to tell apart than the event claims',
  power: 'an event that claims ε = 0.5 for messages of ε = 2, within 6 000 pairs',
  cells: () => [{ name: 'replaced', values: { dimension: 1 } }, { name: 'nulled, two coordinates', values: { dimension: 2 } }, { name: 'replaced among equals, two coordinates', values: { dimension: 2, equals: true } }],
  check(subject, env) {
    const dimension = Number(env.cell.values?.['dimension'] ?? 1), [up, down, zero] = records(subject, dimension) as readonly [readonly number[], readonly number[], readonly number[]];
    const context = [4, 16, 64, 256].map((users) => affordable(subject, dimension, users, 50_000)).find((some) => some !== undefined && claimed(subject, some) !== undefined);
    const profile = context && claimed(subject, context);
    if (context === undefined || profile === undefined) return skipped('it refuses 256 honest users and this dimension, or nothing is known of what its event costs');
    const equals = env.cell.values?.['equals'] === true, others = Array.from({ length: context.users - 1 }, () => (equals ? up : zero));
    const [here, there]: readonly [Users, Users] = [[up, ...others], [dimension === 1 || equals ? down : zero, ...others]];
    const first = shuffled(subject, context, here, env.random('kinds')), kinds = Math.max(first.at(-1) ?? 0, shuffled(subject, context, there, env.random('kinds')).at(-1) ?? 0) + 1;
    const pairs = Math.min(6_000, Math.max(250, Math.ceil(4e6 / (first.length + 40 * context.users))));
    return audit({ draw: (neighbour, random) => tally(gathered(subject, context, neighbour === 0 ? here : there, random), kinds), profile: profile.delta, pairs: env.samples(pairs), alpha: env.alpha, random: env.random('audit') });
  },
});

/** Honest users are the privacy, and may not be wished for. */
export const honestUsers = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/honest-users', kind: 'localRandomiser', tier: 'exact',
  statement: 'the event is refused by a typed error below the number of honest users it needs and for numbers that are none; above, more honest users never cost more, for messages that stay the same',
  power: 'certain for six bad numbers, and at 1 to 4096 users',
  check: (subject) => firstOf((function* () {
    // The first that it takes.
    const dimension = dimensions.find((some) => [1, 64, 4096].some((users) => 'value' in outcomeOf(() => subject.plugin.event(subject.params as never, contextOf(some, users, 1))))) ?? 1;
    const cost = (context: ShuffleContext): ReturnType<typeof outcomeOf<number>> => outcomeOf(() => {
      const kinds = eventKindsOf(subject.registry);
      return claimedProfile(subject.plugin.event(subject.params as never, context), 'replace-one', kinds).delta(0.1);
    });
    for (const bad of [NaN, -1, 0.5, Infinity, 9, 1e9]) {
      const outcome = outcomeOf(() => subject.plugin.event(subject.params as never, contextOf(dimension, 8, 1, bad)));
      if ('value' in outcome) yield { what: `with ${bad} honest users of 8 it has an event; it must be refused`, input: outcome.value };
      else yield outcome.error instanceof LetheError ? undefined : { what: `with ${bad} honest users of 8 it throws ${outcome.message}; it must be a typed error`, cause: outcome.error };
    }
    let before: { readonly honest: number; readonly delta: number } | undefined;
    for (let honest = 1; honest <= 4096; honest *= 2) {
      const outcome = cost(contextOf(dimension, 4096, 1, honest));
      if ('value' in outcome) {
        const delta = outcome.value;
        yield before === undefined || delta <= before.delta * (1 + 1e-9) ? undefined : { what: `with ${honest} honest users of 4096 δ(0.1) is ${delta}, with ${before.honest} it is ${before.delta}: more honest users cost more`, measured: delta, allowed: before.delta } satisfies Violation;
        before = { honest, delta };
      } else if (!(outcome.error instanceof LetheError)) yield { what: `with ${honest} honest users of 4096 it throws ${outcome.message}; a refusal is a typed error`, cause: outcome.error };
      else yield before === undefined ? undefined : { what: `with ${honest} honest users it is refused, with ${before.honest} it is not: ${outcome.message}` };
    }
  })()),
});
