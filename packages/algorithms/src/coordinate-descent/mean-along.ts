import {
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
} from '@lethe/core';
import { centralSlots, gaussianMean, requiredLipschitz } from '../common/problem-facts.js';
import { assertMeanFits, meanAt } from '../common/given-mean.js';
import type { PlannedSketch } from './planned-sketch.js';
import { certifiedRadius, clippedRadius, shareOf, type RecordRadius } from './record-radius.js';
import type { DescentParams } from './sketched-plan.js';

type MeanRelease = Pick<MeanQuery, 'mean' | 'target'>;
interface Posed {
  readonly problem: Problem;
  readonly registry: Registry;
}

/** The mean of a plan, by reference or by its short form. */
export const meanOf = ({ mean, clip }: Pick<DescentParams, 'mean' | 'clip'>): Ref<'mean'> =>
  mean ?? gaussianMean(clip?.radius ?? null);

/**
 * How much one record's gradient counts along drawn coordinates, by what the mean declares.
 *
 * @throws {IncompatiblePlugins} for a mean whose noise along coordinates does not follow from a radius, or is not Gaussian.
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
