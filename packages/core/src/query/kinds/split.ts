import type { PrivacyEvent } from '../../events/schema.js';
import { batchesAnswer } from '../answer.js';
import { batch } from '../parts/tokens.js';
import { asWritten, row, type Examples } from '../row.js';
import {
  list,
  number,
  oneOf,
  reference,
  variant,
  withKind,
  type RecordOf,
  type VariantOf,
} from '../schema.js';
import { overall } from './mean.js';

const parts = {
  size: { sizes: list(number) },
  /** As many parts of one size, `⌊slots/count⌋`: in a federation of each silo's own slots. */
  count: { count: number },
  weight: { weights: list(number) },
  sampler: {
    sampler: reference('sampler'),
    /** Total cost of the releases of each batch of the sampler's partition, as a draw states it. */
    costs: { optional: withKind<PrivacyEvent>() },
  },
};
type Parts = VariantOf<'by', typeof parts>;

const fields = {
  of: batch,
  /** Concerns parts by size only: a batch with a scope is always split by fresh curator randomness. */
  order: oneOf('stored', 'shuffled'),
  parts: variant('by', parts),
};
type Split = RecordOf<typeof fields>;

function countOf(by: Parts): number | null {
  if (by.by === 'sampler') return null;
  if (by.by === 'count') return by.count;
  return (by.by === 'size' ? by.sizes : by.weights).length;
}

/** Disjoint parts of a batch; leftovers are dropped. */
export const split = row({
  fields,
  build: asWritten<Split>,
  answer: batchesAnswer(({ parts: by }: Split) => countOf(by)),
});

/** Examples of {@link split}. */
export const splitExamples: Examples<typeof split> = ({ allRecords, dealer, ...with_ }) => {
  const forms: { readonly [By in Parts['by']]: Extract<Parts, { readonly by: By }> } = {
    size: { by: 'size', sizes: [2, 3] },
    count: { by: 'count', count: 2 },
    weight: { by: 'weight', weights: [0.5, 0.25] },
    sampler: { by: 'sampler', sampler: dealer },
  };
  return Object.fromEntries(
    Object.values(forms).map((form) => [
      `a split by ${form.by}`,
      {
        query: () => ({ of: allRecords, order: 'shuffled' as const, parts: form }),
        after: (batches: readonly (typeof allRecords)[]) => batches.map((one) => overall(with_, one)),
      },
    ]),
  );
};
