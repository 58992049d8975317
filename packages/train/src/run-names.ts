import { InvalidParameter } from '@lethe/core';

const clip = '/clip';

/** The run of a ledger that finds the clip of a training. */
export const clipRunOf = (training: string): string => `${training}${clip}`;

/**
 * The training that a run of a ledger belongs to: the quantile of its clip is charged as a run beside it.
 *
 * @throws {InvalidParameter} unless the run is a text.
 */
export function trainingOf(run: string): string {
  if (typeof run !== 'string')
    throw new InvalidParameter(`run is ${String(run)}; it must be the name of a run of a ledger`, {});
  return run.endsWith(clip) ? run.slice(0, -clip.length) : run;
}
