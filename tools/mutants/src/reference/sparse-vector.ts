import type { Claim, EventKind, RandomSource } from '@lethe/core';
import { aboveThreshold, aboveThresholdEvent, type AboveThresholdOptions } from '@lethe/mechanisms';
import { queryPairs, type ReleaseSubject, type Subject } from '@lethe/laws';
import { defined } from '@lethe/numerics';

/** Bugs of published variants of the sparse vector technique, in noise and answers. */
export interface SparseVectorBugs {
  /** Factor on the noise of the threshold. @defaultValue 1 */
  readonly threshold?: number;
  /** Factor on the noise of every query. @defaultValue 1 */
  readonly query?: number;
  /**
   * Whether the noised query is released if above the threshold; the output is that number, if all earlier
   * queries were below. @defaultValue false
   */
  readonly tell?: boolean;
  /** Outputs known to be far likelier on the first neighbour, so that the audit need not learn them. */
  readonly betraying?: (output: ArrayLike<number>) => boolean;
}

type Options = Omit<AboveThresholdOptions, 'sensitivity'>;

/**
 * For each query in turn, whether it is above 0, by the real
 * mechanism with changed noise; 2 after the last answer.
 */
function answers(
  queries: readonly number[],
  options: Options,
  { threshold = 1, query = 1, tell = false }: SparseVectorBugs,
  random: RandomSource,
): Float64Array {
  const out = new Float64Array(queries.length).fill(2);
  let draws = 0;
  let latest = 0;
  const run = aboveThreshold({ ...options, sensitivity: 1 }, {
    laplaceInto(noise: Float64Array) {
      random.laplaceInto(noise);
      noise[0] *= draws++ === 0 ? threshold : query;
      latest = noise[0];
      return noise;
    },
  } as RandomSource);
  for (const [i, value] of queries.entries()) {
    out[i] = run.ask(value, 0) ? 1 : 0;
    if (run.isExhausted)
      return tell ? Float64Array.of(i === queries.length - 1 ? value + run.scales.query * latest : 1e3) : out;
  }
  return tell ? Float64Array.of(-1e3) : out;
}

const claims: readonly Claim[] = [
  {
    property: 'hockey-stick',
    statement: 'ε-differentially private whatever the number of queries',
    source: { id: 'lyu-su-li-2017', item: 'Theorem 2' },
  },
];

/**
 * A release on queries that all move by 1: some up to 0, the others down
 * to 0, against "no … no yes … yes"; only upwards for monotone queries.
 */
export function sparseVectorRelease(
  name: string,
  options: Options,
  bugs: SparseVectorBugs = {},
  {
    below = 3,
    monotone = options.monotone === true,
    proposed,
  }: {
    readonly below?: number;
    readonly monotone?: boolean;
    /** Number of queries on the pairs that the kit proposes, in place of the one above. */
    readonly proposed?: number;
  } = {},
): Subject<'release'> {
  const run = aboveThreshold({ ...options, sensitivity: 1 }, { laplaceInto: (out) => out } as RandomSource);
  const here = [
    ...Array.from({ length: below }, () => -1),
    ...Array.from({ length: options.cutOff }, () => (monotone ? -1 : 1)),
  ];
  const there = here.map(() => 0);
  const release: ReleaseSubject<readonly number[]> = {
    kind: 'release',
    name,
    claims,
    adjacency: 'replace-one',
    event: run.event({ 'replace-one': 1 }),
    kinds: [aboveThresholdEvent as EventKind],
    pairs: proposed === undefined ? [[here, there]] : queryPairs({ queries: proposed, monotone }),
    release: (queries, { random }) => answers(queries, options, bugs, random),
    ...(bugs.betraying === undefined
      ? {}
      : { logRatio: (output) => (defined(bugs.betraying)(output) ? 10 : 0) }),
  };
  return release as Subject<'release'>;
}
