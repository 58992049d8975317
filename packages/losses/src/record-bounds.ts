import { addUp, divideUp, multiplyUp, sqrtUp, sumUp, type Fact, type RecordDomain } from '@lethe/core';

/** Attached records may exceed a declared norm by rounding of this order, and projected iterates theirs: the facts allow for it. */
const slack = 1 + 4e-12;

/** What follows about every record and margin from a declared record domain; `undefined` where nothing does. */
export interface RecordBounds {
  /** `‖x‖₂ ≤ featureNorm`. */
  readonly featureNorm: number | undefined;
  /** `|x_j| ≤ featureBounds[j]`. */
  readonly featureBounds: readonly number[] | undefined;
  /** `|⟨w, x⟩| ≤ margin` for every iterate. */
  readonly margin: number | undefined;
  readonly label: number | undefined;
}

/** Bounds rounded up; a feature norm follows from per-column bounds too. */
export function recordBounds({ featureNorm: declared, featureBounds, labelBound, iterateNorm }: RecordDomain): RecordBounds {
  const fromColumns = featureBounds === undefined ? Infinity : sqrtUp(sumUp(featureBounds.map((bound) => multiplyUp(bound, bound))));
  const norm = Math.min(declared === undefined ? Infinity : multiplyUp(declared, slack), fromColumns);
  const featureNorm = norm < Infinity ? norm : undefined;
  const margin = iterateNorm === undefined || featureNorm === undefined ? undefined : multiplyUp(multiplyUp(iterateNorm, slack), featureNorm);
  return { featureNorm, featureBounds, margin, label: labelBound };
}

/** Largest slope and curvature in the margin, and largest value, over everything the record domain allows. */
export interface MarginBounds { readonly slope: number | undefined; readonly curvature: number; readonly value: number | undefined }

/**
 * Facts about a linear model's loss from bounds in the margin: gradients are `slope · x`, Hessians `curvature · x xᵀ`.
 * Only finite facts are stated; a bound that overflows is absent.
 */
export function factsOfLinearLoss({ featureNorm, featureBounds }: RecordBounds, { slope, curvature, value }: MarginBounds): Readonly<Record<string, Fact>> {
  const facts: Record<string, Fact> = {};
  const state = (name: string, bound: number | undefined): void => {
    if (bound !== undefined && bound < Infinity) facts[name] = { value: bound, scope: 'every-record', provenance: 'from-domain' };
  };
  if (featureNorm !== undefined) {
    state('lipschitz', slope === undefined ? undefined : multiplyUp(slope, featureNorm));
    state('smoothness', multiplyUp(curvature, multiplyUp(featureNorm, featureNorm)));
  }
  featureBounds?.forEach((bound, j) => {
    state(`coordinateLipschitz.${j}`, slope === undefined ? undefined : multiplyUp(slope, bound));
    state(`coordinateSmoothness.${j}`, multiplyUp(curvature, multiplyUp(bound, bound)));
  });
  state('range', value);
  return facts;
}

/** Largest residual `|margin − label|`, where both are bounded. */
export const residualBound = ({ margin, label }: RecordBounds): number | undefined =>
  (margin === undefined || label === undefined ? undefined : addUp(margin, label));

export const halfSquareUp = (x: number): number => divideUp(multiplyUp(x, x), 2);
