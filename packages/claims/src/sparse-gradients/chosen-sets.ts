import { Unsupported, type Answer, type Batch, type Program, type Query, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { clippedGaussianMean } from './chosen-mean.js';
import type { DebiasedSubject } from './debiased-subject.js';

/** Numbers of records. */
export type Records = readonly number[];
export const range = (n: number): Records => Array.from({ length: n }, (_, i) => i);
/** All subsets of a size. */
export const subsets = (of: Records, size: number): readonly Records[] =>
  size === 0
    ? [[]]
    : of.flatMap((first, i) => subsets(of.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
export const average = (values: readonly number[]): number =>
  values.reduce((sum, x) => sum + x, 0) / values.length;

/** The sets that draws and the split of one call give. */
export interface ChosenSets {
  readonly whole: Records;
  readonly odd: Records;
  readonly single: Records;
}

const batchOf = (id: string, normaliser: number): Batch =>
  ({ id, normaliser, size: 'exact', scope: null }) as Batch;

/** Runs one estimate of one number on sets that are chosen; `of` answers means, by the number of the mean. */
export function estimateOn(
  { biasReducedEstimate }: Pick<DebiasedSubject, 'biasReducedEstimate'>,
  { slots, level }: { readonly slots: number; readonly level: number },
  { whole, odd, single }: ChosenSets,
  of: (set: Records, mean: number) => number,
): number {
  const sets = new Map<string, Records>();
  let means = 0;
  const named = (set: Records): Batch => {
    const id = `batch ${sets.size}`;
    sets.set(id, set);
    return batchOf(id, set.length);
  };
  const answer = (query: Query): Answer => {
    if (query.ask === 'draw') return named(sets.size === 0 ? whole : single);
    if (query.ask === 'split') return [named(odd), named(whole.filter((i) => !odd.includes(i)))];
    if (query.ask === 'mean') return Float64Array.of(of(defined(sets.get(query.batch.id)), means++));
    return null;
  };
  return played(
    biasReducedEstimate({
      at: Float64Array.of(0),
      from: batchOf('all records', slots),
      level,
      release: () => ({ mean: clippedGaussianMean, target: { unprotected: true } }),
    }),
    answer,
  )[0];
}

/** Answers queries until the program ends. @throws {Unsupported} for one that asks for ever. */
function played(program: Program<Vector>, answer: (query: Query) => Answer): Vector {
  let next = program.next();
  for (let asked = 0; next.done !== true; asked++) {
    if (asked > 100) throw new Unsupported('an estimate asks more than a hundred queries', {});
    next = program.next(answer(next.value));
  }
  return next.value;
}
