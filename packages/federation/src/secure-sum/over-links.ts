import { decode, encode } from '@lethe/numerics';
import type { Words } from '@lethe/mechanisms';
import type { Kind, Message } from '../frame.js';
import { publicIdentity, type Identity } from '../identity.js';
import { sumsOf, type SealedPlan } from '../plan.js';
import { refusal } from '../refusal.js';
import { revealedForm, saidIn } from '../said.js';
import { sumSilo, type SignedKey, type SignedRounds, type SumSilo } from './silo.js';
import type { SumPeer } from './server.js';
import { bytesOfWords, wordsFrom } from './words.js';

/** Kinds of messages of a secure sum, in the order of its steps. */
export const sumKinds: ReadonlySet<Kind> = new Set(['keys', 'shares', 'start', 'set', 'reveal']);

const digestSize = 16;

/** A silo's part in the sums of its run. */
export interface SumStepsOptions {
  readonly identity: Identity;
  readonly sealed: SealedPlan;
  /** Index of this silo. */
  readonly own: number;
  /** Attempts and sets are on disk before anything of them leaves. */
  readonly signed: SignedRounds & {
    /** @throws the refusal `wrong-set` for an attempt that is not after all others. */
    begin(round: number, attempt: number): void;
  };
  /** @throws the refusal `rolled-back` where the server has later answers of the silo than the silo knows. */
  assertKnown(known: number): void;
  /**
   * The silo's whole values for a sum with its share of noise, the same in all attempts, and the digest of
   * the query.
   *
   * @param body - What the server sent with the start of the sum: the points.
   */
  addendAt(round: number, body: Uint8Array): { readonly words: Words; readonly digest: string };
}

/** Answers the messages of secure sums. */
export interface SumSteps {
  /** @returns kind and body of the reply. @throws a refusal. */
  reply(message: Message): Promise<{ readonly kind: Kind; readonly body: Uint8Array }>;
}

/** One attempt at one sum at a time, later ones after earlier ones. */
export function sumSteps({
  identity,
  sealed,
  own,
  signed,
  assertKnown,
  addendAt,
}: SumStepsOptions): SumSteps {
  const { parameters, width } = sumsOf(sealed.plan);
  const directory = sealed.plan.silos.map(({ key }) => publicIdentity(key));
  let current: { readonly round: number; readonly attempt: number; readonly silo: SumSilo } | null = null;
  const known = new Map<Kind, { readonly name: string; readonly kind: Kind; readonly body: Uint8Array }>();
  const begun = (round: number, attempt: number): SumSilo => {
    if (current?.round === round && current.attempt === attempt) return current.silo;
    throw refusal('wrong-set', `attempt ${attempt} at sum ${round} was not begun here`, { round, attempt });
  };
  const step = async ({ kind, round, attempt, body }: Message): Promise<Uint8Array> => {
    const said = (decode(body) ?? {}) as Readonly<Record<string, unknown>>;
    switch (kind) {
      case 'keys': {
        assertKnown(countIn(said['known']));
        signed.begin(round, attempt);
        const name = { plan: sealed.digest, round, attempt };
        const silo = sumSilo({ name, parameters, own, identity, directory, width, signed });
        current = { round, attempt, silo };
        return encode(silo.advertise());
      }
      case 'shares':
        return encode(await begun(round, attempt).share(listOf<SignedKey>(said['keys'])));
      case 'start': {
        const silo = begun(round, attempt);
        const { words, digest } = addendAt(round, bytesIn(said['body']));
        const masked = silo.mask(
          listOf<number>(said['members']).map(Number),
          listOf<Uint8Array>(said['boxes']),
          words,
        );
        return new Uint8Array(Buffer.concat([bytesOfWords(masked), Buffer.from(digest, 'hex')]));
      }
      case 'set':
        return begun(round, attempt).sign(listOf<number>(said['survivors']).map(Number));
      case 'reveal':
        return encode(begun(round, attempt).reveal(listOf<Uint8Array>(said['signatures'])));
      default:
        throw refusal('wrong-kind', `a secure sum has no messages of kind '${kind}'`, {});
    }
  };
  return {
    async reply(message) {
      const { kind, round, attempt } = message;
      const name = `${round}/${attempt}`;
      // A step whose reply was lost is told again.
      const told = known.get(kind);
      if (told?.name === name) return told;
      const body = await step(message);
      const reply = { kind: replyTo[kind] ?? kind, body };
      known.set(kind, { name, ...reply });
      return reply;
    },
  };
}

const replyTo: { readonly [K in Kind]?: Kind } = { start: 'answer', set: 'signature' };

const listOf = <T>(given: unknown): readonly (T | null)[] => {
  if (Array.isArray(given)) return given as readonly (T | null)[];
  throw refusal('malformed-frame', 'a message of a secure sum has no list', {});
};
const bytesIn = (given: unknown): Uint8Array => {
  if (given instanceof Uint8Array) return given;
  throw refusal('malformed-frame', 'a secure sum begins without its points', {});
};

const countIn = (given: unknown): number => {
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) return given;
  throw refusal('malformed-frame', 'a secure sum does not say which answers its server has', {});
};

/** Sends a message of a sum to a silo. @returns the body of its reply. */
export type SendSum = (kind: Kind, body: Uint8Array) => Promise<Uint8Array>;

/** A silo of a plan with secure sums, as the server of an attempt asks it. */
export function sumPeer(
  send: SendSum,
  {
    sealed: { plan },
    name,
    body,
    known,
    heard,
  }: {
    readonly sealed: SealedPlan;
    /** Of the silo. */
    readonly name: string;
    /** Sent with the start of the sum: the points. */
    readonly body: Uint8Array;
    /** One more than the number of the last query whose answer the server has. */
    readonly known: number;
    /** Told the digest of the silo's query. */
    readonly heard: (digest: string) => void;
  },
): SumPeer {
  const { width } = sumsOf(plan);
  const { dimension } = plan.agreement.plan.problem;
  const size = (dimension * width) / 8;
  const ask = (kind: Kind, content: unknown): Promise<Uint8Array> => send(kind, encode(content));
  return {
    advertise: async () => decode(await ask('keys', { known })) as SignedKey,
    share: async (keys) => decode(await ask('shares', { keys })) as (Uint8Array | null)[],
    async mask(members, boxes) {
      const said = await ask('start', { members, boxes, body });
      if (said.length !== size + digestSize)
        throw refusal('wrong-length', `a masked addend has ${size + digestSize} bytes, not ${said.length}`, {
          length: said.length,
        });
      heard(Buffer.from(said.subarray(size)).toString('hex'));
      return wordsFrom(said.subarray(0, size), dimension, width);
    },
    sign: (survivors) => ask('set', { survivors }),
    reveal: async (signatures) => saidIn(revealedForm, await ask('reveal', { signatures }), name),
  };
}

/** The reply that a message of a sum has. */
export const replyKind = (kind: Kind): Kind => replyTo[kind] ?? kind;
