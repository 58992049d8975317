import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import {
  maskedWords,
  survivorRules,
  type SetRefusal,
  type SharedSecret,
  type SumParameters,
  type Width,
  type Words,
} from '@lethe/mechanisms';
import { encode } from '@lethe/numerics';
import { split } from 'shamir-secret-sharing';
import { derived } from '../frame-keys.js';
import { agree, agreementKeyOf, type Identity, type PublicIdentity } from '../identity.js';
import { refusal } from '../refusal.js';
import { maskOf } from './words.js';

/** One attempt at one sum. */
export interface SumName {
  /** SHA-256 of the plan. */
  readonly plan: Uint8Array;
  readonly round: number;
  readonly attempt: number;
}

/** A silo's fresh key of an attempt, signed by its lasting one. */
export interface SignedKey {
  readonly key: Uint8Array;
  readonly signature: Uint8Array;
}

/** Shares of one silo's two secrets, for another, sealed. */
export type Box = Uint8Array;

/** What a silo reveals of each silo of U₁, by its index: one share, never both. */
export interface Revealed {
  readonly of: number;
  /** `mask` for silos of U₂, `key` for the others. */
  readonly secret: SharedSecret;
  readonly share: Uint8Array;
}

/** Which rounds the silo has signed a set for; on disk before a signature is given away. */
export interface SignedRounds {
  /** @throws the refusal `signed-before` for a round that was noted before. */
  note(round: number): void;
}

/** In memory, for simulations. */
export function signedRounds(): SignedRounds {
  const rounds = new Set<number>();
  return {
    note(round) {
      if (rounds.has(round)) throw signedBefore(round);
      rounds.add(round);
    },
  };
}
export const signedBefore = (round: number) =>
  refusal(
    'signed-before',
    `this silo has signed a set of survivors of sum ${round} before, and signs no other`,
    {
      round,
    },
  );

/**
 * One silo in one attempt at a sum. Its steps are taken in order; each refuses what would free a part of the
 * sum.
 */
export interface SumSilo {
  /** Step 1: a fresh key for this attempt. */
  advertise(): SignedKey;
  /** Step 2: boxes for all silos, from the keys of those that take part; `null` where a silo has no key. */
  share(keys: readonly (SignedKey | null)[]): Promise<readonly (Box | null)[]>;
  /** Step 4: the masked values. `members` is U₁; `boxes` are those for this silo, by sender. */
  mask(members: readonly number[], boxes: readonly (Box | null)[], values: Words): Words;
  /** Step 5: a signature of the survivors U₂. */
  sign(survivors: readonly number[]): Uint8Array;
  /** Step 6: one share of each silo of U₁, for the set that t silos have signed. Secrets are then deleted. */
  reveal(signatures: readonly (Uint8Array | null)[]): readonly Revealed[];
}

/** What a silo knows of a sum beforehand. */
export interface SumSiloOptions {
  readonly name: SumName;
  readonly parameters: SumParameters;
  /** Index of this silo. */
  readonly own: number;
  readonly identity: Identity;
  /** Lasting keys of all silos, from the plan. */
  readonly directory: readonly PublicIdentity[];
  readonly width: Width;
  readonly signed: SignedRounds;
}

/** What a silo signs for its fresh key. */
const keyText = ({ plan, round, attempt }: SumName, silo: number, key: Uint8Array): Uint8Array =>
  encode(['lethe/agg/key', round, attempt, silo, plan, key]);

/** What a silo signs for a set of survivors: who took part with which keys, and who is left. */
function setText(
  { plan, round, attempt }: SumName,
  members: readonly number[],
  keys: readonly (SignedKey | null)[],
  survivors: readonly number[],
): Uint8Array {
  const parties = members.map((silo) => ({ silo, key: keys[silo]?.key ?? null }));
  const digest = createHash('sha256').update(encode(parties)).digest();
  return encode(['lethe/agg/set', plan, round, attempt, new Uint8Array(digest), survivors]);
}

/** The fresh key of a silo; empty where it sent none. */
export const keyOf = (keys: readonly (SignedKey | null)[], silo: number): Uint8Array =>
  keys[silo]?.key ?? new Uint8Array(0);

/** Seed of the mask that two silos have in common. */
export const pairSeed = (
  secret: Uint8Array,
  { plan, round, attempt }: SumName,
  one: number,
  other: number,
): Uint8Array =>
  derived(secret, plan, `lethe/agg/mask|${round}|${attempt}|${Math.min(one, other)}|${Math.max(one, other)}`);

const setRefusal = ({ code, message }: SetRefusal) => refusal(code, message, {});
const obey = (refused: SetRefusal | null): void => {
  if (refused !== null) throw setRefusal(refused);
};
const noKey = 'a silo of this sum has sent no key';

interface Secrets {
  readonly key: Uint8Array;
  readonly mask: Uint8Array;
}

