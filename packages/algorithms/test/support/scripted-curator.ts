import type { Answer, Program, Batch, MeanQuery, Query, SplitQuery, Vector } from '@lethe/core';

/** What happened in a run: queries as asked (arrays copied), in order. */
export interface Recording {
  readonly queries: Query[];
}

/** A batch token such as a curator gives. */
export const batchOf = (id: string, normaliser: number, scope: string | null = null): Batch =>
  ({ id, normaliser, size: scope === null ? 'exact' : 'hidden', scope }) as Batch;

const copyOf = (query: Query): Query => structuredClone(query);

/**
 * Runs a generator against answers to its mean queries; batches
 * are made up. The answer may depend on the query and its number.
 */
export function play(
  run: Program<Vector>,
  slots: number,
  answer: (query: MeanQuery, number: number) => Vector,
): Recording & { readonly result: Vector } {
  const queries: Query[] = [];
  let means = 0;
  const reply = (asked: Query): Answer => {
    queries.push(copyOf(asked));
    if (asked.ask === 'draw')
      return batchOf(
        `draw${queries.length}`,
        (asked.sampler.params as { rate: number }).rate * slots,
        `draw${queries.length}`,
      );
    if (asked.ask === 'split') return sizesOf(asked).map((size, k) => batchOf(`part${k}`, size));
    if (asked.ask === 'mean') return answer(asked, means++);
    return null;
  };
  for (let step = run.next(null); ; step = run.next(reply(step.value))) {
    if (step.done === true) return { queries, result: step.value };
  }
}

function sizesOf({ parts }: SplitQuery): readonly number[] {
  if (parts.by !== 'size') throw new Error('expected a split by size');
  return parts.sizes;
}
