import { Corrupt, openLog, type Store } from '@lethe/core';

/** The parts of older answers, which are objects, and of checkpoints that are read here. */
type Line = Partial<{ readonly index: number; readonly snapshot: number }>;

/**
 * What a stored transcript says was answered of a run, to be compared with its ledger: one that holds fewer
 * queries is older than its answers.
 *
 * @param key - The run's `transcriptKey`, which authenticates every record.
 * @throws {Corrupt} when it is damaged, or of another run.
 */
export function toldByTranscript(
  store: Store,
  key: Uint8Array,
): { readonly run: string; readonly answered: number } {
  const [heading, ...lines] = openLog(store, { magic: 'lethe-transcript', key }).records;
  const run = (heading as { readonly run?: unknown } | null | undefined)?.run;
  if (typeof run !== 'string') throw new Corrupt('the transcript names no run; give another', {});
  // Answers follow one another, and a checkpoint stands where the next answer would.
  let answered = 0;
  for (const line of lines) {
    const { index, snapshot } = (line ?? {}) as Line;
    answered = snapshot ?? (Array.isArray(line) ? answered : Number(index)) + 1;
  }
  if (Number.isSafeInteger(answered)) return { run, answered };
  throw new Corrupt('the last record of the transcript is neither an answer nor a checkpoint', {});
}
