import { createCipheriv, createDecipheriv } from 'node:crypto';
import { refusal } from './refusal.js';

const nonceSize = 12;
const tagSize = 16;

/** Round and attempt name a message of a pair and direction; its body is the same whenever it is sent. */
export interface SealedAs {
  readonly round: number;
  readonly attempt: number;
}

function nonceOf({ round, attempt }: SealedAs): Buffer {
  const nonce = Buffer.alloc(nonceSize);
  nonce.writeUInt32LE(round, 0);
  nonce.writeUInt16LE(attempt, 4);
  return nonce;
}

/** AES-256-GCM with the tag at the end: 16 bytes longer than the body. */
export function seal(key: Uint8Array, name: SealedAs, body: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(name));
  return new Uint8Array(Buffer.concat([cipher.update(body), cipher.final(), cipher.getAuthTag()]));
}

/** @throws {Corrupt} for bytes that were not sealed with this key under this name. */
export function unseal(key: Uint8Array, name: SealedAs, sealed: Uint8Array): Uint8Array {
  if (sealed.length < tagSize) throw refusal('wrong-length', 'a sealed body is shorter than its tag', {});
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(name));
  decipher.setAuthTag(sealed.subarray(-tagSize));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(0, -tagSize)), decipher.final()]));
  } catch (cause) {
    throw refusal('wrong-tag', 'a sealed body fails its tag', {}, cause);
  }
}
