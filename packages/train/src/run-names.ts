const clip = '/clip';

/** The run of a ledger that finds the clip of a training. */
export const clipRunOf = (training: string): string => `${training}${clip}`;

/** The training that a run of a ledger belongs to: the quantile of its clip is charged as a run beside it. */
export const trainingOf = (run: string): string => (run.endsWith(clip) ? run.slice(0, -clip.length) : run);
