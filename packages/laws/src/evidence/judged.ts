import type { Evidence } from './e-process.js';

/** Evidence that was asked whether it rejects, with the level it was last asked at. */
type Judged = Map<Pick<Evidence, 'reach'>, number>;

let watched: Judged | undefined;

/** Notes that evidence is asked whether it rejects, where somebody watches; the answer passes through. */
export function noteJudged(evidence: Pick<Evidence, 'reach'>, alpha: number, answer: boolean): boolean {
  watched?.set(evidence, alpha);
  return answer;
}

/**
 * Notes a test that is no betting process: by `reach`, the negative logarithm of the smallest p-value that
 * its observations could have had, and by its level. `Infinity` where one observation is decisive.
 */
export const noteTest = (alpha: number, reach: number): void => {
  noteJudged({ reach }, alpha, false);
};

/**
 * Notes that a check ends before it has taken the observations it would take, because these speak for the
 * hypothesis: what counts is the reach of all of them.
 */
export const noteEnd = (
  { reach, samples }: Pick<Evidence, 'reach' | 'samples'>,
  { alpha, planned }: { readonly alpha: number; readonly planned: number },
): void => {
  noteTest(alpha, (reach * planned) / Math.max(1, samples));
};

/** The evidence that a check asked, as it stands at the end. */
export interface Asked {
  /** Its `reach`. */
  readonly reach: number;
  /** `ln(1/alpha)` of the last question. */
  readonly threshold: number;
}

/**
 * Runs a check and lists the evidence that it asked whether it rejects. One check is watched at a time: the
 * evidence of two that run at once is listed with the one that began last.
 */
export async function watchJudged<T>(
  check: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly asked: readonly Asked[] }> {
  const own: Judged = new Map();
  watched = own;
  try {
    const result = await check();
    return {
      result,
      asked: [...own].map(([{ reach }, alpha]) => ({ reach, threshold: -Math.log(alpha) })),
    };
  } finally {
    if (watched === own) watched = undefined;
  }
}
