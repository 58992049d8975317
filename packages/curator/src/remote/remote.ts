import type { Answered, Curator, PrivacyEvent } from '@lethe/core';
import { createIntake } from '@lethe/core/internal';
import { Unsupported } from '@lethe/numerics';
import { errorOf, listen, type Call, type Introduction, type Port, type Return, type Said } from './wire.js';

export type { Port } from './wire.js';

/** A curator at the other end of a port. */
export interface RemoteCurator extends Curator<Promise<Answered>> {
  /** Rejects all requests without a reply, and all later ones. Call it when the other side is gone. */
  disconnect(reason: Error): void;
}

type Unnumbered<C> = C extends unknown ? Omit<C, 'call'> : never;
interface Waiting {
  resolve(said: Said): void;
  reject(error: Error): void;
}

/**
 * Meets the curator that {@link serveCurator} offers at the other end of `port`: in a worker, a frame,
 * another process. The port is this curator's alone. Queries are copied when sent; the arrays of answers are
 * moved, not copied.
 *
 * @returns a curator whose failures are the typed errors thrown at the other side.
 */
export async function remoteCurator(port: Port): Promise<RemoteCurator> {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let recorded = 0;
  let gone: Error | undefined;

  const ask = (request: Unnumbered<Call>, transfer: ArrayBuffer[] = []): Promise<Said> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) {
        reject(gone);
        return;
      }
      const call = calls++;
      waiting.set(call, { resolve, reject });
      port.postMessage({ ...request, call } satisfies Call, transfer);
    });
  const stop = listen<Return | null>(port, (back) => {
    const asked = back === null ? undefined : waiting.get(back.call);
    if (back === null || asked === undefined) return;
    waiting.delete(back.call);
    recorded = back.recorded;
    if ('failed' in back) asked.reject(errorOf(back.failed));
    else asked.resolve(back.said);
  });
  const { facts, everyone: allRecords } = (await ask({ to: 'meet' })) as Introduction;
  const take = createIntake();

  return {
    facts,
    allRecords,
    async answer(index, query) {
      const bytes = take(query).bytes.slice();
      return (await ask({ to: 'answer', index, query: bytes }, [bytes.buffer])) as Answered;
    },
    async replay(index, query, digest) {
      const bytes = take(query).bytes.slice();
      await ask({ to: 'replay', index, query: bytes, digest }, [bytes.buffer]);
    },
    recorded: () => recorded,
    spent: async () => (await ask({ to: 'spend' })) as PrivacyEvent,
    disconnect(reason) {
      gone ??= new Unsupported(
        `the curator is out of reach: ${reason.message}. Connect again and resume the run.`,
        {},
        { cause: reason },
      );
      for (const { reject } of waiting.values()) reject(gone);
      waiting.clear();
      stop();
    },
  };
}
