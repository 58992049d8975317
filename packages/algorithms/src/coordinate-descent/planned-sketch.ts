import {
  coordinateFact,
  type Drawn,
  IncompatiblePlugins,
  InvalidParameter,
  type Json,
  MissingFact,
  type Problem,
  type RandomSource,
  type Registry,
  type Resolved,
  resolvePlugin,
  type Sketch,
  Unsupported,
  type Vector,
} from '@lethe/core';
import { componentSmoothness } from '@lethe/curator';
import type { CoordinateConstraints } from './coordinate-constraints.js';
import { requireLength, requireNonNegative } from '../common/require.js';
import type { DescentParams, SketchChoice } from './descent-schema.js';

/** A sketch with the smoothness constants it is used with. */
export interface PlannedSketch extends Resolved<Sketch> {
  /** `M_j` of loss and ridge. */
  readonly smoothness: Vector;
  /**
   * `∇²f ≼ Diag(·)`, where that is known: `smoothness` itself, or
   * larger where `M` is meant for one part of a partition at a time.
   */
  readonly everywhere: Vector;
  /** Whether the facts say that `∇²f ≼ Diag(M)`; otherwise the numbers given are all there is to say so. */
  readonly follows: boolean;
  /**
   * Parts of a partition, along each of which alone `M` bounds the
   * curvature; `null` when it does along all coordinates at once.
   */
  readonly parts: number | null;
  /** `p_j`. */
  readonly marginals: Vector;
}

/**
 * Resolves a sketch by name and finds its smoothness constants in the facts.
 *
 * @throws {Unsupported} for an unknown sketch, missing facts, or 'block' where sets overlap or are too many
 * to list.
 * @throws {InvalidParameter} for parameters that do not fit the sketch or the dimension.
 * @throws {IncompatiblePlugins} for a sketch whose marginals are no probabilities, one for each coordinate.
 */
export function plannedSketch(
  registry: Registry,
  { name, params, importance }: SketchChoice,
  { smoothness: wanted }: Pick<DescentParams, 'smoothness'>,
  problem: Problem,
  { ridge }: CoordinateConstraints,
): PlannedSketch {
  const d = problem.dimension;
  const resolve = (all: Readonly<Record<string, unknown>>): Resolved<Sketch> =>
    resolvePlugin<Sketch>(registry, { kind: 'sketch', name, params: all as Json });
  const withRidge = (M: Vector): Vector => (ridge === null ? M : M.map((value, j) => value + ridge[j]));
  const plain = resolve(params);
  const blocks = wanted === 'block' ? partsOf(plain, d) : null;
  let asked: Vector | null;
  if (typeof wanted === 'number') asked = new Float64Array(d).fill(wanted);
  else if (typeof wanted === 'object') asked = given(wanted, d);
  else asked = null;
  const smoothness = withRidge(asked ?? fromFacts(problem, blocks));
  const zero = smoothness.findIndex((value) => !(value > 0));
  if (zero >= 0)
    throw new Unsupported(
      `the average loss is flat along coordinate ${zero}: its smoothness constant is ` +
        `${smoothness[zero]}, and steps are 1 over it. Add a ridge, leave the coordinate out, or give the ` +
        'parameter smoothness.',
      { coordinate: zero },
    );
  if (importance !== false && 'choice' in params)
    throw new InvalidParameter(`sketch '${name}' is given both a choice and importance; leave one out`, {
      sketch: name,
    });
  const choice =
    importance === 'distances'
      ? { by: 'probabilities', probabilities: byDistances(problem, partsOf(plain, d), smoothness) }
      : { by: 'importance', smoothness: [...smoothness] };
  if (importance !== false && !plain.plugin.params.safeParse({ ...params, choice }).success)
    throw new InvalidParameter(
      `sketch '${name}' has no importance sampling; leave importance out, or use single-coordinate or block`,
      { sketch: name },
    );
  const chosen = importance === false ? plain : resolve({ ...params, choice });
  return {
    ...chosen,
    smoothness,
    everywhere: blocks === null ? smoothness : withRidge(fromFacts(problem, null)),
    follows: asked === null || followFromFacts(problem, asked),
    parts: blocks?.length ?? null,
    marginals: checkedMarginals(name, chosen.plugin.marginals(chosen.params, d), d),
  };
}

/** Least probability of a part, over that of uniform choice: a wrong fact costs a factor, not a run. */
const leastShare = 0.01;

/**
 * Probabilities of parts `A` in proportion to `(Σ_A M_j R_j²)^½`, for distances `R_j` from the start to the
 * minimiser: of all they have the least `R²_{MP⁻¹} = Σ_A (Σ_A M_j R_j²)/p_A`.
 *
 * @throws {Unsupported} where a distance is not declared.
 */
