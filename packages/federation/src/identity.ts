import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidParameter } from '@lethe/core';
import { createWhole, makeFolder } from '@lethe/node';

/** What others know of a party: an Ed25519 key for signatures, an X25519 key for shared secrets. */
export interface PublicIdentity {
  /** The text that parties give one another by hand. */
  readonly text: string;
  /** @returns whether the party signed these bytes. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
  /** 32 bytes. */
  readonly agreementKey: Uint8Array;
}

/** A party's own keys. */
export interface Identity {
  readonly public: PublicIdentity;
  /** 64 secret bytes from which {@link identityFrom} makes the identity again. */
  readonly secret: Uint8Array;
  /** An Ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** X25519 with another party: 32 bytes. @throws {InvalidParameter} for a key of small order. */
  sharedSecret(agreementKey: Uint8Array): Uint8Array;
}

const keySize = 32;
const prefix = 'lethe-key:';
const der = {
  ed25519: { private: '302e020100300506032b657004220420', public: '302a300506032b6570032100' },
  x25519: { private: '302e020100300506032b656e04220420', public: '302a300506032b656e032100' },
} as const;
type Curve = keyof typeof der;

const privateKey = (curve: Curve, seed: Uint8Array): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from(der[curve].private, 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
const publicKey = (curve: Curve, raw: Uint8Array): KeyObject =>
  createPublicKey({
    key: Buffer.concat([Buffer.from(der[curve].public, 'hex'), raw]),
    format: 'der',
    type: 'spki',
  });
const rawPublic = (key: KeyObject): Uint8Array =>
  new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-keySize));

/** The X25519 public key of a secret seed of 32 bytes. */
export const agreementKeyOf = (seed: Uint8Array): Uint8Array => rawPublic(privateKey('x25519', seed));

/**
 * X25519 of a secret seed and another party's public key, 32 bytes each.
 *
 * @throws {InvalidParameter} for a key of small order, whose secret everybody knows.
 */
export function agree(seed: Uint8Array, agreementKey: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(
      diffieHellman({
        privateKey: privateKey('x25519', seed),
        publicKey: publicKey('x25519', agreementKey),
      }),
    );
  } catch (cause) {
    throw new InvalidParameter('an X25519 key is not valid; ask its owner for the right one', {}, { cause });
  }
}

/** New secret keys. */
export const newIdentity = (): Identity => identityFrom(new Uint8Array(randomBytes(2 * keySize)));

/**
 * The identity of 64 secret bytes: an Ed25519 seed and an X25519 seed.
 *
 * @throws {InvalidParameter} for another length.
 */
export function identityFrom(secret: Uint8Array): Identity {
  if (secret.length !== 2 * keySize)
    throw new InvalidParameter(`an identity has 64 secret bytes; these are ${secret.length}`, {
      length: secret.length,
    });
  const own = secret.slice();
  const signing = privateKey('ed25519', own.subarray(0, keySize));
  const seed = own.subarray(keySize);
  return {
    public: publicIdentity(textOf(rawPublic(signing), agreementKeyOf(seed))),
    secret: own.slice(),
    sign: (bytes) => new Uint8Array(sign(null, bytes, signing)),
    sharedSecret: (agreementKey) => agree(seed, agreementKey),
  };
}

/** Bytes at the end of a text by which a mistake in copying is found: one in 2³² is missed. */
const checkSize = 4;
const checkOf = (keys: Uint8Array): Uint8Array =>
  createHash('sha256').update(prefix).update(keys).digest().subarray(0, checkSize);
const textOf = (...keys: readonly Uint8Array[]): string => {
  const whole = Buffer.concat(keys);
  return prefix + Buffer.concat([whole, checkOf(whole)]).toString('base64url');
};

/**
 * The identity that a text of {@link PublicIdentity} names.
 *
 * @throws {InvalidParameter} for any other text, such as one with a letter that was changed.
 */
export function publicIdentity(text: string): PublicIdentity {
  if (typeof text !== 'string' || !text.startsWith(prefix))
    throw new InvalidParameter(`'${shortened(text)}' is no public key; ${whereFound}`, {});
  const all = new Uint8Array(Buffer.from(text.slice(prefix.length), 'base64url'));
  const bytes = all.subarray(0, 2 * keySize);
  if (textOf(bytes) !== text)
    throw new InvalidParameter(
      `the public key '${shortened(text)}' was not copied as it is: ` +
        (text.length === textLength
          ? 'a letter of it is another'
          : `it has ${text.length} letters and not ${textLength}`) +
        `; ${whereFound}`,
      {},
    );
  const signing = publicKey('ed25519', bytes.subarray(0, keySize));
  return Object.freeze({
    text,
    agreementKey: bytes.slice(keySize),
    verify: (signed: Uint8Array, signature: Uint8Array) =>
      signature.length === 64 && verify(null, signed, signing, signature),
  });
}

const whereFound = `it is the line that begins with ${prefix}, as its owner’s command prints it`;
const shortened = (text: unknown): string => {
  const all = String(text);
  return all.length > 24 ? `${all.slice(0, 18)}…${all.slice(-4)}` : all;
};
const textLength = prefix.length + Math.ceil((8 * (2 * keySize + checkSize)) / 6);

/** The identity in a file of 64 secret bytes, which is made, for its owner alone, where there is none. */
export function identityFile(path: string): Identity {
  makeFolder(dirname(resolve(path)));
  if (!existsSync(path)) createWhole(path, newIdentity().secret, { mode: 0o600 });
  return identityFrom(new Uint8Array(readFileSync(path)));
}
