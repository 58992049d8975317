import { decode, encode } from '@lethe/numerics';
import type { Answered, Vector } from '@lethe/core';
import { refusal } from './refusal.js';

/** Flag of a body that is the encoding of a whole value, in place of numbers alone. */
export const wholeFlag = 1;
const digestSize = 16;
const hex32 = /^[0-9a-f]{32}$/u;

/** The numbers of a vector, 8 bytes each, little-endian as in memory of all platforms of Node. */
export const vectorBytes = (vector: Vector): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice();

/** @throws a refusal of another length, and of numbers that are not finite. */
export function vectorFrom(body: Uint8Array, dimension: number): Vector {
  if (body.length !== 8 * dimension)
    throw refusal('wrong-length', `a point of ${dimension} numbers has ${8 * dimension} bytes, not ${body.length}`, {
      dimension,
      length: body.length,
    });
  const vector = new Float64Array(body.slice().buffer);
  const bad = vector.findIndex((entry) => !Number.isFinite(entry));
  if (bad >= 0) throw refusal('not-finite', `entry ${bad} of a point is ${vector[bad]}`, { entry: bad });
  return vector;
}

/** Body and flags of an answer: its numbers and the digest of its query, or its encoding. */
export function answerBody({ answer, digest }: Answered): { readonly body: Uint8Array; readonly flags: number } {
  if (answer instanceof Float64Array && hex32.test(digest))
    return { body: new Uint8Array(Buffer.concat([vectorBytes(answer), Buffer.from(digest, 'hex')])), flags: 0 };
  return { body: encode({ answer, digest }), flags: wholeFlag };
}

/** @throws a refusal, or {Corrupt}, for bytes that {@link answerBody} did not write. */
export function answerFrom(body: Uint8Array, flags: number, dimension: number): Answered {
  if (flags === 0) {
    const end = Math.max(0, body.length - digestSize);
    return {
      answer: vectorFrom(body.subarray(0, end), dimension),
      digest: Buffer.from(body.subarray(end)).toString('hex'),
    };
  }
  const { answer, digest } = (decode(body) ?? {}) as Partial<Answered>;
  if (typeof digest !== 'string' || answer === undefined)
    throw refusal('wrong-length', 'an answer arrived without its digest', {});
  return { answer, digest };
}

/** Bytes of a message at most, as the plan implies: whole queries and names of batches are longer than a point. */
export const largestBody = ({ dimension, rounds }: { readonly dimension: number; readonly rounds: number }): number =>
  64 * 1024 + 32 * dimension + 512 * rounds;
