import { memoryStore, openLog, type Store, type Vector } from '@lethe/core';
import { refusal } from './refusal.js';

interface Line {
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
 * @param isBegun - Whether the silo has answered queries of the run before.
 * @throws a refusal of a run that has begun and whose last sums are not stored.
 */
export function openSums(store: Store = memoryStore(), isBegun = false): SumsOfSilo {
  const log = openLog(store, { magic: 'lethe-sums' });
  let last = (log.records.at(-1) as Line | undefined) ?? null;
  log.forget();
  if (isBegun && last === null)
    throw refusal(
      'rolled-back',
      'the silo has answered queries of this run, and the server has lost its sums; resume with the ' +
        'store it began with',
      {},
    );
  const keep = (line: Line): void => {
    log.rewrite([line]);
    last = line;
  };
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
