import type { PlanContext, Problem } from '@lethe/core';
import * as z from 'zod/mini';

/** Noise of a step, as a plan holds it. */
export const noiseSchema = z
  .number()
  .check(
    z.positive(),
    z.describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
  );

/** A plan with the noise that is given, or with the least that keeps the budget. */
export const withNoise = <Draft extends object>(
  draft: Draft,
  given: number | undefined,
  noiseFor: PlanContext<unknown, Problem['capabilities']>['noiseFor'],
): Draft & { noiseMultiplier: number } => ({
  ...draft,
  noiseMultiplier: given ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier })),
});
