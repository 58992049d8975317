import {
  IncompatiblePlugins,
  type Batch,
  type Problem,
  type Program,
  type Ref,
  type Registry,
  type Target,
  type Vector,
} from '@lethe/core';
import { meanAt, type GivenMean } from '../common/given-mean.js';
import { quantileClip, type AskedQuantile, type PlannedQuantile } from '../common/private-clip.js';
import { quantileBefore } from '../standard/quantile-before.js';

/** How every batch is asked for. */
export interface Release {
  readonly mean: Ref<'mean'>;
  readonly target: Target;
}

/**
 * A clip norm of one pass: the number that is given, or how it is found.
 *
 * @throws {IncompatiblePlugins} for a quantile with a mean that cannot be scaled, or among users who trust
 * nobody.
 */
export function askedClip(
  clipNorm: number | AskedQuantile | undefined,
  { plugin, hasUnits }: GivenMean,
  posed: { readonly problem: Problem; readonly budget: { readonly epsilon: number; readonly delta: number } },
): { readonly clipNorm: number | undefined; readonly quantile: PlannedQuantile | null } {
  if (typeof clipNorm !== 'object') return { clipNorm, quantile: null };
  if (plugin.trust === 'central' && hasUnits)
    return { clipNorm: undefined, quantile: quantileBefore(clipNorm, posed).quantile };
  const reason = plugin.trust === 'central' ? 'cannot be scaled to what it finds' : 'is of the shuffle model';
  throw new IncompatiblePlugins(
    `clipNorm is a private quantile, and the mean '${plugin.name}' ${reason}; give clipNorm as a number, ` +
      'or take a central mean that can be scaled, such as clipped',
    { mean: plugin.name },
  );
}

/**
 * How the batches of a run are asked for: as planned, or with the mean of unit size in units of the clip norm
 * that is found.
 *
 * @param where - Where the norms of gradients are counted.
 */
export function* releaseFound(
  {
    mean,
    release,
    quantile,
  }: {
    readonly mean: Ref<'mean'>;
    readonly release: Release;
    readonly quantile: PlannedQuantile | null;
  },
  registry: Registry,
  where: { readonly at: Vector; readonly batch: Batch },
): Program<Release> {
  if (quantile === null) return release;
  return { ...release, mean: meanAt(registry, mean, yield* quantileClip(quantile, where)) };
}
