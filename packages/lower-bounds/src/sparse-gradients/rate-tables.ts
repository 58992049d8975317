import { InvalidParameter } from '@lethe/core';
import { pureMeanRate, approximateMeanRate } from './mean-rates.js';

/** Public numbers of a row. Functions are L-Lipschitz and so on with constants 1, and failure is constant. */
export interface TableSetting {
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  /** Needed by the rows under (ε, δ). */
  readonly delta: number;
}

/** `coefficient/(εn)^power`. */
export interface PowerLaw {
  readonly coefficient: number;
  readonly power: number;
}

/**
 * Numbers of records at which one term of a rate takes over from another. Between the two the rate depends on
 * the dimension by a logarithm only; where `dense` is the smaller, nowhere.
 */
export interface Corners {
  /** From here on the sparse algorithm does better than an answer of 0. */
  readonly useful: number;
  /** From here on a dense algorithm does better than the sparse one. */
  readonly dense: number;
}

/** A row of Table 1 or 2 at a setting. */
export interface TableRow {
  readonly table: 1 | 2;
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** Of the algorithm for sparse gradients; nearly independent of the dimension. */
  readonly sparse: PowerLaw;
  /** Of the best algorithm for all gradients. */
  readonly dense: PowerLaw;
  /** Whether 1/√n is added, for the risk of a population. */
  readonly sampled: boolean;
  readonly corners: Corners;
  /** `min{1, sparse, dense}`, with 1/√n where sampled: the upper bound of the row. */
  upper(n: number): number;
  /** The lower bound of Table 1; `null` in Table 2, and where its conditions do not hold. */
  lower(n: number): number | null;
}

interface Entry extends Pick<TableRow, 'table' | 'title' | 'source'> {
  sparse(setting: TableSetting): PowerLaw;
  dense(setting: TableSetting): PowerLaw;
  readonly sampled?: true;
  lower?(setting: TableSetting & { readonly n: number }): number;
}

/** `R_ε = d/(εn)`. */
const denseWithEpsilon = ({ dimension }: TableSetting): PowerLaw => ({ coefficient: dimension, power: 1 });
/** `R_{ε,δ} = √(d ln(1/δ))/(εn)`. */
const denseWithDelta = ({ dimension, delta }: TableSetting): PowerLaw => ({
  coefficient: Math.sqrt(dimension * logInverse(delta)),
  power: 1,
});
/** `(s ln d · ln(1/δ))^{1/4}/√(εn)`, of output perturbation. */
const perturbedWithDelta = ({ dimension, sparsity, delta }: TableSetting): PowerLaw => ({
  coefficient: (sparsity * Math.log(dimension) * logInverse(delta)) ** 0.25,
  power: 0.5,
});
/** `(s ln d/(εn))^{1/3}`. */
const perturbedWithEpsilon = ({ dimension, sparsity }: TableSetting): PowerLaw => ({
  coefficient: (sparsity * Math.log(dimension)) ** (1 / 3),
  power: 1 / 3,
});

const entries = {
  'mean-pure': {
    table: 1,
    title: 'Mean, ε',
    source: 'Theorems 3.2 and 4.1',
    sparse: ({ dimension, sparsity }) => ({
      coefficient: Math.sqrt(sparsity * Math.log(dimension)),
      power: 0.5,
    }),
    dense: ({ dimension, sparsity }) => ({ coefficient: Math.sqrt(sparsity * dimension), power: 1 }),
    lower: pureMeanRate,
  },
  'mean-approximate': {
    table: 1,
    title: 'Mean, (ε, δ)',
    source: 'Theorems 3.4 and 4.5',
    sparse: ({ dimension, sparsity, delta }) => ({
      coefficient: (sparsity * Math.log(dimension / sparsity) * logInverse(delta)) ** 0.25,
      power: 0.5,
    }),
    dense: denseWithDelta,
    lower: approximateMeanRate,
  },
  'convex-approximate': {
    table: 2,
    title: 'Convex empirical risk, (ε, δ)',
    source: 'Theorem 7.1',
    sparse: perturbedWithDelta,
    dense: denseWithDelta,
  },
  'convex-approximate-population': {
    table: 2,
    title: 'Convex population risk, (ε, δ)',
    source: 'Theorem 7.6',
    sparse: perturbedWithDelta,
    dense: denseWithDelta,
    sampled: true,
  },
  'convex-pure': {
    table: 2,
    title: 'Convex empirical risk, ε',
    source: 'Theorems 7.1 and 7.5',
    sparse: perturbedWithEpsilon,
    dense: denseWithEpsilon,
  },
  'convex-pure-population': {
    table: 2,
    title: 'Convex population risk, ε',
    source: 'Theorem 7.6',
    sparse: perturbedWithEpsilon,
    dense: denseWithEpsilon,
    sampled: true,
  },
  'stationarity-approximate': {
    table: 2,
    title: 'Norm of the empirical gradient, (ε, δ)',
    source: 'Theorem 5.8',
    sparse: ({ dimension, sparsity, delta }) => ({
      coefficient: (sparsity * Math.log(dimension / sparsity) * logInverse(delta) ** 3) ** 0.125,
      power: 0.25,
    }),
    dense: ({ dimension, delta }) => ({
      coefficient: (dimension * logInverse(delta)) ** (1 / 3),
      power: 2 / 3,
    }),
  },
} as const satisfies Readonly<Record<string, Entry>>;

const logInverse = (delta: number): number => -Math.log(delta);

/**
 * The rows of Tables 1 and 2 of the source at a setting: rates with constants 1, without logarithms of n.
 *
 * @throws {InvalidParameter} unless `1 ≤ s < d/2`, `0 < ε ≤ 1` and `0 < δ < 1`.
 * @see Ghazi and others, Tables 1 and 2.
 */
export function rateTables(setting: TableSetting): readonly TableRow[] {
  const { dimension, sparsity, epsilon, delta } = setting;
  const isSetting =
    sparsity >= 1 && sparsity < dimension / 2 && epsilon > 0 && epsilon <= 1 && delta > 0 && delta < 1;
  if (!isSetting)
    throw new InvalidParameter(
      `dimension ${dimension}, sparsity ${sparsity}, epsilon ${epsilon} and delta ${delta} were given; ` +
        'the tables are for 1 ≤ s < d/2, 0 < epsilon ≤ 1 and 0 < delta < 1',
      { ...setting },
    );
  return Object.entries(entries).map(([name, entry]: readonly [string, Entry]): TableRow => {
    const [sparse, dense] = [entry.sparse(setting), entry.dense(setting)];
    const at = ({ coefficient, power }: PowerLaw, n: number): number => coefficient / (epsilon * n) ** power;
    return {
      table: entry.table,
      name,
      title: entry.title,
      source: entry.source,
      sparse,
      dense,
      sampled: entry.sampled === true,
      corners: {
        useful: sparse.coefficient ** (1 / sparse.power) / epsilon,
        dense: (dense.coefficient / sparse.coefficient) ** (1 / (dense.power - sparse.power)) / epsilon,
      },
      upper: (n) =>
        Math.min(1, at(sparse, n), at(dense, n)) + (entry.sampled === true ? 1 / Math.sqrt(n) : 0),
      lower(n) {
        if (entry.lower === undefined) return null;
        try {
          return entry.lower({ ...setting, n });
        } catch (error) {
          if (error instanceof InvalidParameter) return null;
          throw error;
        }
      },
    };
  });
}
