import { InvalidParameter, type Sketch } from '@lethe/core';
import { sketchConstants, tauNice } from '@lethe/mechanisms';
import { requireNonNegativeVectors, requirePositive, requirePositiveVectors } from '../common/require.js';
import { weightedNorm } from './bounds.js';

/** What rates are made of. */
export interface RateSetting {
  /** `M_j`. */
  readonly smoothness: Float64Array;
  /** `L_U` of a set of coordinates. */
  readonly lipschitz: (coordinates: Uint32Array) => number;
  /** `r_j = |w⁰_j − w*_j|`. */
  readonly offsets: ArrayLike<number>;
  /** `μ` in the Euclidean norm. */
  readonly strongConvexity: number;
  /** `μ_M`, in `‖·‖_M`, for 'dp-cd'. @defaultValue `μ / max M`, which it is at least */
  readonly smoothnessConvexity?: number;
  /** `μ_{MP⁻¹}`, in `‖·‖_{MP⁻¹}`, for 'refined'. @defaultValue `μ / max (M/p)`, which it is at least */
  readonly sketchedConvexity?: number;
  /** A partition of the coordinates, for the systems on blocks. */
  readonly blocks?: readonly ArrayLike<number>[];
  /** Of each block, or of each coordinate, for 'blocks' and 'coordinates'. */
  readonly probabilities?: ArrayLike<number>;
  /** For 'dp-skgd' and 'refined'. */
  readonly sketch?: { readonly sketch: Sketch; readonly params: unknown };
  /** For 'tau-nice'. */
  readonly tau?: number;
}
/**
 * `convex` is to be multiplied by `√log(1/δ)/(nε)` and a constant,
 * `stronglyConvex` by `log(1/δ)/(n²ε²)`, a constant and logarithms.
 */
export interface Rate {
  readonly convex: number;
  readonly stronglyConvex: number;
}

const sumOf = (numbers: ArrayLike<number>): number =>
  Array.from(numbers).reduce((sum, entry) => sum + entry, 0);
const most = (numbers: ArrayLike<number>): number => Array.from(numbers).reduce((a, b) => Math.max(a, b));
const inverse = (numbers: ArrayLike<number>): number[] => Array.from(numbers, (entry) => 1 / entry);
const everything = (d: number): Uint32Array => Uint32Array.from({ length: d }, (_, j) => j);
const singles = (d: number): readonly (readonly number[])[] => Array.from({ length: d }, (_, j) => [j]);

/** `‖L_A‖_{M⁻¹}`, and the largest smoothness constant of each block. */
function ofBlocks(
  { smoothness, lipschitz }: RateSetting,
  blocks: readonly ArrayLike<number>[],
): { readonly norm: number; readonly largest: number[] } {
  const noise = blocks.reduce(
    (sum, block) =>
      sum + lipschitz(Uint32Array.from(block)) ** 2 * sumOf(inverse(Array.from(block, (j) => smoothness[j]))),
    0,
  );
  return {
    norm: Math.sqrt(noise),
    largest: blocks.map((block) => most(Array.from(block, (j) => smoothness[j]))),
  };
}

function withProbabilities(setting: RateSetting, blocks: readonly ArrayLike<number>[]): Rate {
  const { smoothness, offsets, strongConvexity } = setting;
  const probabilities = given(setting, 'probabilities');
  requirePositiveVectors(blocks.length, { probabilities });
  const { norm, largest } = ofBlocks(setting, blocks);
  const ratios = Float64Array.from(smoothness);
  blocks.forEach((block, k) => {
    for (const j of Array.from(block)) ratios[j] /= probabilities[k];
  });
  return {
    convex: norm * weightedNorm(offsets, ratios),
    stronglyConvex: (norm ** 2 * most(largest.map((M, k) => M / probabilities[k]))) / strongConvexity,
  };
}

function uniform(setting: RateSetting, blocks: readonly ArrayLike<number>[]): Rate {
  const { smoothness, offsets, strongConvexity } = setting;
  const { norm } = ofBlocks(setting, blocks);
  const b = blocks.length;
  return {
    convex: norm * weightedNorm(offsets, smoothness) * Math.sqrt(b),
    stronglyConvex: (norm ** 2 * most(smoothness) * b) / strongConvexity,
  };
}

function importance(setting: RateSetting, blocks: readonly ArrayLike<number>[]): Rate {
  const { norm, largest } = ofBlocks(setting, blocks);
  return {
    convex: norm * euclidean(setting) * Math.sqrt(sumOf(largest)),
    stronglyConvex: (norm ** 2 * sumOf(largest)) / setting.strongConvexity,
  };
}

const euclidean = ({ offsets }: RateSetting): number =>
  weightedNorm(
    offsets,
    Array.from(offsets, () => 1),
  );

function gradientDescent(setting: RateSetting): Rate {
  const d = setting.smoothness.length;
  const L = setting.lipschitz(everything(d));
  return {
    convex: L * Math.sqrt(d) * euclidean(setting),
    stronglyConvex: (L ** 2 * d) / setting.strongConvexity,
  };
}

