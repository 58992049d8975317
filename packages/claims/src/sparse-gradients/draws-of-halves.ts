import { Unsupported, type Batch, type DrawQuery, type SplitQuery } from '@lethe/core';
import type { DebiasedSubject } from './debiased-subject.js';

const batchOf = (id: string, normaliser: number): Batch =>
  ({ id, normaliser, size: 'exact', scope: null }) as Batch;

/** What the batches of one level are asked for as. */
export function drawsOfHalves(
  { nestedBatches }: Pick<DebiasedSubject, 'nestedBatches'>,
  slots: number,
  level: number,
): { readonly size: number; readonly order: SplitQuery['order']; readonly sizes: readonly number[] } {
  const program = nestedBatches({ from: batchOf('all records', slots), level });
  const drawn = program.next().value as DrawQuery;
  const { size } = drawn.sampler.params as { readonly size: number };
  const split = program.next(batchOf('whole', size)).value as SplitQuery;
  if (drawn.sampler.name !== 'fixed-size' || split.ask !== 'split' || split.parts.by !== 'size')
    throw new Unsupported('the halves are no split by size of a sample of fixed size', {});
  return { size, order: split.order, sizes: split.parts.sizes };
}
