import {
  blockLipschitz,
  coordinateFact,
  IncompatiblePlugins,
  meanShape,
  resolvePlugin,
  scaledMean,
  type CentralMean,
  type MeanQuery,
  type Mechanism,
  type Problem,
  type Ref,
  type Registry,
  type Vector,
} from '@lethe/core';
import { sketchConstants, type SketchConstants } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { centralSlots, gaussianMean, lipschitzOf, requiredLipschitz } from '../common/problem-facts.js';
import { assertMeanFits, meanAt } from '../common/given-mean.js';
import type { PlannedSketch } from './planned-sketch.js';
import type { PlannedParams } from './descent-schema.js';

type MeanRelease = Pick<MeanQuery, 'mean' | 'target'>;
interface Posed {
  readonly problem: Problem;
  readonly registry: Registry;
}

/** The mean of a plan, by reference or by its short form; of unit size where its radius is found. */
export const meanOf = ({ mean, clip }: Pick<PlannedParams, 'mean' | 'clip'>): Ref<'mean'> =>
  mean ?? gaussianMean(typeof clip?.radius === 'object' ? 1 : (clip?.radius ?? null));

/**
 * How much one record's gradient counts along drawn coordinates, by what the mean declares.
 *
 * @throws {IncompatiblePlugins} for a mean whose noise along coordinates does not follow from a radius, or is
 * not Gaussian.
 * @throws {Unsupported} when it relies on a Lipschitz constant of every record, and none is declared.
 */
export function radiusOf(
  method: string,
  ref: Ref<'mean'>,
  { problem, registry }: Posed,
  sketch: PlannedSketch,
): RecordRadius {
  assertMeanFits(registry, ref, {
    optimizer: method,
    trust: 'central',
    mayClip: true,
    privacyRestsOn: 'every-record constants',
  });
  const { plugin, params } = resolvePlugin<CentralMean>(registry, ref);
  const refuse = (why: string): IncompatiblePlugins =>
    new IncompatiblePlugins(
      `'${method}' plans Gaussian noise in proportion to the radius to which records are scaled down, ` +
        `and mean '${ref.name}' ${why}; take 'clipped' with an ℓ2 clip, or 'certified', and Gaussian noise`,
      { mean: ref.name, optimizer: method },
    );
  const noise = resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  if (noise.plugin.event(noise.params, 1, { [problem.adjacency]: 1 }).kind !== 'core/gaussian')
    throw refuse(`adds noise of '${noise.plugin.name}'`);
  const lipschitz = plugin.privacyRestsOn === 'clip' ? null : requiredLipschitz(problem, 'clip');
  const { dimension, facts } = problem;
  const shape = meanShape({ dimension, slots: centralSlots(problem), facts, registry });
  const radius = plugin.linear?.(params, shape)?.radius ?? null;
  if (radius === null) throw refuse('states none');
  if (lipschitz === null && scaledMean(registry, ref, 1) === null) throw refuse('has no units to scale');
  if (lipschitz === null) return clippedRadius(problem, sketch, radius);
  if (radius !== lipschitz) throw refuse("relies on another fact than 'lipschitz'");
  return certifiedRadius(problem);
}

/** How much one record’s gradient can be along drawn coordinates. */
export interface RecordRadius {
  /** `L_U`, or the radius `C_U` to which gradients are clipped; of the whole for no coordinates. */
  readonly of: (coordinates: ArrayLike<number>) => number;
  /**
   * Squares whose sum over `U` is at least the square of the radius along `U`; `null` where there are none.
   */
  readonly squares: Vector | null;
  /** Why a gradient can be larger, and is cut; `null` when none can. */
  readonly cut: string | null;
}

/**
 * Radii by the facts of the problem, as a curator will find them in its own. A loss that is not Lipschitz by
 * itself has them for bounded iterates only: beyond, the curator cuts its gradients.
 *
 * @throws {Unsupported} when no Lipschitz constant of every record is declared.
 */
function certifiedRadius(problem: Problem): RecordRadius {
  const { facts, dimension, capabilities, loss } = problem;
  const whole = requiredLipschitz(problem, 'clip');
  const singles = Array.from({ length: dimension }, (_, j) => {
    const fact = coordinateFact(facts, 'coordinateLipschitz', j);
    return fact?.scope === 'every-record' ? fact.value : undefined;
  });
  return {
    of: (coordinates) =>
      coordinates.length === 0 || coordinates.length === dimension
        ? whole
        : (blockLipschitz(facts, dimension, coordinates) ?? whole),
    squares: singles.includes(undefined) ? null : Float64Array.from(singles, (value) => defined(value) ** 2),
    cut:
      capabilities.lipschitz === true
        ? null
        : `the loss '${loss.name}' is Lipschitz on bounded sets only, beyond which its gradients are cut`,
  };
}

/**
 * Radii `C (Σ_U M_j / Σ M_j)^½`; `sketch` tells which sets there are, so whether any certified constant is
 * cut.
 */
