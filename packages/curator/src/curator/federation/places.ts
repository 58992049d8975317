import type { Curator } from '@lethe/core';
import { Unsupported } from '@lethe/numerics';

/** Which query each silo is at: a silo that misses one has answered fewer than the federation. */
export interface Places {
  hasMissed(silo: number, index: number): boolean;
  isLast(index: number): boolean;
  indexAt(silo: number, index: number): number;
  settle(index: number, isThere: readonly boolean[]): void;
  /** @throws {Unsupported} unless the query is the next one, or the last. */
  assertNext(index: number): void;
  recorded(): number;
}

export function createPlaces(silos: readonly Pick<Curator, 'facts' | 'recorded'>[]): Places {
  const missed = silos.map(() => 0);
  let last: { readonly index: number; readonly isThere: readonly boolean[] } | undefined;
  return {
    isLast: (index) => last?.index === index,
    hasMissed: (silo, index) => last?.index === index && !last.isThere[silo],
    // A silo that may skip queries is told the federation's number.
    indexAt: (silo, index) => (silos[silo].facts.gaps === true ? index : index - missed[silo]),
    settle(index, isThere) {
      if (last?.index === index) return;
      isThere.forEach((here, silo) => (missed[silo] += here ? 0 : 1));
      last = { index, isThere };
    },
    assertNext(index) {
      const next = last === undefined ? 0 : last.index + 1;
      if (index <= next) return;
      throw new Unsupported(
        'a run whose silos may miss rounds, or trust their server, is resumed by all of its answers, and ' +
          `query ${index} came where ${next} is next: keep its transcript, without checkpoints`,
        { index, next },
      );
    },
    recorded: () => Math.min(...silos.map((silo, i) => silo.recorded() + missed[i])),
  };
}
