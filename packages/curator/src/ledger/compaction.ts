import type { Log } from '@lethe/core';
import { digestSize } from './digests.js';

/** Decides when to compact a ledger, that is, to rewrite it with equal steps stored once. */
export interface Compaction {
  /** Whether to compact at a natural point, such as opening or the end of a run. */
  onOccasion(counted: () => number): boolean;
  /** Whether to compact during a run: the log has grown by half since the last compaction. */
  onGrowth(counted: () => number): boolean;
  /** Notes that a compaction has finished. */
  done(counted: number): void;
}

/** Growth in bytes below which the log is not compacted: between runs, and during a run. */
const [least, leastGrowth] = [2 ** 14, 2 ** 16];

/**
 * A compaction costs time proportional to the log's size. The log grows by a fixed fraction between
 * compactions, so their total cost is a fixed multiple of its final size. A compaction must remove at least
 * half of the lines added since the last one.
 *
 * @param counted - Number of queries in steps, in the log as opened; later, in the log if it were compacted.
 */
export function createCompaction(log: Pick<Log, 'size' | 'count'>, counted: number): Compaction {
  let then = { size: digestSize * counted, count: 0, counted };
  const pays = (now: () => number, growth: number): boolean =>
    log.size - then.size >= growth && 2 * (now() - then.counted) >= log.count - then.count;
  return {
    onOccasion: (now) => pays(now, Math.max(least, then.size / 8)),
    onGrowth: (now) => pays(now, Math.max(leastGrowth, then.size / 2)),
    done(now) {
      then = { size: log.size, count: log.count, counted: now };
    },
  };
}
