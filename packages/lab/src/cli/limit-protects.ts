import { InvalidParameter } from '@lethe/core';
import { wholeRecordAt } from '../experiment/protection.js';
import type { LimitWords } from './commands/limit-given.js';

/**
 * Refuses a limit whose delta protects nobody: a limit is kept from then on.
 *
 * @throws {InvalidParameter} with the rule that it breaks.
 */
export function assertLimitProtects(limit: LimitWords | undefined, records: number): void {
  const why = limit?.delta === undefined ? null : wholeRecordAt(limit.delta, records);
  if (why !== null) throw new InvalidParameter(`--limit: ${why}; take less`, { ...limit, records });
}
