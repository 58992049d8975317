import { openLog, type Store } from '@lethe/core';
import type { SiloPlace } from '@lethe/core/federation';
import { readPlan, type SealedPlan } from './plan.js';
import { refusal } from './refusal.js';

/** An answer as it was sent: asked again, the same bytes are sent again. */
export interface StoredAnswer {
  /** Where the silo is after it; `place.index` is the number of the query. */
  readonly place: SiloPlace;
  /** SHA-256 of the query's flags and body. */
  readonly digest: Uint8Array;
  readonly flags: number;
  /** Sealed, where the server is a trusted aggregator. */
  readonly body: Uint8Array;
}

type Line =
  | { readonly plan: Uint8Array; readonly signature: Uint8Array }
  | { readonly ended: string }
  | { readonly answer: StoredAnswer };

/** What a silo has agreed to and answered. Lines are on disk before the message that they record is sent. */
export interface SiloLog {
  /** The plan of the run, and the server's signature of it; `null` before there is one. */
  agreed(): { readonly sealed: SealedPlan; readonly signature: Uint8Array } | null;
  /** Why the run is over; `null` while it goes on. */
  ended(): string | null;
  last(): StoredAnswer | null;
  /** Begins a run; what is stored of an ended one is dropped. */
  agree(sealed: SealedPlan, signature: Uint8Array): void;
  answered(answer: StoredAnswer): void;
  end(reason: string): void;
}

/** Answers between rewritings: only the last one is ever sent again. */
const mostLines = 16;

/**
 * @throws {Corrupt} when the stored bytes were damaged.
 */
export function openSiloLog(store: Store): SiloLog {
  const log = openLog(store, { magic: 'lethe-silo' });
  let agreed: ReturnType<SiloLog['agreed']> = null;
  let ended: string | null = null;
  let last: StoredAnswer | null = null;
  const learn = (line: Line): void => {
    if ('plan' in line) {
      agreed = { sealed: readPlan(line.plan), signature: line.signature };
      [ended, last] = [null, null];
    } else if ('ended' in line) ({ ended } = line);
    else last = line.answer;
  };
  for (const line of log.records) learn(line as Line);
  log.forget();
  const guarded = (write: () => void): void => {
    try {
      write();
    } catch (cause) {
      throw refusal(
        'not-stored',
        'the silo cannot store what it is about to send, so it sends nothing; its owner finds the reason ' +
          'there',
        {},
        cause,
      );
    }
  };
  const append = (line: Line): void => {
    guarded(() => log.append(line));
    learn(line);
  };
  return {
    agreed: () => agreed,
    ended: () => ended,
    last: () => last,
    agree(sealed, signature) {
      const line = { plan: sealed.bytes, signature };
      guarded(() => log.rewrite([line]));
      learn(line);
    },
    answered(answer) {
      if (log.count < mostLines || agreed === null) {
        append({ answer });
        return;
      }
      const kept: Line[] = [{ plan: agreed.sealed.bytes, signature: agreed.signature }, { answer }];
      guarded(() => log.rewrite(kept));
      last = answer;
    },
    end: (reason) => append({ ended: reason }),
  };
}
