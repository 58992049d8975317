import type { Answered, Curator, PrivacyEvent, Query } from '@lethe/core';
import { createIntake } from '@lethe/core/internal';
import { decode, encode, InvalidParameter, Unsupported } from '@lethe/numerics';
import { perform } from './serve.js';
import { errorOf, failureOf, type Asked, type Introduction, type Reply, type Said } from './wire.js';

/**
 * Carries a request to the other side and brings its reply back. It may lose, repeat, delay and reorder both:
 * a request without a reply rejects, and is made again with the same bytes.
 */
export interface Link {
  /**
   * @param largest - Bytes of the reply at most, where the caller knows: what keeps a reply until it is whole
   * need not keep more.
   * @returns the reply, in memory that is the caller's from then on.
   * @throws any error where no reply came, by rejecting.
   */
  request(bytes: Uint8Array, largest?: number): Promise<Uint8Array>;
}

/** How often a request without a reply is made again. */
export interface RetryOptions {
  /** Requests with the same bytes, before the last failure is thrown. @defaultValue 5 */
  readonly attempts?: number;
  /**
   * Awaited before each new attempt, with the number of failures so far: the place to wait, by the caller's
   * clock. What it throws ends the attempts.
   */
  readonly pause?: (failures: number, reason: unknown) => Promise<void> | undefined;
}

/**
 * The outcome of the first attempt that does not reject.
 *
 * @param attempt - Is made again and again: it must be safe to repeat.
 * @throws the last failure.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { attempts = 5, pause }: RetryOptions = {},
): Promise<T> {
  if (!(attempts >= 1))
    throw new InvalidParameter(`attempts is ${attempts}; it must be at least 1`, { attempts });
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts) throw error;
      await pause?.(failures, error);
    }
  }
}

/** Options of {@link serveLink}. */
export interface ServeLinkOptions {
  /** Sees every failure as it was thrown, for the data owner's eyes. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The curator as a link in this process, for a {@link linkedCurator}; a transport calls `request` with what
 * it receives and sends back what it resolves to. It never rejects. Requests are answered one after another;
 * the last query asked again has the same answer and costs nothing.
 *
 * What crosses of failures is as with `serveCurator`. The bytes are neither secret nor authentic: on a
 * network they need a layer that makes them so.
 */
export function serveLink(curator: Curator, { onFailure }: ServeLinkOptions = {}): Link {
  const answered = async (request: Uint8Array): Promise<Said> => {
    const call = (decode(request) ?? {}) as Asked;
    if (call.to !== 'answer') return (await perform(curator, call)) ?? null;
    const { answer, digest } = await curator.answer(call.index, decode(call.query) as Query);
    return { answer, digest };
  };
  const reply = async (request: Uint8Array): Promise<Uint8Array> => {
    try {
      const said = await answered(request);
      return encode({ recorded: curator.recorded(), said } satisfies Reply);
    } catch (error) {
      onFailure?.(error);
      return encode({ recorded: curator.recorded(), failed: failureOf(error) } satisfies Reply);
    }
  };
  let queue: Promise<unknown> = Promise.resolve();
  return {
    request(bytes) {
      const own = new Uint8Array(bytes);
      const next = queue.then(() => reply(own));
      queue = next;
      return next;
    },
  };
}

/**
 * Meets the curator that {@link serveLink} offers at the other end. A request without a reply is made again
 * with the same bytes: a query that was answered has the same answer, and is not charged again.
 *
 * @returns a curator whose failures are the typed errors thrown at the other side.
 * @throws {Unsupported} when no attempt has a reply; its cause is the link's last failure.
 */
export async function linkedCurator(
  link: Link,
  options: RetryOptions = {},
): Promise<Curator<Promise<Answered>>> {
  if (typeof link?.request !== 'function')
    throw new InvalidParameter('a linked curator takes a link, which has request', {});
  let recorded = 0;
  const ask = async (request: Asked): Promise<Said> => {
    const bytes = encode(request);
    const back = await withRetries(async () => decode(await link.request(bytes)) as Reply, options).catch(
      (cause: unknown) => {
        throw new Unsupported(
          'the curator is out of reach: no attempt had a reply. Connect again and resume the run.',
          { to: request.to },
          { cause },
        );
      },
    );
    recorded = back.recorded;
    if ('failed' in back) throw errorOf(back.failed);
    return back.said;
  };
  const take = createIntake();
  const { facts, everyone } = (await ask({ to: 'meet' })) as Introduction;
  return {
    facts,
    allRecords: everyone,
    answer: async (index, query) =>
      (await ask({ to: 'answer', index, query: take(query).bytes.slice() })) as Answered,
    async replay(index, query, digest) {
      await ask({ to: 'replay', index, query: take(query).bytes.slice(), digest });
    },
    recorded: () => recorded,
    spent: async () => (await ask({ to: 'spend' })) as PrivacyEvent,
  };
}
