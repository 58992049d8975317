import type { Answered, Curator } from '../curator/curator.js';
import { InvalidParameter } from '../errors.js';
import { decode } from '../journal/codec.js';
import type { Answer, Query } from '../query/query.js';
import { failureOf, listen, type Call, type Port, type Return, type Said } from './wire.js';

/** Options of {@link serveCurator}. */
export interface ServeOptions {
  /** Sees every failure as it was thrown, for the data owner's eyes. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Offers `curator` to a {@link remoteCurator} at the other end of `port`. One query is answered after another. Typed errors
 * about queries, parameters, limits and logs cross; any other failure crosses as "failed" and stays here.
 *
 * @returns a function that stops serving.
 */
export function serveCurator(curator: Curator, port: Port, { onFailure }: ServeOptions = {}): () => void {
  const send = (call: number, outcome: { said: Said } | { failed: ReturnType<typeof failureOf> }, transfer: ArrayBuffer[] = []): void =>
    port.postMessage({ call, recorded: curator.recorded(), ...outcome } satisfies Return, transfer);
  const fail = (call: number, error: unknown): void => {
    onFailure?.(error);
    send(call, { failed: failureOf(error) });
  };
  const serve = async (call: Call): Promise<void> => {
    try {
      const said = await perform(curator, call);
      if (call.to !== 'answer') { send(call.call, { said: said ?? null }); return; }
      const { answer, digest } = said as Answered;
      const own = unshared(answer);
      send(call.call, { said: { answer: own, digest } }, buffersOf(own));
    } catch (error) {
      fail(call.call, error);
    }
  };
  let queue = Promise.resolve();
  return listen<Call | null>(port, (call) => {
    if (typeof call?.call === 'number') queue = queue.then(() => serve(call));
  });
}

function perform(curator: Curator, call: Call): Said | undefined | Promise<Said | undefined> {
  switch (call.to) {
    case 'meet': return { facts: curator.facts, everyone: curator.everyone };
    case 'spend': return curator.spent();
    case 'answer': return curator.answer(call.index, decode(call.query) as Query);
    case 'replay': return curator.replay(call.index, decode(call.query) as Query, call.digest) as undefined | Promise<undefined>;
    default: throw new InvalidParameter(`a curator is asked to meet, spend, answer or replay, not to '${String((call as { to?: unknown }).to)}'`, {});
  }
}

/** Vectors that can be moved whole: a view of something larger, or of shared memory, is copied first. */
function unshared(answer: Answer): Answer {
  if (answer instanceof Float64Array) return answer.buffer instanceof ArrayBuffer && answer.byteLength === answer.buffer.byteLength ? answer : answer.slice();
  return typeof answer === 'object' && answer !== null && 'point' in answer ? { ...answer, point: unshared(answer.point) as Float64Array } : answer;
}

function buffersOf(answer: Answer): ArrayBuffer[] {
  const vector = answer instanceof Float64Array ? answer : typeof answer === 'object' && answer !== null && 'point' in answer ? answer.point : undefined;
  return vector?.buffer instanceof ArrayBuffer ? [vector.buffer] : [];
}