function byDistances(
  { facts }: Problem,
  parts: readonly Uint32Array[],
  smoothness: Vector,
): readonly number[] {
  const square = (j: number): number => {
    const distance = coordinateFact(facts, 'startDistance', j)?.value;
    if (distance === undefined)
      throw new Unsupported(
        `the problem declares no fact 'startDistance.${j}'; importance by distances needs one for every ` +
          'coordinate: declare them, or choose by smoothness, importance: true',
        { missing: `startDistance.${j}` },
      );
    requireNonNegative({ [`the fact 'startDistance.${j}'`]: distance });
    return smoothness[j] * distance ** 2;
  };
  const weights = parts.map((part) => Math.sqrt(part.reduce((sum, j) => sum + square(j), 0)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const least = total > 0 ? (leastShare * total) / parts.length : 1;
  const kept = weights.map((weight) => Math.max(weight, least));
  const all = kept.reduce((sum, weight) => sum + weight, 0);
  return kept.map((weight) => weight / all);
}

function given(numbers: readonly number[], d: number): Vector {
  requireLength(d, 'smoothness', numbers);
  return Float64Array.from(numbers);
}

/** Constants of single coordinates tell most; one for all directions will do. */
function fromFacts({ facts, dimension }: Problem, blocks: readonly Uint32Array[] | null): Vector {
  const isByCoordinate = Array.from({ length: dimension }, (_, j) =>
    coordinateFact(facts, 'coordinateSmoothness', j),
  ).every((fact) => fact !== undefined);
  if (isByCoordinate) return componentSmoothness(facts, dimension, blocks === null ? {} : { blocks });
  const whole = facts['smoothness']?.value;
  if (whole !== undefined) return new Float64Array(dimension).fill(whole);
  throw new MissingFact(
    "the problem declares neither 'coordinateSmoothness.j' for every coordinate nor 'smoothness'; " +
      'declare bounds on each feature, from which they follow, or give the parameter smoothness',
    ['smoothness'],
  );
}

/**
 * `(vᵀAv) ≤ (Σ √s_j |v_j|)² ≤ (Σ s_j/M_j) ‖v‖²_M` for a positive semi-definite `A` with diagonal at most `s`;
 * the sum is let be 1 but for rounding.
 */
function followFromFacts({ facts }: Problem, smoothness: Vector): boolean {
  const whole = facts['smoothness']?.value;
  if (whole !== undefined && smoothness.every((M) => M >= whole)) return true;
  return (
    smoothness.reduce(
      (sum, M, j) => sum + (coordinateFact(facts, 'coordinateSmoothness', j)?.value ?? Infinity) / M,
      0,
    ) <=
    1 + 1e-9
  );
}

function partsOf({ plugin, params }: Resolved<Sketch>, d: number): readonly Uint32Array[] {
  const sets = plugin.enumerate(params, d)?.map(({ drawn }) => drawn.coordinates);
  if (
    sets !== undefined &&
    sets.reduce((sum, { length }) => sum + length, 0) === d &&
    new Set(sets.flatMap((set) => [...set])).size === d
  )
    return sets;
  throw new Unsupported(
    `smoothness 'block' is for sketches that draw one part of a partition; sets of '${plugin.name}' ` +
      `${sets === undefined ? 'are too many to list' : 'overlap'}. Use 'component', or another sketch.`,
    { sketch: plugin.name },
  );
}

/** Sums of probabilities may be off by roundings. */
const slack = 1e-9;

/**
 * Probabilities that steps can be divided by.
 *
 * @throws {IncompatiblePlugins} naming the sketch they are of.
 */
function checkedMarginals(sketch: string, marginals: Float64Array, dimension: number): Float64Array {
  const blame = (what: string): IncompatiblePlugins =>
    new IncompatiblePlugins(
      `sketch '${sketch}' ${what}; marginals are a Float64Array of ${dimension} probabilities in (0, 1], ` +
        'one for each coordinate. Repair the sketch, or its parameters.',
      { sketch, dimension },
    );
  if (!(marginals instanceof Float64Array)) throw blame('gives marginals that are no Float64Array');
  if (marginals.length !== dimension)
    throw blame(`gives ${marginals.length} marginals in ${dimension} dimensions`);
  const bad = marginals.findIndex((p) => !(p > 0 && p <= 1 + slack));
  if (bad >= 0) throw blame(`draws coordinate ${bad} with probability ${marginals[bad]}`);
  return marginals;
}

/**
 * Coordinates that a query can ask for, checked in O(coordinates).
 *
 * @throws {IncompatiblePlugins} naming the sketch that drew them.
 */
export function checkedDraw(sketch: string, drawn: Drawn, dimension: number): Drawn {
  const blame = (what: string): IncompatiblePlugins =>
    new IncompatiblePlugins(
      `sketch '${sketch}' drew ${what}; a draw is { coordinates }, a Uint32Array that ascends, each ` +
        `below ${dimension}. Repair the sketch.`,
      { sketch, dimension },
    );
  const coordinates: unknown = (drawn as Drawn | null | undefined)?.coordinates;
  if (!(coordinates instanceof Uint32Array)) throw blame('what has no coordinates in a Uint32Array');
  for (let i = 0; i < coordinates.length; i++) {
    if (coordinates[i] >= dimension) throw blame(`coordinate ${coordinates[i]} in ${dimension} dimensions`);
    if (i > 0 && coordinates[i] <= coordinates[i - 1])
      throw blame(`coordinate ${coordinates[i]} after ${coordinates[i - 1]}`);
  }
  return drawn;
}

/** Steps per forked source; a resumed run draws at most this many again. */
const stepsPerSource = 64;

/**
 * What `draw` gives for step `0, 1, 2, …`, in any order. Each source serves a range of steps, so that a run
 * resumed late does not repeat the draws of its beginning. In order, a step costs one draw.
 */
export function forkedDraws<T>(random: RandomSource, draw: (source: RandomSource) => T): (step: number) => T {
  let source = random;
  let next = -1;
  return (step) => {
    const begin = step - (step % stepsPerSource);
    if (step !== next || step === begin) {
      source = random.fork(begin / stepsPerSource);
      for (let k = begin; k < step; k++) draw(source);
    }
    next = step + 1;
    return draw(source);
  };
}
