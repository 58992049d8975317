import { createHmac, timingSafeEqual } from 'node:crypto';
import { joinedBytes, type Parts } from './bytes.js';
import { bytesOf, hexOf } from '@lethe/numerics';
import type { Party } from './frame-keys.js';
import { refusal } from './refusal.js';
import { sha256 } from './sha256.js';

/** Kinds of messages. The last six are those of secure sums. */
export const kinds = {
  hello: 1,
  plan: 2,
  accept: 3,
  query: 4,
  answer: 5,
  refusal: 6,
  end: 7,
  keys: 8,
  shares: 9,
  start: 10,
  set: 11,
  signature: 12,
  reveal: 13,
} as const;
export type Kind = keyof typeof kinds;
const kindNames = new Map<number, Kind>(
  Object.entries(kinds).map(([name, number]) => [number, name as Kind]),
);

/** Bytes of a frame beyond its body: a header of 72 and a tag of 32. */
export const frameOverhead = 104;
/** Bytes of a body in one frame; longer messages have several parts. NATS carries up to 1 MiB. */
export const largestPart = 512 * 1024;
const headerSize = 72;
const magic = Buffer.from('LFL1');

/** What a message says beside its body. */
export interface Envelope {
  readonly kind: Kind;
  readonly flags: number;
  readonly from: Party;
  readonly to: Party;
  readonly attempt: number;
  /** Number of the query, or of the sum, from 0. */
  readonly round: number;
  /** 16 bytes: of the run or, of a request about no agreed plan, drawn anew for each. */
  readonly run: Uint8Array;
  /** SHA-256 of the plan; zeros before there is one. Of a refusal or a stranger: {@link boundTo}. */
  readonly plan: Uint8Array;
}
/** An authentic message. */
export interface Message extends Envelope {
  readonly body: Uint8Array;
}
interface Frame extends Envelope {
  readonly part: number;
  readonly parts: number;
  readonly body: Uint8Array;
}

/** What a frame has to be to be taken. */
export interface Expected {
  readonly key: Uint8Array;
  readonly from: Party;
  readonly to: Party;
  readonly run: Uint8Array;
  readonly plan: Uint8Array;
  /** Bytes of a message at most: what the plan implies, not what the sender says. */
  readonly largest: number;
}

/** Frames of a body of so many bytes. */
const partsFor = (bytes: number): number => Math.max(1, Math.ceil(bytes / largestPart));

const tagOf = (key: Uint8Array, bytes: Uint8Array): Buffer =>
  createHmac('sha256', key).update(bytes).digest();

/**
 * A message as frames, one after another: `LFL1`, kind, flags, from, to, attempt, round, part, parts, length,
 * run and plan in 72 bytes, little-endian; at most 512 KiB of the body; HMAC-SHA-256 of all before.
 *
 * @param body - Or what it is made of.
 */
export function framesOf(envelope: Envelope, body: Uint8Array | Parts, key: Uint8Array): Uint8Array {
  const { kind, flags, from, to, attempt, round, run, plan } = envelope;
  const pieces = body instanceof Uint8Array ? [body] : body;
  const total = pieces.reduce((size, { length }) => size + length, 0);
  const parts = partsFor(total);
  const long = parts === 1 ? null : joinedBytes(pieces);
  // Every byte is written below.
  const all = Buffer.allocUnsafeSlow(total + parts * frameOverhead);
  let at = 0;
  for (let part = 0; part < parts; part++) {
    const contents = long === null ? pieces : [long.subarray(part * largestPart, (part + 1) * largestPart)];
    const length = long === null ? total : contents[0].length;
    const frame = all.subarray(at, at + length + frameOverhead);
    frame.set(magic);
    frame.writeUInt8(kinds[kind], 4);
    frame.writeUInt8(flags, 5);
    frame.writeUInt16LE(from, 6);
    frame.writeUInt16LE(to, 8);
    frame.writeUInt16LE(attempt, 10);
    frame.writeUInt32LE(round, 12);
    frame.writeUInt16LE(part, 16);
    frame.writeUInt16LE(parts, 18);
    frame.writeUInt32LE(length, 20);
    frame.set(run, 24);
    frame.set(plan, 40);
    let end = headerSize;
    for (const content of contents) {
      frame.set(content, end);
      end += content.length;
    }
    frame.set(tagOf(key, frame.subarray(0, -32)), headerSize + length);
    at += frame.length;
  }
  return bytesOf(all);
}

/** Bytes that the frames of a message have at most, whose body has at most `largest`. */
export const framesSize = (largest: number): number => largest + partsFor(largest) * frameOverhead;

/**
 * The frames in bytes that a transport carried, without a look at their tags.
 *
 * @throws {Corrupt} for bytes that are no frames.
 */
export function cutFrames(bytes: Uint8Array): Uint8Array[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Uint8Array[] = [];
  let at = 0;
  do {
    if (view.length - at < frameOverhead || !view.subarray(at, at + 3).equals(magic.subarray(0, 3)))
      throw refusal('malformed-frame', `no frame begins at byte ${at} of ${view.length}`, { at });
    if (view[at + 3] !== magic[3])
      throw refusal(
        'unknown-version',
        `a frame of version '${String.fromCharCode(view[at + 3])}' arrived, and this side speaks '1'; ` +
          'install the same version of Lethe on both sides',
        {},
      );
    const length = view.readUInt32LE(at + 20);
    if (length > largestPart || length > view.length - at - frameOverhead)
      throw refusal('malformed-frame', `a frame announces ${length} bytes that are not there`, { length });
    frames.push(bytes.subarray(at, at + length + frameOverhead));
    at += length + frameOverhead;
  } while (at < view.length);
  return frames;
}

