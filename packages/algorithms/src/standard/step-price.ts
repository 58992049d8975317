import {
  ask,
  relativeTo,
  resolvePlugin,
  type CentralMean,
  type Mechanism,
  type PlanContext,
  type Price,
  type PrivacyEvent,
  type Problem,
  type Ref,
  type Registry,
} from '@lethe/core';
import { priceOfRun } from '@lethe/curator';
import { stepShape } from './step-parts.js';

/** How a step draws its batch and releases its mean. */
interface StepParts {
  readonly sampler: Ref<'sampler'>;
  readonly mean: Ref<'mean'>;
}

/**
 * What one step costs: a batch, and the private mean of gradients over it.
 *
 * @throws {IncompatiblePlugins} and {Unsupported} for parts that do not fit each other or the adjacency.
 */
export const stepPrice = (
  { sampler, mean, noiseMultiplier }: StepParts & { readonly noiseMultiplier: number },
  {
    problem,
    registry,
    random,
  }: Pick<PlanContext<unknown, Problem['capabilities']>, 'problem' | 'registry' | 'random'>,
): Price =>
  priceOfRun({
    problem,
    registry,
    random,
    *steps({ allRecords, start }) {
      yield* ask.mean({ at: start, batch: allRecords, sampler, mean, target: { noiseMultiplier } });
      return start;
    },
  });

/** What a release of the mean of a drawn batch costs, before amplification, as a curator charges it. */
export function releaseCost(
  { sampler, mean }: StepParts,
  { problem, registry }: { readonly problem: Problem; readonly registry: Registry },
): (noiseMultiplier: number) => PrivacyEvent {
  const { plugin, params } = resolvePlugin<CentralMean>(registry, mean);
  const noise = resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  const shape = stepShape(sampler, { problem, registry });
  const relative = relativeTo(plugin.sensitivity(params, shape), problem.adjacency);
  return (noiseMultiplier) =>
    plugin.event(params, noise.plugin.event(noise.params, noiseMultiplier, relative), shape);
}
