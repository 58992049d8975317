import type { Bound, Problem } from '@lethe/core';
import { l2Clip } from '@lethe/mechanisms';

/** How records are bounded: by clipping to `clipNorm`, or by the Lipschitz constant that the curator’s data set certifies. */
export const boundBy = (clipNorm: number | null): Bound => (clipNorm === null ? { by: 'certificate', fact: 'lipschitz' } : { by: 'clip', clip: l2Clip({ radius: clipNorm }) });

/** The Lipschitz constant of every record, if the problem declares one. */
export function lipschitzOf({ facts }: Problem): number | null {
  const fact = facts['lipschitz'];
  return fact?.scope === 'every-record' ? fact.value : null;
}
