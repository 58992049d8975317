import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { InvalidParameter } from '@lethe/core';
import type { Link } from '@lethe/curator/federation';
import {
  connect,
  createInbox,
  nkeyAuthenticator,
  type Msg,
  type NatsConnection as Connection,
} from '@nats-io/transport-node';
import { joinedBytes } from './bytes.js';
import { bytesOf } from '@lethe/numerics';
import { cutFrames, partOf, partsOf } from './frame.js';
import type { PublicIdentity } from './identity.js';
import type { SiloService } from './silo.js';
import { pointsForAll, type PointsForAll } from './points-for-all.js';
import {
  fromMessage,
  isReplySubject,
  messageHead,
  sizeWithPoint,
  withRequests,
  type RequestWithPoint,
} from './with-point.js';

/**
 * A connection to a NATS server, as {@link connectNats} makes it. Its other members are those of
 * `@nats-io/transport-node`, whose types do not hold under every compiler option.
 */
export interface NatsConnection {
  /** Closes at once: what is buffered is lost. */
  close(): Promise<void>;
  /** Sends what is buffered, and closes. */
  drain(): Promise<void>;
  /** Whether the connection is closed. */
  isClosed(): boolean;
  /** Resolves when the connection is closed, with the reason if it is an error. */
  closed(): Promise<Error | void>;
}
const open = (connection: NatsConnection): Connection => connection as Connection;

/** How a NATS server is reached. */
export interface NatsOptions {
  /** Such as `nats://127.0.0.1:4222`, or `tls://…`; several of one cluster with commas between. */
  readonly servers: string;
  /** A token, where the server asks for one. */
  readonly token?: string | undefined;
  /** File with the seed of an nkey (`SU…`), where the server asks for one. */
  readonly nkeyFile?: string | undefined;
  /**
   * PEM files for TLS: the authority that signed the server's certificate, and this side's own certificate.
   */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Shown in the server's list of connections. */
  readonly name?: string | undefined;
  /** Waits for a server that is not there yet, in place of failing. @defaultValue true */
  readonly wait?: boolean;
  /** Called once where a server is waited for. */
  readonly onWait?: () => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between attempts to connect again. */
const reconnectPause = 250;

/**
 * Connects to a NATS server, and again whenever the connection is lost.
 *
 * @throws {InvalidParameter} for a token beside an nkey, a certificate without its key, and for a server that
 * refuses the connection. Rejects with an `AbortError` when the wait is ended.
 */
export async function connectNats({
  wait = true,
  onWait,
  signal,
  ...options
}: NatsOptions): Promise<NatsConnection> {
  const { servers, token, nkeyFile, caFile, certFile, keyFile, name } = options;
  if (token !== undefined && nkeyFile !== undefined)
    throw new InvalidParameter('give a token or an nkey, whichever the NATS server asks for', {});
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new InvalidParameter('a certificate and its key belong together; give both files', {});
  const hasTls = caFile !== undefined || certFile !== undefined || servers.includes('tls://');
  const how = {
    servers: servers.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectPause,
    ...(name === undefined ? {} : { name }),
    ...(token === undefined ? {} : { token }),
    ...(nkeyFile === undefined
      ? {}
      : {
          authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(nkeyFile, 'utf8').trim())),
        }),
    ...(hasTls
      ? {
          tls: {
            ...(caFile === undefined ? {} : { caFile }),
            ...(certFile === undefined ? {} : { certFile }),
            ...(keyFile === undefined ? {} : { keyFile }),
          },
        }
      : {}),
  };
  for (let attempt = 1; ; attempt++)
    try {
      return await connect(how);
    } catch (error) {
      // A server that is not there yet is waited for; one that refuses is not asked again.
      if (!wait || !isAway(error))
        throw new InvalidParameter(
          `no connection to the NATS server at ${servers}: ` +
            `${error instanceof Error ? error.message : String(error)}`,
          { servers },
          { cause: error },
        );
      if (attempt === 1) onWait?.();
      await pause(reconnectPause, undefined, { signal });
    }
}

const codesOfAway: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'ENOTFOUND']);

/** Whether nobody listens at the address or answers in time, or its name is not known yet. */
function isAway(error: unknown): boolean {
  const codes = [error, (error as Error | undefined)?.cause].map(
    (one) => (one as { code?: unknown } | undefined)?.code,
  );
  const isSilent =
    error instanceof Error && (error.name === 'TimeoutError' || /refused/iu.test(error.message));
  return isSilent || codes.some((code) => codesOfAway.has(code));
}

