import type { OpenQuery, PushQuery, Registry, Vector } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import { spacingOf } from '../whole-stream.js';

/** A sum over some silos of their running sums, in whole steps of the stream's grid. */
export interface SiloSum {
  /** Silos of the sum, in order. */
  readonly survivors: readonly number[];
  readonly sum: Vector;
}

/** What became of one round. */
export interface RoundOfSums {
  /** The sum of the round; `null` where there is none: nothing is released, and running sums go on. */
  readonly sum: SiloSum | null;
  /** The last sum before this round; `null` before the first. */
  readonly before: SiloSum | null;
  /** Whether sums are of what was added since a restart, the earlier ones being forgotten. */
  readonly isSince?: boolean;
  /** Digests of the query in the silos that have answered it; `null` for the others. */
  readonly digests: readonly (string | null)[];
}

/** The answer to a push, from a round. */
export interface AnsweredSum {
  readonly answer: Vector;
  readonly digests: readonly (string | null)[];
}

/** Makes increments of averages from sums of running sums. */
export interface SumDecoder {
  /**
   * Takes in a stream that is opened under the given name.
   *
   * @throws {Unsupported} for a second stream: running sums are those of one.
   */
  open(id: string, query: OpenQuery): void;
  answer(query: PushQuery, round: RoundOfSums): AnsweredSum;
}

/**
 * An average is the sum of the running sums of the round's silos over the records of their batches;
 * increments are differences of averages. Rounding of averages in doubles comes after the noise.
 */
export function sumDecoder(registry: Registry, silos: number): SumDecoder {
  let stream:
    | { readonly id: string; readonly spacing: number; readonly normalisers: readonly number[] }
    | undefined;
  return {
    open(id, { bound, normaliser, normalisers = Array.from({ length: silos }, () => normaliser) }) {
      if (stream !== undefined && stream.id !== id)
        throw new Unsupported(`a run of secure sums has one stream, and a second one '${id}' was opened`, {
          stream: id,
        });
      stream = { id, spacing: spacingOf(registry, bound) ?? 0, normalisers };
    },
    answer({ stream: { id }, of }, { sum, before, isSince = false, digests }) {
      if (stream?.id !== id) throw new InvalidParameter(`stream '${id}' was never opened`, { stream: id });
      if (sum === null) return { answer: new Float64Array(of.terms[0].at.length), digests };
      if (isSince && sum.survivors.length < silos)
        throw new Unsupported(
          'a federation that was started again without its last sums misses a silo, so that the increment ' +
            'of the average is not known; wait for all silos',
          { survivors: sum.survivors },
        );
      const { spacing, normalisers } = stream;
      const unit = ({ survivors }: SiloSum): number =>
        spacing / survivors.reduce((all, silo) => all + normalisers[silo], 0);
      const now = unit(sum);
      if (before === null) return { answer: sum.sum.map((one) => one * now), digests };
      if (before.survivors.join() === sum.survivors.join())
        return { answer: sum.sum.map((one, j) => (one - before.sum[j]) * now), digests };
      const then = unit(before);
      return { answer: sum.sum.map((one, j) => one * now - before.sum[j] * then), digests };
    },
  };
}
