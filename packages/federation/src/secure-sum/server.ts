import { unmaskedSum, type SumParameters, type Width, type Words } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { combine } from 'shamir-secret-sharing';
import { agree, agreementKeyOf } from '../identity.js';
import { refusal } from '../refusal.js';
import { keyOf, pairSeed, type Revealed, type SignedKey, type SumName } from './silo.js';
import { maskOf } from './words.js';

/** A silo as the server of a sum asks it, over whatever link; a silo that stays silent rejects. */
export interface SumPeer {
  /** The silo's signed public keys. */
  advertise(): Promise<SignedKey>;
  /** Shares of the silo's secrets, sealed for each other silo. */
  share(keys: readonly (SignedKey | null)[]): Promise<readonly (Uint8Array | null)[]>;
  /** The silo's masked vector. */
  mask(members: readonly number[], boxes: readonly (Uint8Array | null)[]): Promise<Words>;
  /** The silo's signature of the set of survivors. */
  sign(survivors: readonly number[]): Promise<Uint8Array>;
  /** Shares of the masks that the sum still holds. */
  reveal(signatures: readonly (Uint8Array | null)[]): Promise<readonly Revealed[]>;
}

/** A sum over the survivors. */
export interface SecureSum {
  readonly sum: Words;
  readonly survivors: readonly number[];
}

/** What the server has of an attempt when it takes the masks off. */
export interface Collected {
  readonly name: SumName;
  readonly parameters: SumParameters;
  readonly length: number;
  readonly width: Width;
  readonly keys: readonly (SignedKey | null)[];
  readonly members: readonly number[];
  readonly survivors: readonly number[];
  /** By silo; of the survivors. */
  readonly masked: readonly (Words | null)[];
  readonly revealed: readonly (readonly Revealed[] | null)[];
}

/**
 * Takes the masks off: the survivors' own, and those that they share with silos that dropped out.
 *
 * @throws the refusal `few-survivors` where a secret has fewer than t shares.
 */
export async function unmask(collected: Collected): Promise<Words> {
  const { name, parameters, length, width, keys, members, survivors, masked, revealed } = collected;
  const left = new Set(survivors);
  const sent = survivors.map((silo) => {
    const own = masked[silo];
    if (own === null) throw refusal('few-survivors', `the values of silo ${silo} are missing`, { silo });
    return own;
  });
  const secrets = new Map<number, Uint8Array>();
  for (const of of members) {
    const secret = left.has(of) ? 'mask' : 'key';
    // One of each silo, however many it sends.
    const shares = revealed.flatMap(
      (all) => all?.find((one) => one.of === of && one.secret === secret)?.share ?? [],
    );
    if (shares.length < parameters.threshold)
      throw refusal(
        'few-survivors',
        `${shares.length} of ${parameters.threshold} shares of silo ${of} are there`,
        { silo: of },
      );
    // oxlint-disable-next-line no-await-in-loop -- a few microseconds of arithmetic each
    const found = await combined(of, shares.slice(0, parameters.threshold));
    if (!left.has(of) && Buffer.compare(agreementKeyOf(found), keyOf(keys, of)) !== 0)
      throw refusal('wrong-keys', `the shares of silo ${of} are not of its key`, { silo: of });
    secrets.set(of, found);
  }
  return unmaskedSum(sent, {
    members,
    survivors,
    masks: {
      own: (silo) => maskOf(defined(secrets.get(silo)), length, width),
      pair: (gone, other) =>
        maskOf(
          pairSeed(agree(defined(secrets.get(gone)), keyOf(keys, other)), name, gone, other),
          length,
          width,
        ),
    },
  });
}

/** @throws the refusal `wrong-keys` for shares that are none of one secret of 32 bytes. */
async function combined(of: number, shares: readonly Uint8Array[]): Promise<Uint8Array> {
  const refused = (cause?: unknown) =>
    refusal('wrong-keys', `the shares of silo ${of} make no secret`, { silo: of }, cause);
  const found = await combine(shares.map((one) => new Uint8Array(one))).catch((cause: unknown) => {
    throw refused(cause);
  });
  if (found.length !== secretSize) throw refused();
  return new Uint8Array(found);
}
/** Bytes of a key, and of the seed of a mask. */
const secretSize = 32;

/** Values of promises, `null` for those that were rejected. */
async function heard<T>(all: readonly (Promise<T> | null)[]): Promise<(T | null)[]> {
  const settled = await Promise.allSettled(all.map((one) => one ?? Promise.reject(new Error('not asked'))));
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : null));
}

/**
 * One attempt at a sum. Silos that do not answer in some step drop out; from m of them on the sum is that of
 * those whose values arrived, and below there is none.
 *
 * @throws the refusal `few-survivors` when too few are left: make another attempt, or leave the sum out.
 */
export async function secureSum(
  peers: readonly SumPeer[],
  {
    name,
    parameters,
    length,
    width,
  }: {
    readonly name: SumName;
    readonly parameters: SumParameters;
    readonly length: number;
    readonly width: Width;
  },
): Promise<SecureSum> {
  const { survivors: least, threshold } = parameters;
  const assertEnough = (count: number, needed: number): void => {
    if (count < needed)
      throw refusal('few-survivors', `${count} silos are left, and ${needed} are needed`, { count, needed });
  };
  const keys = await heard(peers.map((peer) => peer.advertise()));
  assertEnough(keys.filter((key) => key !== null).length, Math.max(threshold, least));
  const boxes = await heard(peers.map((peer, silo) => (keys[silo] === null ? null : peer.share(keys))));
  const members = peers.flatMap((_, silo) => (boxes[silo] === null ? [] : [silo]));
  assertEnough(members.length, least);
  const isMember = new Set(members);
  const masked = await heard(
    peers.map((peer, silo) =>
      isMember.has(silo)
        ? peer.mask(
            members,
            boxes.map((from) => from?.[silo] ?? null),
          )
        : null,
    ),
  );
  const survivors = members.filter((silo) => masked[silo]?.length === length);
  assertEnough(survivors.length, least);
  const isLeft = new Set(survivors);
  const signatures = await heard(peers.map((peer, silo) => (isLeft.has(silo) ? peer.sign(survivors) : null)));
  assertEnough(signatures.filter((signature) => signature !== null).length, threshold);
  const revealed = await heard(
    peers.map((peer, silo) => (signatures[silo] === null ? null : peer.reveal(signatures))),
  );
  assertEnough(revealed.filter((all) => all !== null).length, threshold);
  const sum = await unmask({ name, parameters, length, width, keys, members, survivors, masked, revealed });
  return { sum, survivors };
}