/** The subject on which a silo listens: a name of its public key. */
export const subjectOf = (key: PublicIdentity): string => `lethe.silo.${nameOf(key)}`;
/** The subject on which a server sends points to all its silos: a name of the server's public key. */
export const pointsSubjectOf = (key: PublicIdentity): string => `lethe.points.${nameOf(key)}`;
const nameOf = ({ text }: PublicIdentity): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Points for all silos, and the requests that travel with them. */
export interface NatsPoints extends PointsForAll {
  /**
   * Takes a request along with the point that was sent last, where that has not left yet.
   *
   * @param failed - Called where the message cannot be sent.
   * @returns whether it was taken.
   */
  takeAlong(request: RequestWithPoint, failed: (error: unknown) => void): boolean;
}

/** The bytes of a point over those of all requests in its message, at least: every silo receives them. */
const pointOverRequests = 8;

/**
 * Points for all silos that listen on `subject`. A point leaves when the program waits next: the queries that
 * {@link natsLink} sends until then travel in its message, so that each silo is woken once.
 */
export function natsPoints(connection: NatsConnection, subject: string): NatsPoints {
  let waiting: {
    readonly piece: Uint8Array;
    size: number;
    readonly requests: { readonly request: RequestWithPoint; readonly failed: (error: unknown) => void }[];
  } | null = null;
  const leave = (): void => {
    if (waiting === null) return;
    const { piece, requests } = waiting;
    waiting = null;
    try {
      open(connection).publish(
        subject,
        withRequests(
          piece,
          requests.map(({ request }) => request),
        ),
      );
    } catch (error) {
      for (const { failed } of requests) failed(error);
    }
  };
  const { send } = pointsForAll((piece) => {
    leave();
    waiting = { piece, size: 0, requests: [] };
    setImmediate(leave);
  });
  return {
    send,
    takeAlong(request, failed) {
      if (waiting === null) return false;
      const { piece, requests } = waiting;
      const size = waiting.size + (sizeWithPoint(request) ?? Infinity);
      const most = Math.min(
        piece.length / pointOverRequests,
        roomIn(connection) - messageHead - piece.length,
      );
      if (size > most) {
        // What does not travel with the point comes after it.
        leave();
        return false;
      }
      waiting.size = size;
      requests.push({ request, failed });
      return true;
    },
  };
}
/** Bytes that a message of this connection has at most. */
const roomIn = (connection: NatsConnection): number => open(connection).info?.max_payload ?? 0;

/** A link over NATS, which listens for replies until it is closed. */
export interface NatsLink extends Link {
  /** Stops listening, and rejects what has no reply yet; the connection stays open. */
  close(): void;
}

/** Where whoever serves a subject says that it is there. */
const arrivalsOf = (subject: string): string => `${subject}.up`;
/** Milliseconds after which it is asked whether anybody listens still. */
const probeAfter = 2000;
/** Milliseconds between repetitions of one request: strangers may announce arrivals. */
const leastPause = 200;

/** Calls `action` whenever the connection was lost and is there again. */
async function afterReconnects(connection: NatsConnection, action: () => void): Promise<void> {
  for await (const { type } of open(connection).status())
    if (type === 'reconnect' && !connection.isClosed()) action();
}

/** The code in the headers of a message: strangers may send some that are none. */
function codeOf(message: Msg): number | undefined {
  try {
    return message.headers?.code;
  } catch {
    // An error in a callback ends the reading of its connection.
    return undefined;
  }
}

