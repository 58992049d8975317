import type { Answer, Curator, Query, Vector } from '@lethe/core';
import { copyAnswer, isAnswer, vectorsIn } from '@lethe/core/internal';
import { InvalidParameter, decode } from '@lethe/numerics';
import { failureOf, listen, type Asked, type Call, type Port, type Return, type Said } from './wire.js';

/** Options of {@link serveCurator}. */
export interface ServeOptions {
  /** Sees every failure as it was thrown, for the data owner's eyes. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Offers `curator` to a {@link remoteCurator} at the other end of `port`. One query is answered after
 * another. Typed errors about queries, parameters, limits and logs cross; any other failure crosses as
 * "failed" and stays here.
 *
 * @returns a function that stops serving.
 */
export function serveCurator(curator: Curator, port: Port, { onFailure }: ServeOptions = {}): () => void {
  const send = (
    call: number,
    outcome: { said: Said } | { failed: ReturnType<typeof failureOf> },
    transfer: ArrayBuffer[] = [],
  ): void => port.postMessage({ call, recorded: curator.recorded(), ...outcome } satisfies Return, transfer);
  const fail = (call: number, error: unknown): void => {
    onFailure?.(error);
    send(call, { failed: failureOf(error) });
  };
  const serve = async (call: Call): Promise<void> => {
    try {
      if (call.to !== 'answer') {
        send(call.call, { said: (await perform(curator, call)) ?? null });
        return;
      }
      const query = decode(call.query) as Query;
      const { answer, digest } = await curator.answer(call.index, query);
      // Another answer than the query demands is refused by the driver at the other end.
      if (!isAnswer(query, answer)) {
        send(call.call, { said: { answer, digest } });
        return;
      }
      const own = unshared(query, answer);
      send(
        call.call,
        { said: { answer: own, digest } },
        vectorsIn(query, own).map(({ buffer }) => buffer as ArrayBuffer),
      );
    } catch (error) {
      fail(call.call, error);
    }
  };
  let queue = Promise.resolve();
  return listen<Call | null>(port, (call) => {
    if (typeof call?.call === 'number') queue = queue.then(() => serve(call));
  });
}

/** What a curator says to anything but a query. */
export function perform(
  curator: Curator,
  call: Exclude<Asked, { readonly to: 'answer' }>,
): Said | undefined | Promise<Said | undefined> {
  switch (call.to) {
    case 'meet':
      return { facts: curator.facts, everyone: curator.allRecords };
    case 'spend':
      return curator.spent();
    case 'replay':
      return curator.replay(call.index, decode(call.query) as Query, call.digest) as
        | undefined
        | Promise<undefined>;
    default:
      throw new InvalidParameter(
        'a curator is asked to meet, spend, answer or replay, not to ' +
          `'${String((call as { to?: unknown }).to)}'`,
        {},
      );
  }
}

/**
 * The answer with arrays that can be moved whole: where one is
 * a view of something larger, or of shared memory, with copies.
 */
function unshared(query: Query, answer: Answer): Answer {
  const isWhole = ({ buffer, byteLength }: Vector): boolean =>
    buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  return vectorsIn(query, answer).every(isWhole) ? answer : copyAnswer(query, answer);
}
