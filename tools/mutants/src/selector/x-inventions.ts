import { seededRandom, type CoreEvent } from '@lethe/core';
import { randomFromKey } from '@lethe/numerics';
import { exponential, permuteAndFlip, reportNoisyMax } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { argMax, planted } from './plant.js';

const none = {} as never;
const laplace = { noise: 'laplace' } as const;
const sorted = (values: Float64Array): Float64Array => values.toSorted((a, b) => b - a);

export const xSelector01 = defineMutant({
  id: 'selector/choices-made-epsilon-place-epsilon-2-utilities',
  title: 'choices use ε instead of ε/2, as for monotone utilities',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 1000,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        exponential.choose(none, utilities, 2 * epsilon, random),
    }),
});

export const xSelector02 = defineMutant({
  id: 'selector/probabilities-choices-agree-epsilon-place-epsilon-2',
  title: 'probabilities and choices both use ε instead of ε/2',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/event'],
  within: 40,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        exponential.choose(none, utilities, 2 * epsilon, random),
      probabilities: (_params, utilities, epsilon) => exponential.probabilities(none, utilities, 2 * epsilon),
    }),
});

export const xSelector03 = defineMutant({
  id: 'selector/gumbel-noise-subtracted-another-law',
  title: 'Gumbel noise is subtracted, which changes the distribution',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 4000,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        argMax(utilities.map((u) => (epsilon * u) / 2 + Math.log(random.exponential()))),
    }),
});

export const xSelector04 = defineMutant({
  id: 'selector/first-equal-candidates-taken-without-noise',
  title: 'the first of equal candidates is chosen without noise',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice', 'selector/event'],
  within: 200,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        sorted(utilities)[0] === sorted(utilities)[1]
          ? argMax(utilities)
          : exponential.choose(none, utilities, epsilon, random),
    }),
});

export const xSelector05 = defineMutant({
  id: 'selector/candidate-far-ahead-taken-without-noise',
  title: 'a candidate far ahead is chosen without noise',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 4000,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        epsilon * (sorted(utilities)[0] - (sorted(utilities)[1] ?? -Infinity)) >= 4
          ? argMax(utilities)
          : exponential.choose(none, utilities, epsilon, random),
    }),
});

export const xSelector06 = defineMutant({
  id: 'selector/probabilities-not-normalised',
  title: 'probabilities are not normalised',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/probabilities'],
  within: 300,
  plant: () =>
    planted(exponential, {
      probabilities: (_params, utilities, epsilon) =>
        utilities.map((u) => Math.exp((epsilon * (u - Math.max(...utilities))) / 2)),
    }),
});

export const xSelector07 = defineMutant({
  id: 'selector/event-forgets-other-adjacencies-other-sensitivities',
  title: 'the event uses one sensitivity for all adjacencies',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/event', 'selector/assumptions'],
  within: 60,
  plant: () =>
    planted(exponential, {
      event: (_params, epsilon) =>
        exponential.event(none, epsilon, { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 }),
    }),
});

export const xSelector08 = defineMutant({
  id: 'selector/one-draw-noise-serves-all-candidates',
  title: 'all candidates share one draw of noise',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 200,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) => {
        const noise = -Math.log(random.exponential());
        return argMax(utilities.map((u) => (epsilon * u) / 2 + noise));
      },
    }),
});

export const xSelector09 = defineMutant({
  id: 'selector/permute-flip-charged-exponential-mechanism-bounded-range',
  title: 'permute-and-flip is charged as bounded-range, like the exponential mechanism',
  kind: 'selector',
  source: 'McKenna and Sheldon 2020, against Dong, Durfee and Rogers 2020',
  killedBy: ['selector/event'],
  within: 100,
  plant: () =>
    planted(permuteAndFlip, {
      event: (_params, epsilon, relative) => exponential.event(none, epsilon, relative),
    }),
});

export const xSelector10 = defineMutant({
  id: 'selector/coins-flipped-stored-order',
  title: 'draws are made in the stored order',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 400,
  plant: () =>
    planted(permuteAndFlip, {
      choose: (_params, utilities, epsilon, random) => {
        const best = Math.max(...utilities);
        return utilities.findIndex((u) => random.exponential() > (epsilon * (best - u)) / 2);
      },
    }),
});

export const xSelector11 = defineMutant({
  id: 'selector/candidate-failed-coin-may-come-again',
  title: 'a rejected candidate may be drawn again',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 4000,
  plant: () =>
    planted(permuteAndFlip, {
      choose(_params, utilities, epsilon, random) {
        const best = Math.max(...utilities);
        for (;;) {
          const at = random.integer(utilities.length);
          if (random.exponential() > (epsilon * (best - utilities[at])) / 2) return at;
        }
      },
    }),
});

export const xSelector12 = defineMutant({
  id: 'selector/regret-bound-permute-flip-promised-exponential-mechanism',
  title: 'the exponential mechanism declares the regret bound of permute-and-flip',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/regret'],
  within: 400,
  plant: () =>
    planted(exponential, {
      regretBound: (_params, candidates, epsilon) => permuteAndFlip.regretBound(none, candidates, epsilon),
    }),
});

export const xSelector13 = defineMutant({
  id: 'selector/textbook-bound-2-ln-k-epsilon-said',
  title: 'a textbook bound, 2 ln(k)/ε, is claimed to be attained',
  kind: 'selector',
  source: 'McSherry and Talwar 2007',
  killedBy: ['selector/regret-attained'],
  within: 10,
  plant: () =>
    planted(exponential, {
      regretBound: (_params, candidates, epsilon) => (2 * Math.log(candidates)) / epsilon,
    }),
});

