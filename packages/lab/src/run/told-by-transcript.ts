import { Corrupt, openLog, type Store } from '@lethe/core';

/** The parts of a transcript's records that are read here: its heading, an answer, a checkpoint. */
type Line = Partial<{ readonly run: string; readonly index: number; readonly snapshot: number }> | null;

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
  const [heading, ...lines] = openLog(store, { magic: 'lethe-transcript', key }).records as readonly Line[];
  if (typeof heading?.run !== 'string') throw new Corrupt('the transcript names no run; give another', {});
  const last = lines.at(-1);
  // Answers follow one another, and a checkpoint stands where the next answer would.
  const answered = last === undefined ? 0 : (last?.snapshot ?? Number(last?.index) + 1);
  if (Number.isSafeInteger(answered)) return { run: heading.run, answered };
  throw new Corrupt('the last record of the transcript is neither an answer nor a checkpoint', {});
}
