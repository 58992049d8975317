import { ask, scaledMean, type Batch, type Program, type Ref, type Vector } from '@lethe/core';
import { poisson } from '@lethe/mechanisms';
import { intersectBall, type Domain } from '@lethe/numerics';
import type { Planned } from '../../src/heavy-tails/runs/planned-runs.js';
import { oracleSubject } from '../../src/heavy-tails/means/subject.js';
import { stepping, type Change, type Context } from './changed-optimizers.js';

const domainOf = ({ problem }: Context): Domain =>
  oracleSubject.buildDomain(problem.domain, problem.dimension);

/** A plan of one pass, as far as steps ask by it. */
interface Pass extends Planned {
  readonly order: 'shuffled' | 'stored';
  readonly release: { readonly mean: Ref<'mean'>; readonly target: { readonly noiseMultiplier: number } };
}

const dealt = ({ batchSize, order }: Pass, count: number, of: Batch) =>
  ask.split({ of, order, parts: { by: 'size', sizes: Array.from({ length: count }, () => batchSize) } });

interface AcSaFlaw {
  readonly isFree?: boolean;
  readonly middle?: 'iterate' | 'average';
  readonly returned?: 'iterate';
  /** `α_t` of a round. */
  readonly alpha?: (t: number) => number;
  readonly batchOf?: (t: number) => number;
}
/** Algorithm 2, plainly, with a flaw. */
export const flawedAcSa = ({
  isFree = false,
  middle,
  returned,
  alpha = (t) => 2 / (t + 1),
  batchOf = (t) => t - 1,
}: AcSaFlaw): Change =>
  stepping(function* (planned, context, { allRecords, start }): Program<Vector> {
    const plan = planned as Pass;
    const domain = domainOf(context);
    const batches = yield* dealt(plan, plan.rounds, allRecords);
    const w = domain.projectInto(new Float64Array(start.length), start);
    const aggregate = w.slice();
    for (let t = 1; t <= plan.rounds; t++) {
      const share = alpha(t);
      const mixed = aggregate.map((x, j) => (1 - share) * x + share * w[j]);
      const at = { iterate: w, average: aggregate, mixed }[middle ?? 'mixed'];
      const gradient = yield* ask.mean({ at, batch: batches[batchOf(t)], ...plan.release });
      for (let j = 0; j < w.length; j++) w[j] -= ((share * t * (t + 1)) / (4 * plan.eta)) * gradient[j];
      if (!isFree) domain.projectInto(w, w);
      for (let j = 0; j < w.length; j++) aggregate[j] = share * w[j] + (1 - share) * aggregate[j];
    }
    return returned === 'iterate' ? w : aggregate;
  });

interface SgdFlaw {
  /** Only the output is projected. */
  readonly isFree?: boolean;
  readonly returned?: 'last' | 'plain';
  readonly fewer?: number;
}
/**
 * Algorithm 6 with steps of one size, plainly, with a flaw; the right steps of Lemma 33 where there are none.
 */
export const flawedSgd = ({ isFree = false, returned, fewer = 0 }: SgdFlaw): Change =>
  stepping(function* (planned, context, { allRecords, start }): Program<Vector> {
    const plan = planned as Pass;
    const domain = domainOf(context);
    const count = plan.rounds + 1 - fewer;
    const batches = yield* dealt(plan, plan.rounds + 1, allRecords);
    const w = domain.projectInto(new Float64Array(start.length), start);
    const sum = new Float64Array(start.length);
    for (let t = 0; t < count; t++) {
      const gradient = yield* ask.mean({ at: w, batch: batches[t], ...plan.release });
      for (let j = 0; j < w.length; j++) w[j] -= (plan.stepSize ?? 1 / plan.smoothness) * gradient[j];
      if (!isFree) domain.projectInto(w, w);
      for (let j = 0; j < w.length; j++) sum[j] += w[j] / count;
    }
    const end = returned === 'last' ? w : sum;
    return domain.projectInto(end, end);
  });

interface PhaseFlaw {
  readonly ball?: 'none' | 'alone' | 'around the start';
  readonly pull?: 'to 0' | 'to the start' | 'none';
  readonly from?: 'the start';
  readonly batch?: 'first';
  readonly draw?: 'none' | 'once';
}
/** Algorithm 4, plainly, with a flaw. */
export const flawedPhases = ({ ball, pull, from, batch: only, draw }: PhaseFlaw): Change =>
  stepping(function* (planned, context, { allRecords, start }): Program<Vector> {
    const { phases, order, mean } = planned as Planned & Pick<Pass, 'order'> & { readonly mean: Ref<'mean'> };
    const domain = domainOf(context);
    const sizes = phases.map(({ records }) => records);
    const batches = yield* ask.split({ of: allRecords, order, parts: { by: 'size', sizes } });
    const entered = domain.projectInto(new Float64Array(start.length), start);
    let w = entered.slice();
    for (const [i, phase] of phases.entries()) {
      const { rounds, stepSize, strength, radius, clipNorm, noiseMultiplier, samplingRate } = phase;
      const batch = batches[only === 'first' ? 0 : i];
      const release = {
        mean: scaledMean(context.registry, mean, clipNorm) ?? mean,
        target: { noiseMultiplier },
      };
      if (from === 'the start') w = entered.slice();
      const centre = w.slice();
      const middle = ball === 'around the start' ? entered : centre;
      const space = oracleSubject.buildDomain({ name: 'whole-space', params: {} }, start.length);
      const within = ball === 'alone' ? space : domain;
      const set = ball === 'none' ? domain : intersectBall(within, { centre: middle, radius });
      const anchors = { 'to 0': centre.map(() => 0), 'to the start': entered, none: null, right: centre };
      const anchor = anchors[pull ?? 'right'];
      let drawn: Batch | null = null;
      for (let t = 0; t < rounds; t++) {
        if (samplingRate < 1 && draw !== 'none' && (drawn === null || draw !== 'once'))
          drawn = yield* ask.draw({ sampler: poisson({ rate: samplingRate }), from: batch });
        const gradient = yield* ask.mean({ at: w, batch: drawn ?? batch, ...release });
        w = w.map(
          (x, j) => x - stepSize * (gradient[j] + (anchor === null ? 0 : strength * (x - anchor[j]))),
        );
        set.projectInto(w, w);
      }
    }
    return w;
  });