export const xSelector14 = defineMutant({
  id: 'selector/noisy-max-adds-laplace-noise-scale-1',
  title: 'noisy max adds Laplace noise of scale 1/ε',
  kind: 'selector',
  source: 'Dwork and Roth 2014, Claim 3.9, for counts only',
  killedBy: ['selector/audit'],
  within: 8000,
  plant: () =>
    planted(
      reportNoisyMax,
      {
        choose: (params, utilities, epsilon, random) =>
          reportNoisyMax.choose(params as typeof laplace, utilities, 2 * epsilon, random),
      },
      laplace,
    ),
});

export const xSelector15 = defineMutant({
  id: 'selector/noise-noisy-max-comes-constant-seed',
  title: 'noise of noisy max comes from a constant seed',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 200,
  plant: () =>
    planted(
      reportNoisyMax,
      {
        choose: (params, utilities, epsilon) =>
          reportNoisyMax.choose(params as typeof laplace, utilities, epsilon, seededRandom('noise')),
      },
      laplace,
    ),
});

export const xSelector16 = defineMutant({
  id: 'selector/utility-not-number-counts-worst',
  title: 'a NaN utility counts as the worst',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/refusals'],
  within: 30,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        exponential.choose(
          none,
          utilities.map((u) => (Number.isNaN(u) ? -1e300 : u)),
          epsilon,
          random,
        ),
    }),
});

export const xSelector17 = defineMutant({
  id: 'selector/no-candidates-position-1',
  title: 'the choice among no candidates is position −1',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/refusals'],
  within: 1,
  plant: () =>
    planted(permuteAndFlip, {
      choose: (_params, utilities, epsilon, random) =>
        utilities.length === 0 ? -1 : permuteAndFlip.choose(none, utilities, epsilon, random),
    }),
});

export const xSelector18 = defineMutant({
  id: 'selector/exponentials-overflow-distribution-function-summed-without-taking',
  title: 'exponentials overflow: the cumulative sum does not subtract the maximum',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/coins', 'selector/choice'],
  within: 200,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        const weights = utilities.map((u) => Math.exp((epsilon * u) / 2));
        let rest = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
        return weights.findIndex((weight) => (rest -= weight) < 0);
      },
    }),
});

export const xSelector19 = defineMutant({
  id: 'selector/charged-pure-whatever-adjacency-without-assumption-real',
  title: 'charged as pure under any adjacency, without the assumption of real arithmetic',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/assumptions', 'selector/event'],
  within: 40,
  plant: () =>
    planted(permuteAndFlip, {
      event: (_params, epsilon): CoreEvent<'core/pure'> => ({ kind: 'core/pure', v: 1, epsilon }),
    }),
});

export const xSelector20 = defineMutant({
  id: 'selector/noise-added-utilities-themselves-rounded-away-large',
  title: 'noise is added to utilities without centring, and rounded away for large ones',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 4000,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        argMax(utilities.map((u) => (epsilon * u) / 2 - Math.log(random.exponential()))),
    }),
});

export const xSelector21 = defineMutant({
  id: 'selector/same-candidate-not-chosen-twice-running',
  title: 'the same candidate is never chosen twice in a row',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/coins', 'selector/choice'],
  within: 200,
  plant: () => {
    let last = -1;
    return planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        let found = exponential.choose(none, utilities, epsilon, random);
        if (found === last && utilities.length > 1)
          found = exponential.choose(none, utilities, epsilon, random);
        return (last = found);
      },
    });
  },
});

export const xSelector22 = defineMutant({
  id: 'selector/utilities-made-relative-best-place',
  title: 'utilities are made relative to the best in place',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/coins'],
  within: 20,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        const chosen = exponential.choose(none, utilities, epsilon, random);
        const best = Math.max(...utilities);
        utilities.forEach((u, i) => {
          utilities[i] = u - best;
        });
        return chosen;
      },
    }),
});

export const xSelector23 = defineMutant({
  id: 'selector/source-made-anew-key-every-choice',
  title: 'every choice restarts the source from its key',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/coins', 'selector/choice'],
  within: 400,
  plant: () =>
    planted(permuteAndFlip, {
      choose: (_params, utilities, epsilon, random) =>
        permuteAndFlip.choose(none, utilities, epsilon, randomFromKey(random.key(), random.kind)),
    }),
});

export const xSelector24 = defineMutant({
  id: 'selector/regret-noisy-max-promised-1-epsilon-whatever',
  title: 'noisy max declares the regret bound 1/ε for any number of candidates',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/regret'],
  within: 6000,
  plant: () =>
    planted(reportNoisyMax, { regretBound: (_params, _candidates, epsilon) => 1 / epsilon }, laplace),
});

export const xSelector25 = defineMutant({
  id: 'selector/probabilities-permute-flip-noise-gumbels',
  title: 'Gumbel noise declares the probabilities of permute-and-flip',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/choice'],
  within: 4000,
  plant: () =>
    planted(
      reportNoisyMax,
      {
        probabilities: (_params, utilities, epsilon) =>
          permuteAndFlip.probabilities(none, utilities, epsilon),
      },
      { noise: 'gumbel' },
    ),
});
