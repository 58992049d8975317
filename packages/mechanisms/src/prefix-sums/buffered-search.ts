/** Result of a search. */
export interface LocalMinimum {
  readonly argument: Float64Array;
  readonly value: number;
}

type Objective = (x: Float64Array) => number;
/** A gradient, from the point and the value there. */
type Gradient = (x: Float64Array, value: number) => Float64Array;
interface Visited extends LocalMinimum {
  readonly gradient: Float64Array;
}

const difference = 2 ** -14;
const mostSteps = 500;

/**
 * A local minimum of a smooth function of few variables, none of which moves by more than 1 in a step: BFGS
 * with step halving. No step ends where the function is infinite. Deterministic.
 *
 * @param gradientOf - By default central differences, for
 * variables that do not matter at a finer scale than 2⁻¹⁴.
 *
 * @see Nocedal and Wright 2006, chapter 6.
 */
export function minimizeLocally(
  f: Objective,
  start: Float64Array,
  gradientOf: Gradient = differences(f),
): LocalMinimum {
  const first = f(start);
  let here: Visited = { argument: start, value: first, gradient: gradientOf(start, first) };
  let inverseHessian: readonly Float64Array[] | undefined;
  for (let step = 0; step < mostSteps && norm(here.gradient) > 1e-8; step++) {
    const direction = inverseHessian?.map((row) => -dot(row, here.gradient));
    const wanted =
      direction !== undefined && dot(here.gradient, direction) < 0
        ? Float64Array.from(direction)
        : here.gradient.map((g) => -g);
    const found = lowerPoint(f, here, wanted);
    if (found === undefined) {
      if (inverseHessian === undefined) break;
      inverseHessian = undefined;
      continue;
    }
    const next = { ...found, gradient: gradientOf(found.argument, found.value) };
    inverseHessian = updated(
      inverseHessian,
      subtract(next.argument, here.argument),
      subtract(next.gradient, here.gradient),
    );
    here = next;
  }
  return { argument: here.argument, value: here.value };
}

/** Halves the step until the function falls by a part of what its slope promises. */
function lowerPoint(f: Objective, here: Visited, direction: Float64Array): LocalMinimum | undefined {
  const slope = dot(here.gradient, direction);
  for (let rate = Math.min(1, 1 / Math.max(...direction.map(Math.abs))); rate > 1e-12; rate /= 2) {
    const argument = here.argument.map((x, i) => x + rate * direction[i]);
    const value = f(argument);
    if (value < here.value && value <= here.value + 1e-4 * rate * slope) return { argument, value };
  }
  return undefined;
}

/** Central differences; one-sided beside a point where the function is infinite. */
const differences =
  (f: Objective): Gradient =>
  (x, value) =>
    x.map((xi, i) => {
      const [before, after] = [f(x.with(i, xi - difference)), f(x.with(i, xi + difference))];
      if (before < Infinity && after < Infinity) return (after - before) / (2 * difference);
      if (after < Infinity) return (after - value) / difference;
      return before < Infinity ? (value - before) / difference : 0;
    });

/**
 * The BFGS update of an inverse Hessian, begun with the scale that
 * the first step shows; the old one where curvature is not positive.
 */
function updated(
  old: readonly Float64Array[] | undefined,
  moved: Float64Array,
  turned: Float64Array,
): readonly Float64Array[] | undefined {
  const curvature = dot(moved, turned);
  if (!(curvature > 1e-12 * norm(moved) * norm(turned))) return old;
  const scale = curvature / dot(turned, turned);
  const before = old ?? Array.from(moved, (_, i) => new Float64Array(moved.length).with(i, scale));
  const image = Float64Array.from(before, (row) => dot(row, turned));
  const factor = (1 + dot(turned, image) / curvature) / curvature;
  return before.map((row, i) =>
    row.map(
      (entry, j) =>
        entry + factor * moved[i] * moved[j] - (image[i] * moved[j] + moved[i] * image[j]) / curvature,
    ),
  );
}

const dot = (a: Float64Array, b: ArrayLike<number>): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
const norm = (a: Float64Array): number => Math.sqrt(dot(a, a));
const subtract = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x - b[i]);
