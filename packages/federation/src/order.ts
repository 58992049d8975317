import { refusal } from './refusal.js';
import type { StoredAnswer } from './silo-log.js';

/** @throws the refusal of a query that is not the next one of the plan. */
export function assertOrder(
  index: number,
  last: StoredAnswer | null,
  { queries, gaps }: { readonly queries: number; readonly gaps: boolean },
): void {
  const next = last === null ? 0 : last.place.index + 1;
  if (index >= queries)
    throw refusal('beyond-plan', `query ${index} is beyond the ${queries} of the plan`, { index, queries });
  if (index < next)
    throw refusal('past-round', `query ${index} is past; the last one answered is ${next - 1}`, { index });
  if (index > next && !gaps)
    throw refusal('skipped-round', `query ${index} skips ${index - next}; the next one is ${next}`, {
      index,
    });
}