function sketched(
  { smoothness, lipschitz, offsets }: RateSetting,
  sketch: Sketch,
  params: unknown,
): { readonly convex: number; readonly noise: number; readonly largest: number } {
  const { noise, smoothness: largest } = sketchConstants(sketch, params, { smoothness, lipschitz });
  const marginals = sketch.marginals(sketch.params.parse(params), smoothness.length);
  return {
    convex:
      Math.sqrt(noise) *
      weightedNorm(
        offsets,
        smoothness.map((M, j) => M / marginals[j]),
      ),
    noise,
    largest,
  };
}

const formulas = {
  /** Any sketch: Theorem 4.2. */
  'dp-skgd': (setting) => {
    const { sketch, params } = given(setting, 'sketch');
    const { convex, noise, largest } = sketched(setting, sketch, params);
    return { convex, stronglyConvex: (noise * largest) / setting.strongConvexity };
  },
  /** Blocks, with any probabilities. */
  blocks: (setting) => withProbabilities(setting, given(setting, 'blocks')),
  'blocks-uniform': (setting) => uniform(setting, given(setting, 'blocks')),
  /**
   * Probabilities in proportion to the largest smoothness constant of each
   * block. The square in the strongly convex rate is missing in print.
   */
  'blocks-importance': (setting) => importance(setting, given(setting, 'blocks')),
  coordinates: (setting) => withProbabilities(setting, singles(setting.smoothness.length)),
  'coordinates-uniform': (setting) => uniform(setting, singles(setting.smoothness.length)),
  'coordinates-importance': (setting) => importance(setting, singles(setting.smoothness.length)),
  /** Mangold et al. 2022. */
  'dp-cd': (setting) => {
    const { smoothness, strongConvexity, smoothnessConvexity = strongConvexity / most(smoothness) } = setting;
    const d = smoothness.length;
    requirePositive({ smoothnessConvexity });
    return {
      convex: uniform(setting, singles(d)).convex,
      stronglyConvex: (ofBlocks(setting, singles(d)).norm ** 2 * d) / smoothnessConvexity,
    };
  },
  /** All coordinates at once. */
  full: ({ smoothness, lipschitz, offsets, strongConvexity }) => {
    const L = lipschitz(everything(smoothness.length));
    const trace = sumOf(inverse(smoothness));
    return {
      convex: L * Math.sqrt(trace) * weightedNorm(offsets, smoothness),
      stronglyConvex: (L ** 2 * trace * most(smoothness)) / strongConvexity,
    };
  },
  /** Bassily et al. 2014. */
  'dp-sgd': gradientDescent,
  /** Wang et al. 2017. */
  'dp-svrg': gradientDescent,
  'tau-nice': (setting) => {
    const tau = given(setting, 'tau');
    const d = setting.smoothness.length;
    const { noise } = sketched(setting, tauNice, { tau });
    return {
      convex: Math.sqrt(noise) * Math.sqrt(d / tau) * weightedNorm(setting.offsets, setting.smoothness),
      stronglyConvex: (noise * d * most(setting.smoothness)) / tau / setting.strongConvexity,
    };
  },
  /** With strong convexity measured in `‖·‖_{MP⁻¹}`, where it is largest. */
  refined: (setting) => {
    const { sketch, params } = given(setting, 'sketch');
    const { convex, noise, largest } = sketched(setting, sketch, params);
    const { sketchedConvexity = setting.strongConvexity / largest } = setting;
    requirePositive({ sketchedConvexity });
    return { convex, stronglyConvex: noise / sketchedConvexity };
  },
} as const satisfies Readonly<Record<string, (setting: RateSetting) => Rate>>;

/** The systems whose rates Table 1 compares, and two that follow from its proofs. */
export type System = keyof typeof formulas;

/**
 * Rates of Table 1 without the factors that are common to all systems.
 *
 * @throws {InvalidParameter} when a system lacks what it speaks of, and for lengths and numbers outside their
 * domain.
 * @see Maranjyan, Sadiev and Richtárik 2024, Table 1; 'tau-nice' and 'refined' follow from Theorem 4.2 and
 * its proof.
 */
export const rates: Readonly<Record<System, (setting: RateSetting) => Rate>> = Object.freeze(
  Object.fromEntries(
    Object.entries(formulas).map(([name, formula]) => [
      name,
      (setting: RateSetting): Rate => formula(checked(setting)),
    ]),
  ) as Record<System, (setting: RateSetting) => Rate>,
);

function checked(setting: RateSetting): RateSetting {
  const d = setting.smoothness.length;
  requirePositiveVectors(d, { smoothness: setting.smoothness });
  requireNonNegativeVectors(d, { offsets: setting.offsets });
  requirePositive({ strongConvexity: setting.strongConvexity });
  if (setting.blocks !== undefined) {
    const all = setting.blocks.flatMap((block) => Array.from(block)).toSorted((a, b) => a - b);
    if (
      all.length !== d ||
      all.some((j, at) => j !== at) ||
      setting.blocks.some(({ length }) => length === 0)
    )
      throw new InvalidParameter(`the blocks are no partition of the ${d} coordinates`, {
        blocks: setting.blocks.length,
        dimension: d,
      });
  }
  return setting;
}

function given<K extends 'blocks' | 'probabilities' | 'sketch' | 'tau'>(
  setting: RateSetting,
  name: K,
): NonNullable<RateSetting[K]> {
  const value = setting[name];
  if (value === undefined)
    throw new InvalidParameter(`this rate needs '${name}'; give it in the setting`, { missing: name });
  return value as NonNullable<RateSetting[K]>;
}
