import { openLog, type Store } from '@lethe/core';
import { sumParameters, type SumParameters, type Width, type Words } from '@lethe/mechanisms';
import { decode, encode } from '@lethe/numerics';
import type { Kind } from '../frame.js';
import type { Identity } from '../identity.js';
import { publicIdentity } from '../identity.js';
import type { SealedPlan } from '../plan.js';
import { refusal } from '../refusal.js';
import type { RemoteSilo } from '../remote-silo.js';
import type { SiloExtension } from '../silo.js';
import type { SumPeer } from './server.js';
import {
  signedBefore,
  sumSilo,
  type Revealed,
  type SignedKey,
  type SignedRounds,
  type SumName,
  type SumSilo,
} from './silo.js';
import { bytesOfWords, wordsFrom } from './words.js';

/**
 * Parameters and width of the sums of a plan.
 *
 * @throws a refusal of a plan without them, or with others than they imply.
 */
export function sumsOf({ plan }: SealedPlan): { readonly parameters: SumParameters; readonly width: Width } {
  const { secure, silos } = plan;
  if (secure === undefined) throw refusal('wrong-kind', 'the plan has no secure sums', {});
  const parameters = sumParameters({ silos: silos.length, ...secure });
  if (parameters.threshold !== secure.threshold)
    throw refusal(
      'wrong-set',
      `the plan reveals secrets to ${secure.threshold} silos; it takes ${parameters.threshold}`,
      {
        threshold: secure.threshold,
      },
    );
  return { parameters, width: secure.width };
}

/** Rounds whose sets were signed, on disk before a signature leaves. One log for one run. */
export function storedSignedRounds(store: Store): SignedRounds {
  const log = openLog(store, { magic: 'lethe-signed-sets' });
  let last = (log.records.at(-1) as number | undefined) ?? -1;
  log.forget();
  return {
    note(round) {
      // Sums come in order: a set for an earlier one was signed, or will never be.
      if (round <= last) throw signedBefore(round);
      log.append(round);
      last = round;
    },
  };
}

/** A silo's part in the sums of its run. */
export interface SumExtensionOptions {
  readonly identity: Identity;
  readonly signed: SignedRounds;
  /**
   * The whole values with their noise that the silo adds to a sum; drawn once for a round, and the same in
   * all attempts.
   *
   * @param body - What the server sent with the start of the sum, such as a point.
   */
  valuesOf(round: number, body: Uint8Array): Words;
}

/** Answers the messages of secure sums, one attempt at a time. */
export function sumExtension({ identity, signed, valuesOf }: SumExtensionOptions): SiloExtension {
  let current: { readonly round: number; readonly attempt: number; readonly silo: SumSilo } | null = null;
  const known = new Map<Kind, { readonly name: string; readonly kind: Kind; readonly body: Uint8Array }>();
  return {
    async reply({ kind, round, attempt, body }, { sealed, index }) {
      const { parameters, width } = sumsOf(sealed);
      const name = `${round}/${attempt}`;
      // A step whose reply was lost is told again.
      const told = known.get(kind);
      if (told?.name === name) return told;
      const said = (decode(body) ?? {}) as Readonly<Record<string, unknown>>;
      const step = async (): Promise<{ readonly kind: Kind; readonly body: Uint8Array }> => {
        if (kind === 'keys') {
          if (
            current !== null &&
            (round < current.round || (round === current.round && attempt <= current.attempt))
          )
            throw refusal('wrong-set', `attempt ${attempt} at sum ${round} is past`, { round, attempt });
          const directory = sealed.plan.silos.map(({ key }) => publicIdentity(key));
          const own = { plan: sealed.digest, round, attempt };
          current = {
            round,
            attempt,
            silo: sumSilo({ name: own, parameters, own: index, identity, directory, width, signed }),
          };
          return { kind: 'keys', body: encode(current.silo.advertise()) };
        }
        if (current?.round !== round || current.attempt !== attempt)
          throw refusal('wrong-set', `attempt ${attempt} at sum ${round} was not begun here`, {
            round,
            attempt,
          });
        const { silo } = current;
        switch (kind) {
          case 'shares':
            return { kind, body: encode(await silo.share(listOf<SignedKey>(said['keys']))) };
          case 'start': {
            const values = valuesOf(round, said['body'] as Uint8Array);
            const masked = silo.mask(said['members'] as number[], listOf<Uint8Array>(said['boxes']), values);
            return { kind: 'answer', body: bytesOfWords(masked) };
          }
          case 'set':
            return { kind: 'signature', body: silo.sign(said['survivors'] as number[]) };
          case 'reveal':
            return { kind, body: encode(silo.reveal(listOf<Uint8Array>(said['signatures']))) };
          default:
            throw refusal('wrong-kind', `a secure sum has no messages of kind '${kind}'`, {});
        }
      };
      const reply = await step();
      known.set(kind, { name, ...reply });
      return reply;
    },
  };
}

const listOf = <T>(given: unknown): readonly (T | null)[] => {
  if (Array.isArray(given)) return given as readonly (T | null)[];
  throw refusal('malformed-frame', 'a message of a secure sum has no list', {});
};

/** A silo of a plan with secure sums, as the server of an attempt asks it. */
export function sumPeer(
  remote: RemoteSilo,
  {
    name: { round, attempt },
    length,
    width,
    body,
  }: {
    readonly name: SumName;
    readonly length: number;
    readonly width: Width;
    /** Sent with the start of the sum. */
    readonly body: Uint8Array;
  },
): SumPeer {
  const ask = async (kind: Kind, reply: Kind, content: unknown): Promise<Uint8Array> =>
    (await remote.exchange({ kind, round, attempt, body: encode(content) }, reply)).body;
  return {
    advertise: async () => decode(await ask('keys', 'keys', {})) as SignedKey,
    share: async (keys) => decode(await ask('shares', 'shares', { keys })) as (Uint8Array | null)[],
    mask: async (members, boxes) =>
      wordsFrom(await ask('start', 'answer', { members, boxes, body }), length, width),
    sign: (survivors) => ask('set', 'signature', { survivors }),
    reveal: async (signatures) => decode(await ask('reveal', 'reveal', { signatures })) as Revealed[],
  };
}
