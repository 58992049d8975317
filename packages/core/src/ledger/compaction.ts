import type { Log } from '../journal/log.js';
import { digestSize } from './digests.js';

/** When a ledger is worth writing anew with equal steps told once. */
export interface Compaction {
  /** Whether now, on an occasion that is there anyway, such as opening or the end of a run. */
  onOccasion(counted: () => number): boolean;
  /** Whether now, in the middle of a run: what was added since the last time takes half as many bytes as all before. */
  onGrowth(counted: () => number): boolean;
  /** Everything was written anew. */
  done(counted: number): void;
}

/** Bytes below which it is never worth it. */
const [least, leastGrowth] = [2 ** 14, 2 ** 16];

/**
 * Writing anew costs what the whole log has; each time it has grown by a fixed part of that, so all of them together cost a
 * fixed multiple of its final size. And at least half of the lines that were added must go, or nothing is gained.
 *
 * @param counted - Queries that the log, as it was opened, tells in steps; later, those that it could tell so.
 */
export function createCompaction(log: Pick<Log, 'size' | 'count'>, counted: number): Compaction {
  let then = { size: digestSize * counted, count: 0, counted };
  const pays = (now: () => number, growth: number): boolean =>
    log.size - then.size >= growth && 2 * (now() - then.counted) >= log.count - then.count;
  return {
    onOccasion: (now) => pays(now, Math.max(least, then.size / 8)),
    onGrowth: (now) => pays(now, Math.max(leastGrowth, then.size / 2)),
    done(now) { then = { size: log.size, count: log.count, counted: now }; },
  };
}
