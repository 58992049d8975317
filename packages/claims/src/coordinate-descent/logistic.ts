import fc, { type Arbitrary } from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { componentSmoothnessOf } from './quadratics.js';
import { sketchCase, sketchInputs, type SketchCase, type SketchInput } from './sketch-inputs.js';

/** A logistic regression with a ridge, without noise, as plain data. */
export interface LogisticInput {
  /** Features, multiplied by their labels. */
  readonly rows: readonly (readonly number[])[];
  readonly columns: readonly number[];
  /** Power of 2. */
  readonly ridge: number;
  readonly start: readonly number[];
  readonly sketch: SketchInput;
}

/** The problem of an input. */
export interface Logistic extends SketchCase {
  readonly value: (w: ArrayLike<number>) => number;
  readonly gradient: (w: ArrayLike<number>) => Float64Array;
  readonly smoothness: Float64Array;
  readonly start: Float64Array;
  readonly minimiser: Float64Array;
}

/** Small problems, up to three dimensions. */
export const logisticInputs: Arbitrary<LogisticInput> = fc.integer({ min: 1, max: 3 }).chain((dimension) =>
  fc.record({
    rows: fc.array(
      fc.array(fc.integer({ min: -4, max: 4 }), { minLength: dimension, maxLength: dimension }),
      { minLength: 1, maxLength: 5 },
    ),
    columns: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: dimension, maxLength: dimension }),
    ridge: fc.integer({ min: -7, max: 0 }),
    start: fc.array(
      fc.integer({ min: -12, max: 12 }).map((k) => k / 4),
      { minLength: dimension, maxLength: dimension },
    ),
    sketch: sketchInputs(dimension),
  }),
);

/** Builds the problem of an input; smoothness is from the largest diagonal of the Hessian. */
export function logistic(
  subject: ConvergenceSubject,
  { rows, columns, ridge, start, sketch }: LogisticInput,
): Logistic {
  const d = columns.length;
  const lambda = 2 ** ridge;
  const features = rows.map((row) => row.map((x, j) => x * 2 ** columns[j]));
  const margin = (x: readonly number[], w: ArrayLike<number>): number =>
    x.reduce((sum, entry, j) => sum + entry * w[j], 0);
  const value = (w: ArrayLike<number>): number =>
    features.reduce((sum, x) => sum + softplus(-margin(x, w)), 0) / features.length +
    (lambda / 2) * margin(Array.from(w), w);
  const gradient = (w: ArrayLike<number>): Float64Array =>
    Float64Array.from(
      w,
      (at, j) =>
        lambda * at - features.reduce((sum, x) => sum + x[j] * sigmoid(-margin(x, w)), 0) / features.length,
    );
  const hessian = (w: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: d * d }, (_, at) => {
      const i = Math.floor(at / d);
      const j = at % d;
      return (
        (i === j ? lambda : 0) +
        features.reduce((sum, x) => sum + x[i] * x[j] * sigmoid(margin(x, w)) * sigmoid(-margin(x, w)), 0) /
          features.length
      );
    });
  const steepest = Float64Array.from({ length: d * d }, (_, at) =>
    at % (d + 1) === 0 ? features.reduce((sum, x) => sum + x[at % d] ** 2, 0) / (4 * features.length) : 0,
  );
  const smoothness = componentSmoothnessOf(subject, steepest).map((constant) => constant + lambda);
  return {
    value,
    gradient,
    smoothness,
    start: Float64Array.from(start),
    minimiser: newton({ value, gradient, hessian }, d),
    ...sketchCase(subject, sketch, smoothness),
  };
}

const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
const sigmoid = (z: number): number => (z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z)));

interface Smooth {
  readonly value: (w: ArrayLike<number>) => number;
  readonly gradient: (w: ArrayLike<number>) => Float64Array;
  readonly hessian: (w: ArrayLike<number>) => Float64Array;
}

/** Newton's method with halved steps; strongly convex problems only. */
function newton({ value, gradient, hessian }: Smooth, dimension: number): Float64Array {
  let w = new Float64Array(dimension);
  for (let iteration = 0; iteration < 60; iteration++) {
    const direction = solved(hessian(w), gradient(w));
    let next = w;
    let step = 1;
    do {
      next = w.map((at, j) => at - step * direction[j]);
      step /= 2;
    } while (value(next) > value(w) && step > 1e-6);
    if (next.every((at, j) => at === w[j])) break;
    w = next;
  }
  return w;
}

/** Gaussian elimination; positive definite matrices need no pivots. */
function solved(matrix: Float64Array, right: Float64Array): Float64Array {
  const d = right.length;
  const a = matrix.slice();
  const x = right.slice();
  for (let k = 0; k < d; k++)
    for (let i = k + 1; i < d; i++) {
      const factor = a[i * d + k] / a[k * d + k];
      for (let j = k; j < d; j++) a[i * d + j] -= factor * a[k * d + j];
      x[i] -= factor * x[k];
    }
  for (let k = d - 1; k >= 0; k--) {
    for (let j = k + 1; j < d; j++) x[k] -= a[k * d + j] * x[j];
    x[k] /= a[k * d + k];
  }
  return x;
}

/** One path of a run without noise. */
export interface Path {
  readonly probability: number;
  readonly points: readonly Float64Array[];
}

/**
 * Every run of `steps` steps of size `1/M_j`, with its
 * probability; at most `mostPaths` of them, or `undefined`.
 */
export function pathsOf(
  { law, gradient, smoothness, start }: Logistic,
  steps: number,
  mostPaths = 400,
): readonly Path[] | undefined {
  if (law.length ** steps > mostPaths) return undefined;
  let paths: readonly Path[] = [{ probability: 1, points: [start] }];
  for (let k = 0; k < steps; k++) {
    paths = paths.flatMap(({ probability, points }) => {
      const at = points[k];
      const slope = gradient(at);
      return law.map((set) => {
        const next = at.slice();
        for (const j of set.coordinates) next[j] -= slope[j] / smoothness[j];
        return { probability: probability * set.probability, points: [...points, next] };
      });
    });
  }
  return paths;
}
