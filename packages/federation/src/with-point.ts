import { joinedBytes, type Parts } from './bytes.js';

/** A request that travels to one silo in the message that brings a point to all. */
export interface RequestWithPoint {
  /** On which the silo listens. */
  readonly subject: string;
  /** Where its reply goes. */
  readonly reply: string;
  readonly frame: Uint8Array;
}

/** Bytes of a message before the piece. */
export const messageHead = 4;
const lengthsSize = 6;
const longest = 0xffff;
/**
 * Whether a reply may go to a subject: one of one receiver, without the spaces and line ends that part the
 * commands of NATS, and neither of Lethe nor of NATS itself. Strangers name it.
 */
export const isReplySubject = (subject: string): boolean =>
  /^(?!lethe\.|\$)[!-)+-=?-~]{1,255}$/u.test(subject);

/** Bytes that a request adds to the message; `null` for one that is too long to travel with a point. */
export function sizeWithPoint({ subject, reply, frame }: RequestWithPoint): number | null {
  const lengths = [subject.length, reply.length, frame.length];
  return lengths.some((length) => length > longest) ? null : lengthsSize + sum(lengths);
}

/**
 * A piece of a point and requests to silos that hear it: the length of the piece in 4 bytes and the piece; of
 * each request the lengths of subject, reply and frame in 2 bytes each, and these. Little-endian.
 */
export function withRequests(piece: Uint8Array, requests: readonly RequestWithPoint[]): Uint8Array {
  const head = Buffer.alloc(messageHead);
  head.writeUInt32LE(piece.length);
  return joinedBytes([head, piece, ...requests.flatMap(requestParts)]);
}

function requestParts({ subject, reply, frame }: RequestWithPoint): Parts {
  const lengths = Buffer.alloc(lengthsSize);
  [subject.length, reply.length, frame.length].forEach((length, k) => lengths.writeUInt16LE(length, 2 * k));
  return [lengths, Buffer.from(subject, 'latin1'), Buffer.from(reply, 'latin1'), frame];
}

/**
 * The piece in a message that {@link withRequests} wrote, and the first request to the silo of `subject`.
 * Nobody vouches for either; both are views.
 *
 * @returns `null` for bytes of another form.
 */
export function fromMessage(
  bytes: Uint8Array,
  subject: string,
): { readonly piece: Uint8Array; readonly request: Omit<RequestWithPoint, 'subject'> | null } | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < messageHead) return null;
  let at = messageHead + view.readUInt32LE();
  if (at > view.length) return null;
  const piece = bytes.subarray(messageHead, at);
  while (at < view.length) {
    if (view.length - at < lengthsSize) return null;
    const lengths = [view.readUInt16LE(at), view.readUInt16LE(at + 2), view.readUInt16LE(at + 4)];
    const begin = at + lengthsSize;
    at = begin + sum(lengths);
    if (at > view.length) return null;
    const toReply = begin + lengths[0];
    if (lengths[0] !== subject.length || view.toString('latin1', begin, toReply) !== subject) continue;
    const reply = view.toString('latin1', toReply, toReply + lengths[1]);
    return {
      piece,
      request: isReplySubject(reply) ? { reply, frame: bytes.subarray(at - lengths[2], at) } : null,
    };
  }
  return { piece, request: null };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
