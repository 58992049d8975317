import type { Answer, Batch, Query, Vector } from '@lethe/core';
import { isAnswer } from '@lethe/core/internal';
import { IncompatiblePlugins } from '@lethe/numerics';

/** Answers of silos to one query. */
export interface Replies {
  readonly query: Query;
  /** By silo; of one that is silent `undefined`. */
  readonly said: readonly ({ readonly answer: Answer } | undefined)[];
  readonly weights: readonly number[];
  /** Entries of the answer, where nobody answers. */
  readonly dimension: number;
}

/**
 * Answers of silos as one answer. Vectors and numbers are averaged over the silos that answered, but
 * increments of streams over all, so that a silo that is silent keeps its last sum; tokens are those of all
 * silos, whose slots add up.
 *
 * @throws {IncompatiblePlugins} for an answer of another shape than the query demands, or with another length
 * or another name than that of the first silo: nothing of it is used.
 */
export function joined({ query, said, weights, dimension }: Replies): Answer {
  const heard = said.flatMap((reply, silo) => (reply === undefined ? [] : [{ silo, answer: reply.answer }]));
  if (heard.length === 0) return query.ask === 'value' ? 0 : new Float64Array(dimension);
  const [first, ...others] = heard;
  const isSum = query.ask === 'push';
  for (const { silo, answer } of heard) assertFits(query, silo, answer);
  const { answer } = first;
  const of = <T>(read: (answer: Answer) => T): readonly (T | undefined)[] =>
    said.map((reply) => (reply === undefined ? undefined : read(reply.answer)));
  if (answer instanceof Float64Array)
    return averaged(
      of((one) => one as Vector),
      weights,
      isSum,
    );
  if (typeof answer === 'number')
    return averaged(
      of((one) => Float64Array.of(one as number)),
      weights,
      isSum,
    )[0];
  if (said.length === 1) return answer;
  const answers = heard.map((one) => one.answer);
  if (query.ask === 'split') return commonBatches(answers as readonly (readonly Batch[])[]);
  if (query.ask === 'draw') return commonBatch(answers as readonly Batch[]);
  const differs = others.find((other) => idOf(other.answer) !== idOf(answer));
  if (differs !== undefined) disagree(query.ask, differs.silo);
  return answer;
}

const idOf = (answer: Answer): string | null =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : null;

function assertFits(query: Query, silo: number, answer: Answer): void {
  if (isAnswer(query, answer)) return;
  throw new IncompatiblePlugins(
    `silo ${silo} answered '${query.ask}' with something else than it demands, or with a number that ` +
      'is not finite; its answer is not used',
    { silo, ask: query.ask },
  );
}

function disagree(ask: string, silo: number): never {
  throw new IncompatiblePlugins(
    `silo ${silo} and the first silo name what '${ask}' made differently: their ledgers do not hold the ` +
      'same run',
    { silo, ask },
  );
}

/** Batches that are one of each silo. */
function commonBatches(lists: readonly (readonly Batch[])[]): readonly Batch[] {
  const [first] = lists;
  const silo = lists.findIndex((list) => list.length !== first.length);
  if (silo >= 0) disagree('split', silo);
  return first.map((_, k) => commonBatch(lists.map((list) => list[k])));
}

/** A batch that is one of each silo. */
function commonBatch(batches: readonly Batch[]): Batch {
  const [{ id, size, scope }] = batches;
  const silo = batches.findIndex((one) => one.id !== id || one.size !== size || one.scope !== scope);
  if (silo >= 0) disagree('split', silo);
  const normaliser = batches.reduce((sum, one) => sum + one.normaliser, 0);
  return Object.freeze({ id, normaliser, size, scope }) as Batch;
}

/** `Σ p_i v_i` over those that are there, for averages over their weights. */
function averaged(
  vectors: readonly (Vector | undefined)[],
  weights: readonly number[],
  isSum: boolean,
): Vector {
  const length = vectors.find((one) => one !== undefined)?.length ?? 0;
  const out = new Float64Array(length);
  let total = 0;
  let isWhole = true;
  vectors.forEach((vector, silo) => {
    if (vector === undefined) {
      isWhole = false;
      return;
    }
    if (vector.length !== length)
      throw new IncompatiblePlugins(
        `silo ${silo} answered a vector of ${vector.length} entries, others of ${length}`,
        { silo, length: vector.length, expected: length },
      );
    total += weights[silo];
    addScaled(out, weights[silo], vector);
  });
  if (!isWhole && !isSum) for (let j = 0; j < length; j++) out[j] /= total;
  return out;
}

/** `out += factor · vector`: a function of its own, whose loop needs no boxed number for an entry. */
function addScaled(out: Vector, factor: number, vector: Vector): void {
  for (let j = 0; j < out.length; j++) out[j] += factor * vector[j];
}

/** What all silos have in common of their records. */
export const commonRecords = (tokens: readonly Batch[]): Batch =>
  tokens.length === 1 ? tokens[0] : commonBatch(tokens);
