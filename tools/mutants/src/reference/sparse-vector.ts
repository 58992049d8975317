import type { Claim, PrivacyEvent, RandomSource } from '@lethe/core';
import type { ReleaseSubject, Subject } from '@lethe/laws';

/** A run of the sparse vector technique on queries of sensitivity 1 with threshold 0. */
export interface SparseVectorOptions {
  readonly epsilon: number;
  /** Answers above the threshold after which it stops. */
  readonly cutOff: number;
  /** Scale of the noise on each query. @defaultValue the least that is private: `4 cutOff / epsilon` */
  readonly queryScale?: number;
  /** Scale of the noise on the threshold. @defaultValue `2 / epsilon` */
  readonly thresholdScale?: number;
  /** The threshold gets new noise after each answer above it. @defaultValue false */
  readonly renew?: boolean;
  /** What stands for an answer above the threshold. @defaultValue 1 */
  readonly above?: (noisy: number) => number;
}

const laplace = (random: RandomSource, scale: number): number => scale * random.laplaceInto(new Float64Array(1))[0]!;

/**
 * For each query in turn, whether it lies above a noisy threshold; 2 after the last one that is answered. Half of ε goes to the
 * threshold. @see Lyu, Su, Li 2017, Algorithm 1.
 */
export function sparseVector(queries: readonly number[], options: SparseVectorOptions, random: RandomSource): Float64Array {
  const { epsilon, cutOff, queryScale = (4 * cutOff) / epsilon, thresholdScale = 2 / epsilon, renew = false, above = () => 1 } = options;
  const out = new Float64Array(queries.length).fill(2);
  let threshold = laplace(random, thresholdScale), answered = 0;
  for (const [i, query] of queries.entries()) {
    const noisy = query + laplace(random, queryScale);
    out[i] = noisy >= threshold ? above(noisy) : 0;
    if (noisy < threshold) continue;
    if (++answered === cutOff) break;
    if (renew) threshold = laplace(random, thresholdScale);
  }
  return out;
}

const claims: readonly Claim[] = [{ property: 'hockey-stick', statement: 'ε-differentially private whatever the number of queries', source: { id: 'lyu-su-li-2017', item: 'Theorem 2' } }];

/** As a release, on queries that all move by 1: three up to 0 and the others down to 0, against "no no no yes … yes". */
export function sparseVectorRelease(name: string, options: SparseVectorOptions): Subject<'release'> {
  const { epsilon, cutOff } = options;
  const event: PrivacyEvent = { kind: 'core/pure', v: 1, epsilon } as PrivacyEvent;
  const here = [-1, -1, -1, ...Array.from({ length: cutOff }, () => 1)], there = here.map(() => 0);
  const release: ReleaseSubject<readonly number[]> = {
    kind: 'release', name, claims, adjacency: 'replace-one', event, pairs: [[here, there]],
    release: (queries, { random }) => sparseVector(queries, options, random),
  };
  return release as Subject<'release'>;
}
