import { gdp, rdp, createResolver, resolveEvent } from '@lethe/accountants';
import {
  countedEvent,
  defineAccountant,
  gaussianEvent,
  parseEvent,
  type Accountant,
  type CoreEvent,
  type Interval,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { gaussianCurve, renyiCurve } from '../reference/curves.js';
import { defineMutant } from '../mutant.js';
import { changed, countedOnce, misreading } from './plant.js';

/* Defects of published accountants, each as a mutant. */

export const exponentialCount = defineMutant({
  id: 'accountant/count-exponential-mechanism-ignored',
  kind: 'accountant',
  title: 'the count of the exponential mechanism is ignored',
  source: 'google/differential-privacy, rdp_privacy_accountant',
  killedBy: ['accountant/count'],
  within: 10,
  plant: () => misreading(rdp, countedOnce(['core/exponential'])),
});

export const responseCount = defineMutant({
  id: 'accountant/count-randomised-response-ignored',
  kind: 'accountant',
  title: 'the count of randomised response is ignored',
  source: 'google/differential-privacy, pld_privacy_accountant',
  killedBy: ['accountant/count', 'accountant/truth'],
  within: 40,
  plant: () => misreading(rdp, countedOnce(['core/randomized-response'])),
});

export const selectedOnce = defineMutant({
  id: 'accountant/best-many-runs-given-delta-one',
  kind: 'accountant',
  title: 'the best of many runs is charged the δ of one run',
  source: 'google/differential-privacy, RepeatAndSelect over EpsilonDelta',
  killedBy: ['accountant/selection'],
  within: 3,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/selection' ? countedEvent([{ event: core.base, count: 1 }]) : event;
    }),
});

export const sampledPromise = defineMutant({
  id: 'accountant/poisson-sample-rho-zcdp-accounted-sample-gaussian',
  kind: 'accountant',
  title: 'a Poisson sample of ρ-zCDP is charged as a sample of Gaussian noise',
  source: 'google/differential-privacy, _effective_gaussian_noise_multiplier',
  killedBy: ['accountant/promises'],
  within: 3,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      if (core.kind !== 'core/sampled' || core.event.kind !== 'core/zcdp') return event;
      const { rho } = core.event as CoreEvent<'core/zcdp'>;
      return rho > 0
        ? ({
            ...core,
            event: gaussianEvent(1 / Math.sqrt(2 * rho), {
              'replace-one': 2,
              'add-remove': 1,
              'zero-out': 1,
            }),
          } as PrivacyEvent)
        : event;
    }),
});

export const wholeNumbers = defineMutant({
  id: 'accountant/delta-0-whole-numbers-epsilon',
  kind: 'accountant',
  title: 'δ is 0 at integer ε',
  source: 'google/differential-privacy, MixtureGaussianPrivacyLoss',
  killedBy: ['accountant/monotone-in-epsilon', 'accountant/truth'],
  within: 10,
  plant: () =>
    changed(rdp, {
      delta: (event, query) => {
        const answer = rdp.delta(event, query);
        return Number.isInteger(query.epsilon) && query.epsilon > 0 ? { ...answer, upper: 0 } : answer;
      },
    }),
});

/** Rényi orders on a grid of integers. */
const coarse: Accountant = defineAccountant({
  ...rdp,
  name: 'rdp-whole-orders',
  epsilon: (event, query) => {
    const { delta } = query;
    const answer = rdp.epsilon(event, query);
    if (!(answer.upper > 0 && answer.upper < Infinity && delta > 0 && delta < 1)) return answer;
    let curve: (alpha: number) => number;
    try {
      curve = createResolver(query.kinds)(parseEvent(event, query.kinds), 'rdp', query.adjacency);
    } catch (error) {
      if (error instanceof Unsupported) return answer;
      throw error;
    }
    let upper = Infinity;
    for (let alpha = 2; alpha <= 64; alpha++)
      upper = Math.min(
        upper,
        Math.max(
          0,
          curve(alpha) + Math.log1p(-1 / alpha) - (Math.log(delta) + Math.log(alpha)) / (alpha - 1),
        ),
      );
    return { ...answer, upper };
  },
});
export const wholeOrders = defineMutant({
  id: 'accountant/fractional-very-large-renyi-orders-left-out',
  kind: 'accountant',
  title: 'fractional and very large Rényi orders are left out',
  source: 'google/differential-privacy, _compute_log_a_frac; pytorch/opacus #670',
  killedBy: ['accountant/renyi-optimal'],
  within: 10,
  plant: () => changed(coarse, {}),
});