function clippedRadius(problem: Problem, sketch: PlannedSketch, radius: number): RecordRadius {
  const share = shareOf(sketch.smoothness);
  const of: RecordRadius['of'] = (coordinates) => radius * share(coordinates);
  const total = totalOf(sketch.smoothness);
  const squares = sketch.smoothness.map((M) => radius ** 2 * (M / total));
  return { of, squares, cut: cutBelow(problem, sketch, of, squares) };
}

const totalOf = (numbers: ArrayLike<number>): number =>
  Array.from(numbers).reduce((sum, value) => sum + value, 0);

/** `(Σ_U M_j / Σ M_j)^½`, the share of a radius that is for coordinates `U`; 1 for none of them. */
function shareOf(smoothness: ArrayLike<number>): (coordinates: ArrayLike<number>) => number {
  const total = totalOf(smoothness);
  return (coordinates) =>
    coordinates.length === 0 || coordinates.length === smoothness.length
      ? 1
      : Math.sqrt(totalOf(Array.from(coordinates, (j) => smoothness[j])) / total);
}

/**
 * Why a clip may cut a gradient, as far as the facts tell;
 * `null` where `C_U ≥ L_U` for every set that can be drawn.
 */
function cutBelow(
  problem: Problem,
  sketch: PlannedSketch,
  of: RecordRadius['of'],
  squares: Vector,
): string | null {
  if (lipschitzOf(problem) === null)
    return "the clip may cut gradients: the fact 'lipschitz' of every record, to compare it with, is missing";
  const certified = certifiedRadius(problem);
  return (
    certified.cut ??
    (covers(certified, problem, sketch, of, squares)
      ? null
      : 'the clip is below the Lipschitz constants, along some coordinates at least, and cuts gradients')
  );
}

function covers(
  certified: RecordRadius,
  problem: Problem,
  { plugin, params }: PlannedSketch,
  of: RecordRadius['of'],
  squares: Vector,
): boolean {
  const sets = plugin.enumerate(params, problem.dimension);
  if (sets !== null)
    return sets.every(
      ({ drawn: { coordinates } }) =>
        coordinates.length === 0 || certified.of(coordinates) <= of(coordinates),
    );
  return (
    certified.squares?.every((square, j) => square <= squares[j]) === true ||
    squares.every((square) => certified.of([]) ** 2 <= square)
  );
}

/** Beyond this dimension sums over pairs of coordinates are not made. */
const mostPairs = 4096;

/** Constants of the theorem: exact where sets can be listed, otherwise upper bounds. */
export function constantsOf(
  { plugin, params, smoothness, marginals }: PlannedSketch,
  { of, squares }: RecordRadius,
): SketchConstants {
  const d = smoothness.length;
  if (plugin.enumerate(params, d) !== null)
    return sketchConstants(plugin, params, { smoothness, lipschitz: of });
  const whole = of([]) ** 2;
  const largest = smoothness.reduce((most, M, j) => Math.max(most, M / marginals[j]), 0);
  const coarse = {
    smoothness: largest,
    noise: whole * totalOf(smoothness.map((M) => 1 / M)),
    riskNoise: whole * totalOf(smoothness.map((M, j) => marginals[j] / M)),
  };
  if (squares === null || d > mostPairs) return coarse;
  const fine = sketchConstants(plugin, params, { smoothness, lipschitz: squares });
  return {
    smoothness: largest,
    noise: Math.min(coarse.noise, fine.noise),
    riskNoise: Math.min(coarse.riskNoise, fine.riskNoise),
  };
}

/** What a plan says of its releases. */
export interface PlannedRelease {
  readonly noiseMultiplier: number;
  readonly smoothness: readonly number[];
  readonly mean: Ref<'mean'>;
}

/**
 * How to release a mean gradient along some coordinates; `part`
 * names sets that come again, for which nothing is computed twice.
 */
export function releaseAlong(
  { noiseMultiplier, smoothness, mean }: PlannedRelease,
  registry: Registry,
): (coordinates: ArrayLike<number>, part?: number) => MeanRelease {
  const target = { noiseMultiplier };
  const whole = { mean, target };
  if (resolvePlugin<CentralMean>(registry, mean).plugin.privacyRestsOn !== 'clip') return () => whole;
  const share = shareOf(smoothness);
  const known = new Map<number, MeanRelease>();
  return (coordinates, part) => {
    const before = part === undefined ? undefined : known.get(part);
    if (before !== undefined) return before;
    const factor = share(coordinates);
    const release = factor === 1 ? whole : { mean: meanAt(registry, mean, factor), target };
    if (part !== undefined) known.set(part, release);
    return release;
  };
}

/** The coordinates of a query: all of them need no mention. */
export const along = (coordinates: Uint32Array, dimension: number): { readonly coordinates?: Uint32Array } =>
  coordinates.length === dimension ? {} : { coordinates };
