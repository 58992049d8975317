import {
  resolvePlugin,
  sensitivityUnder,
  type CentralMean,
  type Mechanism,
  type Problem,
  type ProblemParts,
  type Ref,
  type Sampler,
} from '@lethe/core';
import { centralSlots, lipschitzOf } from '../common/problem-facts.js';
import { stepShape } from './step-parts.js';

/** What parts say of the noisy gradients of a step. */
export interface NoisyGradient {
  /** `G² ≥ E‖noisy gradient‖²` at a noise multiplier; `null` where the mean scales records to no radius. */
  square(noiseMultiplier: number): number | null;
  /**
   * Why a noisy gradient may be no unbiased estimate of the gradient of the average loss; `null` where it is
   * one.
   */
  readonly bias: string | null;
}

/**
 * Noisy gradients of batches by `sampler`, averaged by `mean`, as far as the parts declare it: the radius to
 * which a linear mean scales records down, and the law of the sampler's amplification.
 *
 * @throws {Unsupported} for an adjacency without a sensitivity, and a fact that the mean needs and nobody
 * declares.
 */
export function noisyGradient(
  { sampler, mean }: { readonly sampler: Ref<'sampler'>; readonly mean: Ref<'mean'> },
  { problem, domain, registry }: { readonly problem: Problem } & Pick<ProblemParts, 'domain' | 'registry'>,
): NoisyGradient {
  const { adjacency, dimension, capabilities, loss } = problem;
  const draws = resolvePlugin<Sampler>(registry, sampler);
  const means = resolvePlugin<CentralMean>(registry, mean);
  const noise = resolvePlugin<Mechanism>(registry, means.plugin.mechanism(means.params));
  const shape = stepShape(sampler, { problem, registry });
  const radius = means.plugin.linear?.(means.params, shape)?.radius ?? null;
  const law = draws.plugin.amplification(draws.params, centralSlots(problem))[adjacency]?.sampler?.kind;
  const lipschitz = lipschitzOf(problem);
  const bias = (): string | null => {
    if (radius === null) return `mean '${mean.name}' does not say that it leaves short gradients as they are`;
    if (law !== 'core/fixed-size')
      return `sampler '${sampler.name}' does not say that it draws a fixed number of records uniformly`;
    if (lipschitz === null || radius < lipschitz)
      return (
        `mean '${mean.name}' may cut gradients: ` +
        (lipschitz === null
          ? "no fact 'lipschitz' of every record says how long they are"
          : `its radius ${radius} is below their Lipschitz constant ${lipschitz}`)
      );
    return capabilities.lipschitz === true || domain.diameter < Infinity
      ? null
      : `the loss '${loss.name}' is Lipschitz on bounded sets only, and the domain '${domain.name}' is ` +
          'unbounded';
  };
  return {
    square(noiseMultiplier) {
      if (radius === null) return null;
      const sensitivity = means.plugin.sensitivity(means.params, shape);
      const scale = noiseMultiplier * sensitivityUnder(sensitivity, adjacency, `mean '${mean.name}'`);
      return radius ** 2 + dimension * (noise.plugin.standardDeviation(noise.params) * scale) ** 2;
    },
    bias: bias(),
  };
}