/** Which part of its message a frame is, without a look at its tag: for transports. */
export const partOf = (frame: Uint8Array): number =>
  Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).readUInt16LE(16);
/** Number of parts that the frame's message has, without a look at its tag: for transports. */
export const partsOf = (frame: Uint8Array): number =>
  Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).readUInt16LE(18);

/** Whether the frame says that it is from a party, without a look at its tag. */
export const isFrom = (frame: Uint8Array, party: Party): boolean =>
  Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).readUInt16LE(6) === party;

const runAt = 24;
const planAt = 40;
/** The run that a frame names, without a look at its tag. */
export const runIn = (frame: Uint8Array): Uint8Array => frame.slice(runAt, planAt);
/** The plan that a frame names, without a look at its tag. */
export const planIn = (frame: Uint8Array): Uint8Array => frame.slice(planAt, headerSize);
/** The tag of a frame, which no other frame under its key has. */
const tagIn = (frame: Uint8Array): Uint8Array => frame.slice(-32);
/** Whether a frame has the tag of its bytes. */
const isAuthentic = (frame: Uint8Array, key: Uint8Array): boolean =>
  timingSafeEqual(tagOf(key, frame.subarray(0, -32)), frame.subarray(-32));

/**
 * What binds a refusal, and a reply that no plan names, to its request: the tag of that, or SHA-256 of the
 * whole where the silo has lost the key, since nobody vouches for its kind then. Zeros for a request that was
 * changed on its way, and for those of earlier versions, which draw no run.
 *
 * @param key - Of the request; `null` where the silo has lost it.
 */
export function boundTo(request: Uint8Array, key: Uint8Array | null): Uint8Array {
  const isOlder = runIn(request).every((byte) => byte === 0);
  if (isOlder || (key !== null && !isAuthentic(request, key))) return new Uint8Array(32);
  return key === null ? sha256(request) : tagIn(request);
}

/** @throws the refusal of the first rule that the frame breaks. The tag is the first of them. */
function openFrame(bytes: Uint8Array, { key, from, to, run, plan }: Expected): Frame {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isAuthentic(bytes, key))
    throw refusal(
      'wrong-tag',
      'a frame fails its tag: it was changed on its way, or the keys of the two sides do not belong together',
      {},
    );
  const kind = kindNames.get(view.readUInt8(4));
  if (kind === undefined)
    throw refusal('wrong-kind', `a frame has the unknown kind ${view.readUInt8(4)}`, {});
  const frame: Frame = {
    kind,
    flags: view.readUInt8(5),
    from: view.readUInt16LE(6),
    to: view.readUInt16LE(8),
    attempt: view.readUInt16LE(10),
    round: view.readUInt32LE(12),
    part: view.readUInt16LE(16),
    parts: view.readUInt16LE(18),
    run: runIn(bytes),
    plan: planIn(bytes),
    body: bytes.subarray(headerSize, bytes.length - 32),
  };
  if (frame.from !== from || frame.to !== to)
    throw refusal(
      'wrong-party',
      `a frame from ${frame.from} to ${frame.to} arrived from ${from} at ${to}`,
      {},
    );
  if (!same(frame.run, run)) throw refusal('wrong-run', 'a frame of another run arrived', {});
  if (!same(frame.plan, plan)) throw refusal('wrong-plan', 'a frame of another plan arrived', {});
  return frame;
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Puts the parts of one message together. Of several messages at a time it keeps the last begun. */
export interface Assembler {
  /**
   * Takes an authentic part.
   *
   * @returns the message, once all its parts are there.
   * @throws the refusal of the first rule that the frame breaks.
   */
  take(frame: Uint8Array, expected: Expected): Message | undefined;
}

export function createAssembler(): Assembler {
  let begun: { readonly name: string; readonly bodies: (Uint8Array | undefined)[] } | undefined;
  return {
    take(bytes, expected) {
      const { part, parts, ...frame } = openFrame(bytes, expected);
      const most = partsFor(expected.largest);
      const isLast = part === parts - 1;
      if (parts < 1 || parts > most || part >= parts || (!isLast && frame.body.length !== largestPart))
        throw refusal(
          'wrong-length',
          `part ${part} of ${parts} with ${frame.body.length} bytes arrived; ` +
            `the plan implies at most ${expected.largest} bytes`,
          { part, parts },
        );
      if (parts === 1) return whole(frame, [frame.body], expected);
      const name = [frame.kind, frame.round, frame.attempt, frame.flags, parts, hexOf(frame.run)].join('/');
      if (begun?.name !== name) begun = { name, bodies: Array.from({ length: parts }, () => undefined) };
      begun.bodies[part] = frame.body.slice();
      const bodies = begun.bodies.filter((body) => body !== undefined);
      if (bodies.length < parts) return undefined;
      begun = undefined;
      return whole(frame, bodies, expected);
    },
  };
}

function whole(frame: Message, bodies: readonly Uint8Array[], { largest }: Expected): Message {
  const length = bodies.reduce((sum, body) => sum + body.length, 0);
  if (length > largest)
    throw refusal(
      'wrong-length',
      `a message of ${length} bytes arrived; the plan implies at most ${largest}`,
      {
        length,
        largest,
      },
    );
  return { ...frame, body: joinedBytes(bodies) };
}
