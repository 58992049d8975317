import { Unsupported } from '@lethe/numerics';
import type { Store } from '../journal/store.js';
import type { LiveLoops, LiveLoopsOptions, StoredAnswer } from '../loops/live-loops.js';
import { plainLoops } from '../loops/loops.js';
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

/** How a driver keeps what a resumed run needs: in a transcript, with checkpoints from its loops. */
export interface Keeping {
  readonly open: OpenTranscript;
  loops(options: LiveLoopsOptions): LiveLoops;
}

/** The transcript of a run that has none. */
export const noTranscript: Transcript = {
  resume: null,
  length: 0,
  take: () => undefined,
  append: () => undefined,
  checkpoint: () => undefined,
};

/** Keeps nothing. @throws {Unsupported} for a store. */
export const keepNothing: Keeping = {
  open(store) {
    if (store !== undefined)
      throw new Unsupported(
        'driveOnce keeps no transcript; drive a run that is to be resumed with drive',
        {},
      );
    return noTranscript;
  },
  loops: () => ({ loops: plainLoops(), stored: () => undefined, remember: () => undefined }),
};
