import { ask, InvalidParameter, type Program, type Batch } from '@lethe/core';
import { fixedSize } from './fixed-size.js';

/** Batches of one level: `odd` and `even` are the halves of `whole`. */
export interface NestedBatches {
  readonly whole: Batch;
  readonly odd: Batch;
  readonly even: Batch;
}

/**
 * The batches B, O and E of a bias-reduced estimator: `whole` is a uniform subset of `2^(level + 1)` slots,
 * `odd` and `even` its halves after a shuffle. All three share one scope: their queries are amplified
 * together, and queries of the two halves compose in parallel. The scope ends with the next draw from `from`,
 * such as {@link singleRecord}, or with `ask.close(whole)`; send all queries of these batches first.
 *
 * @param nested - `from`: a batch of exact size; `level`: 0 to `⌊log₂ slots⌋ − 1`, drawn from public coins.
 * @throws {InvalidParameter} when the level is not one of these.
 * @see Ghazi, Guzmán, Kamath, Kumar and Manurangsi, Differentially
 * private optimization with sparse gradients, Algorithm 3.
 */
export function* nestedBatches({
  from,
  level,
}: {
  readonly from: Batch;
  readonly level: number;
}): Program<NestedBatches> {
  const half = 2 ** level;
  if (!Number.isSafeInteger(level) || level < 0 || 2 * half > from.normaliser) {
    throw new InvalidParameter(
      `level ${level} needs ${2 * half} slots and batch '${from.id}' has ${from.normaliser}; ` +
        'give a whole number from 0 to ⌊log2 slots⌋ − 1',
      { level, slots: from.normaliser },
    );
  }
  const whole = yield* ask.draw({ sampler: fixedSize({ size: 2 * half }), from });
  const [odd, even] = yield* ask.split({
    of: whole,
    order: 'shuffled',
    parts: { by: 'size', sizes: [half, half] },
  });
  return { whole, odd: odd, even: even };
}

/**
 * The batch I of a bias-reduced estimator: one slot, uniform on all of `from` and independent of every other
 * draw. Ends the scope of {@link nestedBatches} from the same batch, as any draw does.
 */
export function* singleRecord({ from }: { readonly from: Batch }): Program<Batch> {
  return yield* ask.draw({ sampler: fixedSize({ size: 1 }), from });
}
