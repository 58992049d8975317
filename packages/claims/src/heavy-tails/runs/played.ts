import {
  plainLoops,
  seededRandom,
  type Answer,
  type Batch,
  type DrawQuery,
  type Ref,
  type Run,
  type Vector,
} from '@lethe/core';
import { publicCoins } from '@lethe/numerics';

/** A mean that a run asked for. */
export interface Asked {
  readonly at: readonly number[];
  readonly batch: Batch;
  readonly mean: Ref<'mean'>;
  /** The sampler of the draw that the batch is, and from which batch; `null` where it is dealt. */
  readonly drawn: { readonly sampler: Ref<'sampler'>; readonly from: string } | null;
}

/** What a run asked for and ended in. */
export interface Played {
  readonly asked: readonly Asked[];
  readonly output: Vector;
}

const batchOf = (id: string, normaliser: number): Batch =>
  ({ id, normaliser, size: 'exact', scope: null }) as Batch;

/**
 * A run whose means are answered by a function, without a curator and without noise. Parts of a split have
 * the names `part 1`, `part 2`, …
 */
export function played(
  run: Run,
  { start, records }: { readonly start: readonly number[]; readonly records: number },
  answer: (at: Vector, step: number) => readonly number[],
): Played {
  const asked: Asked[] = [];
  const draws = new Map<string, Pick<DrawQuery, 'from' | 'sampler'>>();
  const steps = run.steps({
    allRecords: batchOf('everyone', records),
    start: Float64Array.from(start),
    random: publicCoins(seededRandom('coins of a played run')),
    ...plainLoops(),
  });
  const drawnFrom = (from: Batch, sampler: Ref<'sampler'>): Batch => {
    const id = `draw ${draws.size + 1}`;
    draws.set(id, { from, sampler });
    return batchOf(id, from.normaliser);
  };
  const answered = (query: Exclude<ReturnType<typeof steps.next>['value'], Vector>): Answer => {
    switch (query.ask) {
      case 'split':
        return query.parts.by === 'size'
          ? query.parts.sizes.map((size, i) => batchOf(`part ${i + 1}`, size))
          : null;
      case 'draw':
        return drawnFrom(query.from, query.sampler);
      case 'mean': {
        const { of, mean, sampler } = query;
        const batch = sampler === undefined ? query.batch : drawnFrom(query.batch, sampler);
        const draw = draws.get(batch.id);
        const drawn = draw === undefined ? null : { sampler: draw.sampler, from: draw.from.id };
        asked.push({ at: [...of.terms[0].at], batch, mean, drawn });
        return Float64Array.from(answer(of.terms[0].at, asked.length - 1));
      }
      default:
        return null;
    }
  };
  for (let next = steps.next(); ;) {
    if (next.done === true) return { asked, output: next.value };
    next = steps.next(answered(next.value));
  }
}
