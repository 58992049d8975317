import { Unsupported } from '@lethe/numerics';
import type { Store } from '../journal/store.js';
import type { StoredAnswer } from '../loops/live-loops.js';
import type { Heading } from './heading.js';
import type { Snapshot } from './transcript-lines.js';

/** What may be public of a run: heading, answers, checkpoints. */
export interface Transcript {
  /** The newest checkpoint. */
  readonly resume: Snapshot | null;
  /** Index of the first query without a stored answer. */
  readonly length: number;
  /** Hands over the stored answer to query `index`, once. */
  take(index: number): StoredAnswer | undefined;
  append(told: StoredAnswer): void;
  /** Stores a checkpoint; with `compact` in place of the answers before it. */
  checkpoint(snapshot: Snapshot, compact: boolean): void;
}

/** Opens the transcript in a store, if there is one. */
export type OpenTranscript = (
  store: Store | undefined,
  key: Uint8Array | undefined,
  heading: Heading,
  recorded: number,
) => Transcript;

/** The transcript of a run that has none. */
export const noTranscript: Transcript = {
  resume: null,
  length: 0,
  take: () => undefined,
  append: () => undefined,
  checkpoint: () => undefined,
};

/** @throws {Unsupported} for a store. */
export const openNone: OpenTranscript = (store) => {
  if (store !== undefined)
    throw new Unsupported('driveOnce keeps no transcript; drive a run that is to be resumed with drive', {});
  return noTranscript;
};
