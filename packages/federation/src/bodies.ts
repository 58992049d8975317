import { decode, encode } from '@lethe/numerics';
import type { Answered, LeftNoise, Vector } from '@lethe/core';
import { joinedBytes, type Parts } from './bytes.js';
import { bytesOf } from '@lethe/numerics';
import { narrowed, narrowSize, widened } from './narrow.js';
import type { FederatedPlan } from './plan.js';
import { namesSize } from './points-for-all.js';
import { refusal } from './refusal.js';

/** Flags of the body of an answer; `narrow` comes beside `plain` or `sum`. */
export const answerFlags = {
  /** Numbers alone: the answer itself. */
  plain: 0,
  /** The encoding of a whole value, such as the names of batches. */
  whole: 1,
  /** Numbers alone: the sum of the stream's answers so far. */
  sum: 2,
  /** The numbers in 4 bytes each. */
  narrow: 4,
} as const;
/** Flags of a query. */
export const queryFlags = {
  /** The points follow. */
  points: 0,
  /** The names of the newest point follow, which was sent to all silos. */
  named: 1,
} as const;
/** Points of a query at most: the newest, and the one before. */
const mostPoints = 2;
const digestSize = 16;
const hex32 = /^[0-9a-f]{32}$/u;

/**
 * The numbers in bytes, as a view of them where they lie at a multiple of 8.
 *
 * @throws a refusal of another length, and of numbers that are not finite.
 */
function viewFrom(body: Uint8Array, dimension: number): Vector {
  if (body.length !== 8 * dimension)
    throw refusal(
      'wrong-length',
      `a point of ${dimension} numbers has ${8 * dimension} bytes, not ${body.length}`,
      {
        dimension,
        length: body.length,
      },
    );
  const isAligned = body.byteOffset % 8 === 0;
  const { buffer, byteOffset } = isAligned ? body : body.slice();
  const vector = new Float64Array(buffer, byteOffset, dimension);
  // A plain loop: a call for each of the numbers of every point costs a silo more than its checks.
  for (let j = 0; j < dimension; j++)
    if (!Number.isFinite(vector[j]))
      throw refusal('not-finite', `entry ${j} of a point is ${vector[j]}`, { entry: j });
  return vector;
}

/** Points, one after another: views of them. */
export const pointsParts = (points: readonly Vector[]): Parts => points.map(bytesOf);

/**
 * The points in bytes; views of them where they lie at a multiple of 8.
 *
 * @throws a refusal of more points than a query has, of parts of points, and of numbers that are not finite.
 */
export function pointsFrom(body: Uint8Array, dimension: number): readonly Vector[] {
  const size = 8 * dimension;
  const count = body.length / size;
  if (!Number.isInteger(count) || count > mostPoints)
    throw refusal(
      'wrong-length',
      `a query has at most ${mostPoints} points of ${size} bytes; this one has ${body.length} bytes`,
      { length: body.length, size },
    );
  return Array.from({ length: count }, (_, k) =>
    viewFrom(body.subarray(k * size, (k + 1) * size), dimension),
  );
}

const knownSize = 4;
/**
 * Body of a query: up to where the server knows the silo's answers, and views of the points.
 *
 * @param known - One more than the number of the last query whose answer the server has; 0 for none.
 */
export const queryParts = (known: number, points: readonly Vector[]): Parts => {
  const head = new Uint8Array(knownSize);
  new DataView(head.buffer).setUint32(0, known, true);
  return [head, ...pointsParts(points)];
};

/** Body of a query that names its point, which was sent to all silos. */
export const namedQueryParts = (known: number, names: Uint8Array): Parts => [...queryParts(known, []), names];

/** @throws a refusal of a length that {@link queryParts} and {@link namedQueryParts} do not write. */
export function queryFrom(
  body: Uint8Array,
  flags: number,
  dimension: number,
): { readonly known: number; readonly rest: Uint8Array } {
  const size = 8 * dimension;
  const length = body.length - knownSize;
  const isNamed = flags === queryFlags.named;
  const isWhole = isNamed ? length === namesSize(size) : length >= 0 && length % size === 0;
  if (!isWhole)
    throw refusal(
      'wrong-length',
      `a query has ${knownSize} bytes and points of ${size}, or the names of one; this one has ` +
        `${body.length} bytes`,
      { length: body.length, size },
    );
  const known = Buffer.from(body.buffer, body.byteOffset, knownSize).readUInt32LE();
  return { known, rest: body.subarray(knownSize) };
}

/**
 * Body and flags of an answer: its numbers, the digest of its query and, of sums for a trusted server, the
 * noise that it owes; or its encoding, where it is no vector of the dimension.
 *
 * @param sum - Of the stream's answers so far, which is sent in place of the last one where there is one.
 * @param isPrivate - Whether the answer has its noise, so that its form may depend on it.
 */
export function answerBody(
  { answer, digest, left }: Answered,
  dimension: number,
  sum: Vector | null,
  isPrivate: boolean,
): { readonly body: Uint8Array; readonly flags: number } {
  if (!(answer instanceof Float64Array && answer.length === dimension && hex32.test(digest)))
    return {
      body: encode({ answer, digest, ...(left === undefined ? {} : { left }) }),
      flags: answerFlags.whole,
    };
  const rest = joinedBytes([Buffer.from(digest, 'hex'), ...(left === undefined ? [] : [encode(left)])]);
  const narrow = isPrivate ? narrowed(sum ?? answer, rest.length) : null;
  narrow?.set(rest, narrowSize(dimension));
  return {
    body: narrow ?? joinedBytes([bytesOf(sum ?? answer), rest]),
    flags: (sum === null ? answerFlags.plain : answerFlags.sum) | (narrow === null ? 0 : answerFlags.narrow),
  };
}

/** @throws a refusal, or {Corrupt}, for bytes that {@link answerBody} did not write. */
export function answerFrom(body: Uint8Array, flags: number, dimension: number): Answered {
  if (flags !== answerFlags.whole) {
    const isNarrow = (flags & answerFlags.narrow) !== 0;
    const vector = isNarrow ? narrowSize(dimension) : 8 * dimension;
    const digest = vector + digestSize;
    if (body.length < digest)
      throw refusal('wrong-length', `an answer of ${body.length} bytes arrived; it has ${digest} or more`, {
        length: body.length,
      });
    return {
      answer: isNarrow
        ? widened(body.subarray(0, vector), dimension)
        : viewFrom(body.slice(0, vector), dimension),
      digest: Buffer.from(body.subarray(vector, digest)).toString('hex'),
      ...(body.length > digest ? { left: decode(body.subarray(digest)) as LeftNoise } : {}),
    };
  }
  const { answer, digest, left } = (decode(body) ?? {}) as Partial<Answered>;
  if (typeof digest !== 'string' || answer === undefined)
    throw refusal('wrong-length', 'an answer arrived without its digest', {});
  return { answer, digest, ...(left === undefined ? {} : { left }) };
}

/** Bytes at most of a message to a silo, and of its reply, whose names of batches are as many as rounds. */
export const largestBodies = ({
  agreement,
}: FederatedPlan): { readonly toSilo: number; readonly toServer: number } => {
  const { dimension, slots } = agreement.plan.problem;
  const numbers = 64 * 1024 + 8 * mostPoints * dimension;
  return { toSilo: numbers, toServer: numbers + 512 * Math.max(...slots) };
};
