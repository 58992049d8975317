import { addUp, divideUp, multiplyUp, sqrtUp, sumUp } from '@lethe/numerics';
import { type Fact, type RecordDomain } from '@lethe/core';

/**
 * Attached records may exceed a declared norm by rounding of this
 * order, and projected iterates theirs: the facts allow for it.
 */
const slack = 1 + 4e-12;

/**
 * Bounds of every record and margin from a declared record domain; `undefined` where there is none.
 */
export interface RecordBounds {
  /** `‖x‖₂ ≤ featureNorm`. */
  readonly featureNorm: number | undefined;
  /** `|x_j| ≤ featureBounds[j]`. */
  readonly featureBounds: readonly number[] | undefined;
  /** `‖x‖₀ ≤ sparsity`. */
  readonly sparsity: number | undefined;
  /** `|⟨w, x⟩| ≤ margin` for every iterate. */
  readonly margin: number | undefined;
  readonly label: number | undefined;
  /** `‖w‖₂ ≤ iterate`. */
  readonly iterate: number | undefined;
}

/** Bounds rounded up; a feature norm follows from per-column bounds too. */
export function recordBounds({
  featureNorm: declared,
  featureBounds,
  labelBound,
  iterateNorm,
  sparsity,
}: RecordDomain): RecordBounds {
  const fromColumns =
    featureBounds === undefined
      ? Infinity
      : sqrtUp(sumUp(featureBounds.map((bound) => multiplyUp(bound, bound))));
  const norm = Math.min(declared === undefined ? Infinity : multiplyUp(declared, slack), fromColumns);
  const featureNorm = norm < Infinity ? norm : undefined;
  const iterate = iterateNorm === undefined ? undefined : multiplyUp(iterateNorm, slack);
  const margin =
    iterate === undefined || featureNorm === undefined ? undefined : multiplyUp(iterate, featureNorm);
  return { featureNorm, featureBounds, sparsity, margin, label: labelBound, iterate };
}

/** Largest slope and curvature in the margin, and largest value, over everything the record domain allows. */
export interface MarginBounds {
  readonly slope: number | undefined;
  readonly curvature: number | undefined;
  readonly value: number | undefined;
}

/**
 * Facts about a linear model's loss from bounds in the margin: gradients are `slope · x`, Hessians
 * `curvature · x xᵀ`. Only finite facts are stated; a bound that overflows is absent.
 */
export function factsOfLinearLoss(
  { featureNorm, featureBounds, sparsity }: RecordBounds,
  { slope, curvature, value }: MarginBounds,
): Readonly<Record<string, Fact>> {
  const facts: Record<string, Bound> = {};
  const times = (constant: number | undefined, bound: number): number | undefined =>
    constant === undefined ? undefined : multiplyUp(constant, bound);
  if (featureNorm !== undefined) {
    facts['lipschitz'] = times(slope, featureNorm);
    facts['smoothness'] = times(curvature, multiplyUp(featureNorm, featureNorm));
  }
  facts['coordinateLipschitz'] = eachOf(featureBounds, (bound) => times(slope, bound));
  facts['coordinateSmoothness'] = eachOf(featureBounds, (bound) =>
    times(curvature, multiplyUp(bound, bound)),
  );
  return finiteFacts({ ...facts, range: value, sparsity });
}

/** A bound, or one for each coordinate. */
export type Bound = number | readonly number[] | undefined;

/** One bound for each entry, in `times` blocks of them; `undefined` where one is not known. */
export function eachOf(
  entries: readonly number[] | undefined,
  of: (entry: number) => number | undefined,
  times = 1,
): readonly number[] | undefined {
  if (entries === undefined) return undefined;
  const found: number[] = [];
  for (const entry of entries) {
    const bound = of(entry);
    if (bound === undefined) return undefined;
    found.push(bound);
  }
  return times === 1 ? found : Array.from({ length: times }, () => found).flat();
}

/**
 * Bounds that hold for every record of the declared domain,
 * as facts; without those that are not known or not finite.
 */
export function finiteFacts(bounds: Readonly<Record<string, Bound>>): Readonly<Record<string, Fact>> {
  return Object.fromEntries(
    Object.entries(bounds).flatMap(([name, bound]) => {
      const each = typeof bound === 'object' ? bound : undefined;
      const value = typeof bound === 'object' ? largestOf(bound) : bound;
      if (value === undefined || !(value < Infinity)) return [];
      const fact: Fact = { value, scope: 'every-record', provenance: 'from-domain' };
      return [[name, each === undefined ? fact : { ...fact, each }]];
    }),
  );
}

const largestOf = (numbers: readonly number[]): number | undefined =>
  numbers.length === 0 ? undefined : numbers.reduce((most, one) => Math.max(most, one));

/** Largest residual `|margin − label|`, where both are bounded. */
export const residualBound = ({ margin, label }: RecordBounds): number | undefined =>
  margin === undefined || label === undefined ? undefined : addUp(margin, label);

export const halfSquareUp = (x: number): number => divideUp(multiplyUp(x, x), 2);
