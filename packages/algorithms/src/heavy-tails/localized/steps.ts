import { ask, type Batch, type Loops, type Program, type Ref, type Registry, type Vector } from '@lethe/core';
import { intersectBall, type Domain } from '@lethe/numerics';
import { poisson } from '@lethe/mechanisms';
import type { PlannedPhase } from './plan.js';
import { regularisedSubgradient } from '../regularised-subgradient.js';
import { meanAt } from '../../common/given-mean.js';
import { quantileClip, type PlannedQuantile } from '../../common/private-clip.js';

/** One run of phases, each from the result of the one before. */
export interface LocalizedSteps extends Loops {
  readonly plan: {
    readonly phases: readonly PlannedPhase[];
    readonly order: 'shuffled' | 'stored';
    /** For subgradients of unit size. */
    readonly mean: Ref<'mean'>;
    /** How the clip norm of all phases is found; `null` where each has its own. */
    readonly quantile: PlannedQuantile | null;
  };
  readonly registry: Registry;
  readonly domain: Domain;
  readonly start: Vector;
  readonly allRecords: Batch;
}

/**
 * Deals records to phases and runs {@link regularisedSubgradient} on each, within a ball around where it
 * starts.
 */
export function* localizedSteps({
  plan: { phases, order, mean: unit, quantile },
  registry,
  domain,
  start,
  allRecords,
  ...loops
}: LocalizedSteps): Program<Vector> {
  const sizes = phases.map(({ records }) => records);
  const from = domain.projectInto(start, start);
  const found = quantile === null ? null : yield* quantileClip(quantile, { at: from, batch: allRecords });
  const batches = yield* ask.split({ of: allRecords, order, parts: { by: 'size', sizes } });
  const { w } = loops.state({ w: from });
  for (const [i, batch] of loops.parts(batches)) {
    const { rounds, stepSize, strength, radius, clipNorm, noiseMultiplier, samplingRate } = phases[i - 1];
    const release = {
      batch,
      mean: meanAt(registry, unit, found ?? clipNorm),
      target: { noiseMultiplier },
      ...(samplingRate < 1 ? { sampler: poisson({ rate: samplingRate }) } : {}),
    };
    const centre = w.slice();
    const ball = radius >= domain.diameter ? domain : intersectBall(domain, { centre, radius });
    w.set(
      yield* regularisedSubgradient({
        rounds,
        stepSize,
        strength,
        centre,
        domain: ball,
        start: centre,
        loops,
        oracle: (point) => ask.mean({ at: point, ...release }),
      }),
    );
  }
  return w;
}
