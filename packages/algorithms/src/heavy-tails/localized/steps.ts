import { ask, type Program, type Batch, type PublicState, type Vector } from '@lethe/core';
import { intersectBall, type Domain } from '@lethe/numerics';
import { poisson } from '@lethe/mechanisms';
import { gaussianMean } from '../../common/record-bound.js';
import { assertResumable } from '../../common/resumable.js';
import type { PlannedPhase } from './plan.js';
import { regularisedSubgradient } from '../regularised-subgradient.js';

/** One run of phases, each from the result of the one before. */
export interface LocalizedSteps {
  readonly plan: { readonly phases: readonly PlannedPhase[]; readonly order: 'shuffled' | 'stored'; readonly checkpointEvery: number };
  readonly domain: Domain;
  readonly start: Vector;
  readonly allRecords: Batch;
  readonly from: PublicState;
}

/** Deals records to phases and runs {@link regularisedSubgradient} on each, within a ball around where it starts. */
export function* localizedSteps({ plan: { phases, order, checkpointEvery }, domain, start, allRecords, from }: LocalizedSteps): Program<Vector> {
  const state = from as State | null, first = state?.phase ?? 0;
  assertResumable(first, phases.length - 1);
  assertResumable(state?.round ?? 0, phases[first]!.rounds);
  const batches = state === null ? yield* ask.split({ of: allRecords, order, parts: { by: 'size', sizes: phases.map(({ records }) => records) } }) : state.batches as unknown as readonly Batch[];
  let w = state?.iterate.slice() ?? domain.projectInto(new Float64Array(start.length), start);
  let done = phases.slice(0, first).reduce((sum, { rounds }) => sum + rounds, 0);
  for (let at = first; at < phases.length; at++) {
    const { rounds, stepSize, strength, radius, clipNorm, noiseMultiplier, samplingRate } = phases[at]!;
    const resumed = at === first && state !== null && state.round > 0 ? state : null, centre = resumed?.centre.slice() ?? w.slice(), offset = done;
    const release = gaussianMean(clipNorm, { noiseMultiplier }), batch = batches[at]!, sampler = samplingRate < 1 ? poisson({ rate: samplingRate }) : null;
    function* kept(round: number, iterate: Vector, phase = at): Program<void> {
      if ((offset + (phase === at ? round : rounds)) % checkpointEvery === 0) yield* ask.checkpoint({ phase, round, iterate: iterate.slice(), centre: centre.slice(), batches: batches as unknown as PublicState });
    }
    w = yield* regularisedSubgradient({
      rounds, stepSize, strength, centre,
      domain: radius >= domain.diameter ? domain : intersectBall(domain, { centre, radius }),
      start: resumed === null ? w : { round: resumed.round, iterate: w },
      *oracle(point) {
        if (sampler === null) return yield* ask.mean({ at: point, batch, ...release });
        const drawn = yield* ask.draw({ sampler, from: batch }), mean = yield* ask.mean({ at: point, batch: drawn, ...release });
        yield* ask.close(drawn);
        return mean;
      },
      afterRound: ({ round, iterate }) => kept(round, iterate),
    });
    done += rounds;
    if (at + 1 < phases.length) yield* kept(0, w, at + 1);
  }
  return w;
}

interface State { readonly [key: string]: PublicState; readonly phase: number; readonly round: number; readonly iterate: Vector; readonly centre: Vector; readonly batches: PublicState }
