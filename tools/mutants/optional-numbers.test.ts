import type {
  CentralMean,
  Clip,
  Draft,
  Drawn,
  Fact,
  Interval,
  LinearForm,
  LinearMean,
  LocalRandomiser,
  Loss,
  MeanErrorValue,
  Mechanism,
  Moment,
  MultiOutputForm,
  Plugin,
  PrefixSum,
  PrivacyLossDistribution,
  RiskValue,
  Run,
  SamplerStream,
  Selector,
  ShuffledMean,
  Sketch,
  Solver,
} from '@lethe/core';
import { lawSets } from '@lethe/laws';
import type { Domain, FusedSum, Proximal } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { mutants } from './src/corpus.js';

/** Contracts of plugins, with what their methods give. */
interface Contracts {
  readonly centralMean: CentralMean;
  readonly clip: Clip;
  readonly domain: Domain;
  readonly drawnSet: Drawn;
  readonly fact: Fact;
  readonly fusedSum: FusedSum;
  readonly interval: Interval;
  readonly linearForm: LinearForm<object>;
  readonly linearMean: LinearMean;
  readonly localRandomiser: LocalRandomiser;
  readonly loss: Loss;
  readonly lossDistribution: PrivacyLossDistribution;
  readonly meanError: MeanErrorValue;
  readonly mechanism: Mechanism;
  readonly moment: Moment;
  readonly multiOutputForm: MultiOutputForm<object>;
  readonly plan: Draft;
  readonly prefixSum: PrefixSum;
  readonly regulariser: Proximal;
  readonly riskValue: RiskValue;
  readonly run: Omit<Run, 'budget'>;
  readonly samplerStream: SamplerStream;
  readonly selector: Selector;
  readonly shuffledMean: ShuffledMean;
  readonly sketch: Sketch;
  readonly solver: Solver;
}

/** Numbers, an object with a field of numbers, a function that gives numbers or writes them. */
type HoldsNumbers<V> = V extends number | readonly number[] | Float64Array
  ? true
  : V extends readonly unknown[]
    ? false
    : V extends (...given: never) => infer Made
      ? [Made] extends [void]
        ? true
        : HoldsNumbers<NonNullable<Made>>
      : true extends { [K in keyof V]: V[K] extends number | Float64Array ? true : false }[keyof V]
        ? true
        : false;
/** Left out, `null`, or a function that may give `null`. */
type MayLack<V> = undefined extends V
  ? true
  : null extends V
    ? true
    : V extends (...given: never) => infer Made
      ? null extends Made
        ? true
        : false
      : false;
type OptionalNumbers<T> = {
  [K in keyof T]-?: MayLack<T[K]> extends true
    ? true extends HoldsNumbers<NonNullable<T[K]>>
      ? K
      : never
    : never;
}[keyof T];
type Part = {
  [C in keyof Contracts]: `${C}.${string & Exclude<OptionalNumbers<Contracts[C]>, keyof Plugin>}`;
}[keyof Contracts];

/** For each optional number of a contract a mutant in which it is wrong, where nothing claims it. */
const wrong: Readonly<Record<Part, string>> = {
  'centralMean.largestEntry': 'mean/largest-entry-half-of-it',
  'clip.factor': 'clip/norm-millionth-above-radius-factor-1',
  'clip.spacing': 'clip/spacing-declared-entries-between-steps',
  'clip.vectorLength': 'clip/vectors-other-lengths-refused-middle-release-because',
  'domain.coordinate': 'domain/coordinate-unclamped',
  'domain.nearestInMaxNormInto': 'domain/nearest-in-max-norm-is-nearest-in-l2',
  'domain.reach': 'domain/reach-of-a-box-is-its-longest-half-side',
  'drawnSet.block': 'sketch/draw-names-another-block',
  'fact.each': 'loss/coordinate-smoothness-of-seventh-column',
  'fusedSum.clippedTerms': 'loss/second-point-ignored',
  'interval.estimate': 'accountant/estimate-above-its-interval',
  'linearForm.curvature': 'loss/second-derivative-doubled',
  'linearMean.radius': 'mean/smooth-factor-declared-as-projection',
  'localRandomiser.biasBound': 'local-randomiser/bias-of-clipped-records-halved',
  'localRandomiser.recordVarianceBound': 'local-randomiser/variance-of-records-halved',
  'localRandomiser.simulateSum': 'local-randomiser/simulation-half-variance-coins',
  'localRandomiser.varianceBound': 'local-randomiser/variance-one-users-coins',
  'loss.blocks': 'loss/blocks-without-last-layer',
  'loss.optimum': 'loss/optimum-gap-zero',
  'loss.start': 'loss/starts-at-saddle',
  'lossDistribution.grain': 'event/masses-of-a-grain-that-is-not-said',
  'lossDistribution.massesInto': 'event/masses-of-every-other-cell-a-thousandth-too-large',
  'meanError.probability': 'lower-bound/probability-of-pure-sparse-means-too-high',
  'meanError.rootMeanSquare': 'lower-bound/error-of-padded-records-not-rescaled',
  'mechanism.assertScale': 'mechanism/scales-above-24-refused-noise-added-not',
  'mechanism.cdfAt': 'mechanism/distribution-at-large-scales-of-four-fifths-of-it',
  'mechanism.deviationBound': 'mechanism/deviation-bound-of-scale-one',
  'moment.second': 'clip/variance-half-of-known-second-moment',
  'plan.event': 'optimizer/opens-new-stream-each-round-plans-one',
  'plan.gradients': 'optimizer/counts-one-gradient-each-step',
  'plan.utility': 'optimizer/bound-halved-of-dp-ftrl',
  'prefixSum.bandwidth': 'prefix-sum/band-declared-one-row-too-narrow',
  'prefixSum.variancesInto': 'prefix-sum/all-variances-once-first-block',
  'prefixSum.vectorsKept': 'prefix-sum/keeps-a-vector-more-than-it-says',
  'regulariser.coordinate': 'regulariser/step-of-zero-gives-zero',
  'regulariser.lasso': 'regulariser/lasso-halved',
  'regulariser.ridge': 'regulariser/ridge-doubled',
  'regulariser.domain': 'regulariser/other-domain',
  'riskValue.drawn': 'lower-bound/rare-records-prove-half-as-much-again',
  'run.price': 'optimizer/parts-of-one-size-cost-more-later',
  'samplerStream.fits': 'sampler/cyclic-poisson-takes-any-band',
  'samplerStream.logMoment': 'sampler/moments-of-mean-number-of-participations',
  'samplerStream.logRatio': 'sampler/densities-ignore-deviation',
  'selector.probabilities': 'selector/probabilities-not-normalised',
  'shuffledMean.biasBound': 'mean/shuffled-bias-of-records-within',
  'shuffledMean.varianceBound': 'mean/shuffled-variance-of-coins-alone',
  'solver.evaluations': 'solver/evaluates-once-more-than-it-says',
};

it('a wrong optional number is found by a law that runs wherever the number is there', () => {
  const onClaim = new Set(
    Object.values(lawSets).flatMap((laws) =>
      laws.flatMap((law) => (law.onClaim === true ? [law.id as string] : [])),
    ),
  );
  for (const [part, id] of Object.entries(wrong)) {
    const mutant = mutants.find((each) => each.id === id);
    expect(mutant, `${part}: ${id}`).toBeDefined();
    expect(
      mutant?.killedBy.filter((law) => !onClaim.has(law)),
      `${part}: laws that need no claim`,
    ).not.toEqual([]);
  }
});