interface Waiting {
  readonly parts: Map<number, Uint8Array>;
  /** Bytes of the reply at most. */
  readonly largest: number;
  /** Bytes of the parts. */
  size: number;
  /** Sends the request again. */
  repeat(): void;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * A link to whoever serves `subject`. Each frame is a message of its own, so that no message is longer than
 * NATS carries; replies may have several, in any order. A request without a reply is sent again when the
 * other side, or the connection, is there again, and fails as soon as nobody listens.
 *
 * @param seconds - Until a request counts as lost.
 * @param points - Those that are sent to this silo among others: queries about them travel with them.
 */
export function natsLink(
  connection: NatsConnection,
  subject: string,
  seconds: number,
  points?: Pick<NatsPoints, 'takeAlong'>,
): NatsLink {
  const inbox = createInbox();
  const waiting = new Map<string, Waiting>();
  const receive = (message: Msg): void => {
    const { subject: to, data } = message;
    const asked = waiting.get(to);
    if (asked === undefined) return;
    if (data.length === 0) {
      if (codeOf(message) === 503)
        asked.reject(new Error(`nobody listens on ${subject}; nobody with that key is connected`));
      return;
    }
    // Whether a frame is authentic is for who made the request to say.
    try {
      for (const frame of cutFrames(data)) {
        asked.size += frame.length - (asked.parts.get(partOf(frame))?.length ?? 0);
        if (asked.size > asked.largest)
          throw new Error(`a reply of more than ${asked.largest} bytes came on ${subject}`);
        asked.parts.set(partOf(frame), bytesOf(frame));
        if (asked.parts.size < partsOf(frame)) continue;
        const parts = [...asked.parts].toSorted(([one], [other]) => one - other).map(([, part]) => part);
        asked.resolve(joinedBytes(parts));
      }
    } catch (error) {
      asked.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const subscription = open(connection).subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error === null) receive(message);
    },
  });
  const repeatAll = (): void => {
    for (const one of waiting.values()) one.repeat();
  };
  const arrivals = open(connection).subscribe(arrivalsOf(subject), { callback: repeatAll });
  let isOpen = true;
  void afterReconnects(connection, () => isOpen && repeatAll());
  let requests = 0;
  return {
    request: (bytes, largest = Infinity) =>
      new Promise((resolve, reject) => {
        if (!isOpen) throw new Error('the link is closed');
        requests += 1;
        const reply = `${inbox}.${requests}`;
        const done = (): void => {
          clearTimeout(timer);
          clearTimeout(later);
          clearInterval(probe);
          waiting.delete(reply);
        };
        const fail = (error: unknown): void => {
          done();
          reject(error instanceof Error ? error : new Error(String(error)));
        };
        // What throws within a callback of a connection would end its reading.
        const failing = (publish: () => void) => (): void => {
          try {
            publish();
          } catch (error) {
            fail(error);
          }
        };
        let sent = 0;
        const send = failing(() => {
          sent = performance.now();
          if (points?.takeAlong({ subject, reply, frame: bytes }, fail) === true) return;
          for (const frame of cutFrames(bytes)) open(connection).publish(subject, frame, { reply });
        });
        let later: NodeJS.Timeout | undefined;
        // Nobody replies to an empty message; NATS does where nobody listens.
        const ask = failing(() => open(connection).publish(subject, undefined, { reply }));
        const probe = setInterval(ask, probeAfter);
        const timer = setTimeout(() => {
          done();
          reject(new Error(`no reply within ${seconds} s`));
        }, 1000 * seconds);
        waiting.set(reply, {
          parts: new Map(),
          largest,
          size: 0,
          repeat() {
            // Whoever is back just after a request may have lost it before.
            const rest = leastPause - (performance.now() - sent);
            if (rest <= 0) send();
            else
              later ??= setTimeout(() => {
                later = undefined;
                send();
              }, rest);
          },
          resolve(whole) {
            done();
            resolve(whole);
          },
          reject: fail,
        });
        send();
      }),
    close() {
      isOpen = false;
      for (const one of waiting.values()) one.reject(new Error('the link was closed'));
      subscription.unsubscribe();
      arrivals.unsubscribe();
    },
  };
}

/**
 * Answers what arrives on `subject` through `link`, such as a `siloService`, and says that it is there: a
 * server that waits sends its request again at once.
 *
 * @param points - The subject of what is sent to all silos, and the silo that takes it.
 * @returns a function that stops it.
 */
export function serveNats(
  connection: NatsConnection,
  subject: string,
  link: Link,
  points?: { readonly subject: string } & Pick<SiloService, 'take'>,
): () => void {
  const serve = (frame: Uint8Array, replyTo: string): void => {
    if (!isReplySubject(replyTo)) return;
    void link
      .request(frame)
      .then((reply) => {
        if (reply.length === 0) return;
        for (const one of cutFrames(reply)) open(connection).publish(replyTo, one);
      })
      // A link that fails, or a connection that is closed, sends no reply: the request is made again.
      .catch(() => undefined);
  };
  const pieces =
    points &&
    open(connection).subscribe(points.subject, {
      callback: (error, { data }) => {
        const told = error === null ? fromMessage(data, subject) : null;
        if (told === null) return;
        points.take(told.piece);
        if (told.request !== null) serve(told.request.frame, told.request.reply);
      },
    });
  const subscription = open(connection).subscribe(subject, {
    callback: (error, { data, reply = '' }) => {
      if (error === null && data.length > 0) serve(data, reply);
    },
  });
  let isOpen = true;
  const arrive = (): void => {
    if (isOpen) open(connection).publish(arrivalsOf(subject));
  };
  arrive();
  void afterReconnects(connection, arrive);
  return () => {
    isOpen = false;
    subscription.unsubscribe();
    pieces?.unsubscribe();
  };
}