/** One silo's part in one secure sum, with keys of its own, drawn anew. */
export function sumSilo(options: SumSiloOptions): SumSilo {
  const { name, parameters, own, identity, directory, width, signed } = options;
  const { silos, threshold } = parameters;
  let rules = survivorRules(parameters, own);
  let secrets: Secrets | null = {
    key: new Uint8Array(randomBytes(32)),
    mask: new Uint8Array(randomBytes(32)),
  };
  let keys: readonly (SignedKey | null)[] = [];
  let members: readonly number[] = [];
  const shares = new Map<number, { readonly key: Uint8Array; readonly mask: Uint8Array }>();
  let survivors: readonly number[] | null = null;
  const live = (): Secrets => {
    if (secrets === null) throw refusal('wrong-set', 'this attempt at a sum is over', {});
    return secrets;
  };
  const channel = (from: number, to: number): Uint8Array =>
    derived(
      identity.sharedSecret(directory[from === own ? to : from].agreementKey),
      name.plan,
      `lethe/agg/channel|${from}|${to}`,
    );
  const associated = (from: number, to: number): Uint8Array =>
    encode([name.plan, name.round, name.attempt, from, to]);
  const nonce = (from: number): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt32LE(name.round, 0);
    bytes.writeUInt16LE(name.attempt, 4);
    bytes.writeUInt16LE(from, 6);
    return bytes;
  };
  const sealed = (to: number, text: Uint8Array): Box => {
    const cipher = createCipheriv('aes-256-gcm', channel(own, to), nonce(own));
    cipher.setAAD(associated(own, to));
    return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]));
  };
  const opened = (from: number, box: Box): Uint8Array => {
    const decipher = createDecipheriv('aes-256-gcm', channel(from, own), nonce(from));
    decipher.setAAD(associated(from, own));
    decipher.setAuthTag(box.subarray(-16));
    try {
      return new Uint8Array(Buffer.concat([decipher.update(box.subarray(0, -16)), decipher.final()]));
    } catch (cause) {
      throw refusal('wrong-keys', `the shares of silo ${from} fail their tag`, { from }, cause);
    }
  };

  return {
    advertise() {
      const key = agreementKeyOf(live().key);
      return { key, signature: identity.sign(keyText(name, own, key)) };
    },
    async share(given) {
      const { key, mask } = live();
      if (given.length !== silos || keys.length > 0)
        throw refusal('wrong-keys', `keys of ${silos} silos are taken once`, { silos });
      const taken = given.flatMap((one, silo) => (one === null ? [] : [silo]));
      for (const silo of taken) {
        const one = given[silo];
        if (one === null || !directory[silo].verify(keyText(name, silo, one.key), one.signature))
          throw refusal('wrong-keys', `the key of silo ${silo} is not signed by it`, { silo });
      }
      if (taken.length < threshold || given[own] === null)
        throw refusal('few-survivors', `${taken.length} silos take part; a sum needs ${threshold}`, {
          threshold,
        });
      keys = given;
      const [ofKey, ofMask] = await Promise.all([
        split(key, silos, threshold),
        split(mask, silos, threshold),
      ]);
      shares.set(own, { key: ofKey[own], mask: ofMask[own] });
      return given.map((one, to) =>
        one === null || to === own
          ? null
          : sealed(to, new Uint8Array(Buffer.concat([ofKey[to], ofMask[to]]))),
      );
    },
    mask(given, boxes, values) {
      const { key, mask } = live();
      if (given.some((silo) => keys[silo] == null)) throw setRefusal({ code: 'wrong-set', message: noKey });
      const joined = members.length > 0 ? rules : survivorRules(parameters, own);
      obey(joined.join(given));
      for (const from of given) {
        if (from === own) continue;
        const box = boxes[from];
        if (box == null) throw refusal('wrong-keys', `the shares of silo ${from} are missing`, { from });
        const text = opened(from, box);
        shares.set(from, { key: text.slice(0, text.length / 2), mask: text.slice(text.length / 2) });
      }
      members = [...given];
      rules = joined;
      return maskedWords(values, {
        silo: own,
        members,
        masks: {
          own: () => maskOf(mask, values.length, width),
          pair: (_, other) =>
            maskOf(pairSeed(agree(key, keyOf(keys, other)), name, own, other), values.length, width),
        },
      });
    },
    sign(given) {
      live();
      if (survivors !== null) throw signedBefore(name.round);
      obey(rules.sign(given));
      signed.note(name.round);
      survivors = [...given];
      return identity.sign(setText(name, members, keys, survivors));
    },
    reveal(signatures) {
      live();
      const text = setText(name, members, keys, survivors ?? []);
      const signers = (survivors ?? []).filter((silo) => {
        const signature = signatures[silo];
        return signature != null && directory[silo].verify(text, signature);
      });
      const given = rules.reveal(signers);
      if ('code' in given) throw setRefusal(given);
      const revealed = given.map(({ of, secret }): Revealed => {
        const share = shares.get(of);
        return { of, secret, share: share === undefined ? new Uint8Array(0) : share[secret] };
      });
      secrets = null;
      shares.clear();
      return revealed;
    },
  };
}
