import { setTimeout as sleep } from 'node:timers/promises';
import {
  natsLink,
  publicIdentity,
  refusalOf,
  subjectOf,
  type Identity,
  type NatsConnection,
  type NatsPoints,
  type RefusalCode,
  type RemoteSiloOptions,
} from '@lethe/federation';
import type { Federation } from './federation-schema.js';

/** How a server reaches a silo. */
export interface NamedLink extends RemoteSiloOptions {
  readonly name: string;
  readonly close: () => void;
}

/** What a server reaches its silos with. */
export interface Reach {
  readonly connection: NatsConnection;
  readonly identity: Identity;
  readonly signal: AbortSignal;
  /** Told of each step, in a line. */
  readonly say: (text: string) => void;
  readonly points?: NatsPoints;
}

/** Seconds of a clock that never goes back. */
export const clock = (): number => performance.now() / 1000;

/**
 * A link to a silo that says when the silo is away and when it answers again. A reply that nobody can read is
 * none: it does not end the waiting, which lasts as long as `patience`.
 */
export function linkTo(
  name: string,
  key: string,
  { deadline, patience, server }: Federation,
  { connection, identity, signal, say, points }: Reach,
): NamedLink {
  const siloKey = publicIdentity(key);
  let since = clock();
  let isAway = false;
  /** A reply has come of which it is not known yet whether it can be used. */
  let hasReply = false;
  /** Seconds without an answer after which it is said again. */
  let saidAgain = firstReminder;
  const link = natsLink(connection, subjectOf(siloKey), deadline, points);
  const answers = (): void => {
    if (isAway) say(`${name}: answers`);
    isAway = false;
    hasReply = false;
    saidAgain = firstReminder;
    since = clock();
  };
  return {
    name,
    siloKey,
    identity,
    close: () => link.close(),
    ...(points === undefined ? {} : { points }),
    link: {
      async request(bytes, largest) {
        // Nobody has complained of the reply before.
        if (hasReply) answers();
        const reply = await link.request(bytes, largest);
        hasReply = true;
        return reply;
      },
    },
    clock,
    attempts: Infinity,
    async pause(failures, reason) {
      signal.throwIfAborted();
      if (hasReply && !unusable.has(refusalOf(reason))) answers();
      hasReply = false;
      const isOwner = refusalOf(reason) === 'waiting-for-owner';
      const waited = clock() - since;
      if (!isOwner && (!isAway || waited > saidAgain)) {
        if (isAway) saidAgain *= 2;
        isAway = true;
        const why = reason instanceof Error ? ` (${reason.message})` : '';
        const until = timeOf(Date.now() + 1000 * (patience - waited));
        say(`${name}: does not answer by ${server}${why}; waiting until ${until}, patience is ${patience} s`);
      }
      if (waited > patience) throw reason;
      await sleep(1000 * Math.min(2, 0.05 * 2 ** Math.min(failures, 6)));
    },
  };
}

/** Refusals of replies that anybody may have sent. */
const unusable: ReadonlySet<string | undefined> = new Set<RefusalCode>([
  'malformed-frame',
  'wrong-tag',
  'wrong-plan',
  'wrong-run',
  'wrong-party',
  'wrong-kind',
  'wrong-length',
]);
const firstReminder = 60;
/** The time of a day, for messages. */
export const timeOf = (time: number): string => new Date(time).toLocaleTimeString('en-GB');
