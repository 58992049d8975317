import { memoryStore, openLog, type Store, type Vector } from '@lethe/core';
import { refusal } from './refusal.js';

interface Line {
  /** The run's name: a store may hold the sums of an earlier one. */
  readonly run: string;
  readonly index: number;
  readonly sum: Vector | null;
  /** The sum before. */
  readonly before: Vector | null;
}

/**
 * What a silo's stream has added since the last sum that arrived. A silo that may miss rounds sends sums, so
 * that a lost answer spoils one round and not all later ones.
 */
export interface SumsOfSilo {
  /** Notes an answer that is no sum. */
  pass(index: number): void;
  /** The increment of an answer that is a sum; asked again, the same. */
  increment(index: number, sum: Vector): Vector;
}

/**
 * @param store - On disk for servers that may restart.
 * @param options - `isBegun`: whether the silo has answered queries of the run before.
 * @throws a refusal of a run that has begun and whose last sums are not stored.
 */
export function openSums(
  store: Store = memoryStore(),
  { run, isBegun }: { readonly run: string; readonly isBegun: boolean },
): SumsOfSilo {
  const log = openLog(store, { magic: 'lethe-sums' });
  const stored = log.records.at(-1) as Line | undefined;
  let last: Line | null = stored?.run === run ? stored : null;
  log.forget();
  if (isBegun && last === null)
    throw refusal(
      'rolled-back',
      'the silo has answered queries of this run, and the server has lost its sums; resume with the ' +
        'store it began with',
      {},
    );
  const keep = (line: Omit<Line, 'run'>): void => {
    last = { run, ...line };
    log.rewrite([last]);
  };
  // Stored before the first query, so that a store that was lost is told from one that has nothing yet.
  if (last === null) keep({ index: -1, sum: null, before: null });
  return {
    pass(index) {
      if (last === null || index > last.index) keep({ index, sum: null, before: null });
    },
    increment(index, sum) {
      const isAgain = last?.index === index;
      const before = (isAgain ? last?.before : last?.sum) ?? null;
      if (!isAgain) keep({ index, sum, before });
      return before === null ? sum.slice() : sum.map((one, j) => one - before[j]);
    },
  };
}