export const cappedSearch = defineMutant({
  id: 'accountant/search-epsilon-ends-4-605',
  kind: 'accountant',
  title: 'the search for ε stops at 4.605',
  source: 'yuxiangw/autodp, ComposeAFA',
  killedBy: ['accountant/large-costs', 'accountant/truth'],
  within: 10,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) => {
        const answer = gdp.epsilon(event, query);
        return answer.upper < Infinity
          ? { ...answer, lower: Math.min(answer.lower, 4.60514), upper: Math.min(answer.upper, 4.60514) }
          : answer;
      },
    }),
});

export const varianceForDeviation = defineMutant({
  id: 'accountant/variance-noise-taken-standard-deviation',
  kind: 'accountant',
  title: 'the variance of the noise is used as its standard deviation',
  source: 'yuxiangw/autodp, GaussianMechanism',
  killedBy: ['accountant/truth', 'accountant/monotone-in-cost'],
  within: 60,
  plant: () =>
    misreading(gdp, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/gaussian' && core.sigma > 0 ? { ...core, sigma: core.sigma ** 2 } : event;
    }),
});

/** μ of the central limit theorem for sampled Gaussian noise. */
function limitMu(event: PrivacyEvent): number | undefined {
  const core = event as CoreEvent;
  const [part] = core.kind === 'core/compose' ? core.parts : [{ event: core as PrivacyEvent, count: 1 }];
  const inner = part?.event as CoreEvent | undefined;
  if (
    inner?.kind !== 'core/sampled' ||
    inner.sampler.kind !== 'core/poisson' ||
    inner.sampler.rate === 1 ||
    inner.event.kind !== 'core/gaussian'
  )
    return undefined;
  const { sigma } = inner.event as CoreEvent<'core/gaussian'>;
  return inner.sampler.rate * Math.sqrt(part.count * Math.expm1(1 / (sigma * sigma)));
}
export const limitTheorem = defineMutant({
  id: 'accountant/approximation-central-limit-theorem-certified',
  kind: 'accountant',
  title: 'an approximation by the central limit theorem has a certificate',
  source: 'pytorch/opacus GDPAccountant #643',
  killedBy: ['accountant/truth'],
  cell: 'add-remove',
  within: 60,
  plant: () =>
    changed(gdp, {
      delta: (event, query) => {
        const mu =
          event !== null && typeof event === 'object' && 'kind' in event && query.adjacency !== 'replace-one'
            ? limitMu(event)
            : undefined;
        return mu === undefined || !(query.epsilon >= 0)
          ? gdp.delta(event, query)
          : {
              lower: 0,
              upper: gaussianCurve(mu, query.epsilon),
              certificate: 'certified',
              method: 'limit',
              assumptions: ['real-arithmetic'],
            };
      },
    }),
});

export const pureDivergence = defineMutant({
  id: 'accountant/epsilon-dp-given-renyi-divergence-alpha-1',
  kind: 'accountant',
  title: 'ε-DP is charged the Rényi divergence (α − 1)ε/α, which is 0 near order 1',
  source: 'microsoft/prv_accountant, PureDPMechanism.rdp',
  killedBy: ['accountant/truth', 'accountant/wants'],
  within: 60,
  plant: () =>
    changed(rdp, {
      delta: (event, query): Interval => {
        const answer = rdp.delta(event, query);
        let pure: number;
        try {
          pure = resolveEvent(event, 'pure', query);
        } catch {
          return answer;
        }
        return pure > 0 && pure < Infinity
          ? {
              ...answer,
              lower: 0,
              upper: Math.min(
                answer.upper,
                renyiCurve((alpha) => ((alpha - 1) * pure) / alpha, query.epsilon),
              ),
              certificate: 'certified',
            }
          : answer;
      },
    }),
});
