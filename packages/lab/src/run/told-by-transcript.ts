import { Corrupt, openLog, type Store } from '@lethe/core';
import { answeredIn } from '@lethe/core/internal';

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
  const { records } = openLog(store, { magic: 'lethe-transcript', key });
  const run = (records[0] as { readonly run?: unknown } | null | undefined)?.run;
  if (typeof run !== 'string') throw new Corrupt('the transcript names no run; give another', {});
  return { run, answered: answeredIn(records) };
}
