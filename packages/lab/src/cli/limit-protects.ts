import { InvalidParameter } from '@lethe/core';
import type { LimitWords } from './commands/limit-given.js';

/**
 * A limit is kept from then on, so that a slip of its delta would last.
 *
 * @throws {InvalidParameter} for a delta at which the limit protects nobody.
 */
export function assertLimitProtects(limit: LimitWords | undefined, records: number): void {
  if (limit?.delta === undefined || records <= 1 || limit.delta < 1 / records) return;
  throw new InvalidParameter(
    `--limit has delta ${limit.delta}, which is at least 1/${records}: publishing one of the ${records} ` +
      'records whole would keep it; take less',
    { ...limit, records },
  );
}
