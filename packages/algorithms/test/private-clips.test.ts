import { IncompatiblePlugins, sameEvent, type PrivacyEvent, type Problem, type Query } from '@lethe/core';
import { certifiedMean, gaussian, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import {
  acceleratedDpSgd,
  biasReducedSgd,
  dpCd,
  dpFtrl,
  dpSvrg,
  heavyTailedGradientDescent,
  localizedAcSa,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyAcSa,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
  noisyGradientDescent,
  oneRecordSgd,
  onlineToBatch,
  parallelSgd,
  recursiveDpSgd,
} from '../src/index.js';
import { carriedOut, context, curatorOf, problem as problemOf } from './support/logistic.js';

const problem = problemOf({
  domain: l2BallDomain({ radius: 1 }),
  facts: { populationSmoothness: 4 },
}) as never;
const posed = { registry: mechanisms, ...context, problem };
const clipNorm = { by: 'private-quantile', share: 0.25, counts: 5, largest: 3 } as const;

const methods = [
  ['accelerated-dp-sgd', acceleratedDpSgd, { rounds: 3, clipNorm }],
  ['bias-reduced-sgd', biasReducedSgd, { calls: 3, clipNorm }],
  ['dp-ftrl', dpFtrl, { rounds: 4, stepSize: 0.1, clipNorm }],
  ['dp-svrg', dpSvrg, { epochs: 1, innerSteps: 2, stepSize: 0.1, clip: clipNorm }],
  ['localized-ac-sa', localizedAcSa, { stepSize: 0.5, clipNorm }],
  ['noisy-clipped-ac-sa', noisyClippedAcSa, { rounds: 3, clipNorm }],
  ['noisy-clipped-sgd', noisyClippedSgd, { rounds: 3, clipNorm }],
  ['noisy-clipped-subgradient', noisyClippedSubgradient, { rounds: 3, stepSize: 0.1, strength: 1, clipNorm }],
  ['localized', localizedSubgradient, { mostRounds: 2, variant: 'subsampled', clipNorm }],
  ['localized-strongly-convex', localizedStronglyConvex, { mostRounds: 1, strongConvexity: 1, clipNorm }],
  ['noisy-clipped-proximal-sgd', noisyClippedProximalSgd, { rounds: 3, clipNorm }],
  ['noisy-gradient-descent', noisyGradientDescent, { rounds: 2, innerSteps: 3, clip: { radius: clipNorm } }],
  ['one-record-sgd', oneRecordSgd, { steps: 3, clipNorm }],
  ['recursive-dp-sgd', recursiveDpSgd, { rounds: 4, beta: 400, clipNorm }],
] as const;

/** The clip norms of all that is released of gradients. */
const norms = (queries: readonly Query[]): readonly number[] =>
  queries.flatMap((query) => {
    const text = query.ask === 'mean' || query.ask === 'open' ? JSON.stringify(query) : '';
    return [...text.matchAll(/"(?:radius|cap)":([\d.e-]+)/gu)].map(([, radius]) => Number(radius));
  });

describe.each(methods)('%s with a private quantile', (_name, optimizer, params) => {
  const calibrated: PrivacyEvent[] = [];
  const run = (optimizer as typeof dpFtrl).prepare({
    ...posed,
    calibrate(request) {
      const found = posed.calibrate(request);
      calibrated.push(request.make(found.value));
      return found;
    },
    params: params as never,
  });
  const { queries, spent, output } = carriedOut(run);

  it('asks for the counts first, and clips at what they find', () => {
    expect(queries.slice(0, 5).every(({ ask }) => ask === 'value')).toBe(true);
    const found = norms(queries);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found).size).toBe(1);
    // The range halves its logarithm with each count, from 3 down to 3/1024.
    const { plan } = run as unknown as { readonly plan: { readonly clipNorm?: number } };
    const norm = optimizer === recursiveDpSgd ? found[0] / (plan.clipNorm ?? NaN) : found[0];
    const halvings = (32 * Math.log2(3 / norm)) / 10;
    expect(Math.abs(halvings - Math.round(halvings))).toBeLessThan(1e-9);
    expect(output.every(Number.isFinite)).toBe(true);
  });

  it('plans what the ledger charges, and the share of the counts', () => {
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    // Noise is calibrated with the counts; that of drawn levels for levels that are likely.
    // Records beyond the last batch pay for the counts alone.
    const { event } = run.plan as { readonly event: { readonly parts?: readonly PrivacyEvent[] } };
    const costs = [run.plan.event, ...(optimizer === acceleratedDpSgd ? (event.parts ?? []) : [])];
    if (optimizer !== biasReducedSgd)
      expect(calibrated.some((one) => costs.some((cost) => sameEvent(one, cost)))).toBe(true);
    const { quantile } = run.plan as unknown as { readonly quantile: { readonly noiseMultiplier: number } };
    const whole = gaussian.multiplierFor({}, context.budget);
    expect((5 * whole ** 2) / quantile.noiseMultiplier ** 2).toBeCloseTo(clipNorm.share, 9);
  });

  it('has no bound', () => {
    expect(run.plan.utility).toBeNull();
    const { uncovered } = run.plan as { readonly uncovered?: string };
    if (optimizer !== dpSvrg && optimizer !== recursiveDpSgd)
      expect(uncovered).toMatch(/quantile|found|constants/u);
  });
});

it('clips weighted differences at a given factor of what is found, without a smoothness', () => {
  const { smoothness: _, ...facts } = (problem as Problem).facts;
  const planned = (difference?: number) =>
    recursiveDpSgd.prepare({
      ...posed,
      problem: { ...(problem as Problem), facts },
      params: { rounds: 4, beta: 400, clipNorm: { ...clipNorm, difference } },
    });
  expect(() => planned()).toThrow(/no fact 'smoothness'/u);
  const { queries } = carriedOut(planned(2));
  const halvings = (32 * Math.log2((3 * 2) / norms(queries)[0])) / 10;
  expect(Math.abs(halvings - Math.round(halvings))).toBeLessThan(1e-9);
});

it('plans weighted differences in units of what is found', () => {
  const params = { rounds: 4, noiseMultiplier: 5, clipNorm } as const;
  const [found, known] = [clipNorm, undefined].map(
    (norm) =>
      recursiveDpSgd.prepare({ ...posed, params: { ...params, clipNorm: norm } }).plan as unknown as {
        readonly beta: number;
        readonly clipNorm: number;
      },
  );
  const { lipschitz } = (problem as Problem).facts;
  expect(found.beta).toBe(known.beta);
  expect((found.clipNorm * lipschitz.value) / known.clipNorm).toBeCloseTo(1, 12);
});

it('plans steps for the largest radius, and what the counts leave', () => {
  const planned = (radius: number | (Omit<typeof clipNorm, 'share'> & { readonly share: number })) =>
    noisyGradientDescent.prepare({
      ...posed,
      problem: problemOf({ facts: { startDistance: 1 } }),
      params: { clip: { radius } },
    }).plan as unknown as {
      readonly schedule: { readonly exact: number };
      readonly stepNoise: number;
      readonly noiseMultiplier: number;
      readonly noise: { readonly theorem: unknown };
    };
  // Twice the noise is that of a radius twice as large.
  const found = planned({ ...clipNorm, share: 0.75 });
  expect(found.schedule.exact).toBeCloseTo(planned(2 * clipNorm.largest).schedule.exact, 9);
  const size = ({ stepNoise, noiseMultiplier }: typeof found) => stepNoise / noiseMultiplier ** 2;
  expect(size(found)).toBeCloseTo(size(planned(clipNorm.largest)), 12);
  expect(found.noise.theorem).toBeNull();
});

it('is refused for means that have no clip norm, and for verified streams', () => {
  const asked = () =>
    noisyClippedAcSa.prepare({
      ...posed,
      params: { rounds: 3, clipNorm, mean: certifiedMean({ mechanism: gaussian({}) }) },
    });
  expect(asked).toThrow(IncompatiblePlugins);
  expect(() => onlineToBatch.params.parse({ clipNorm })).toThrow(/later rounds/u);
  expect(() => parallelSgd.params.parse({ rounds: 2, clipNorm })).toThrow(/quantile of its own/u);
  expect(() => heavyTailedGradientDescent.params.parse({ clipNorm })).toThrow(/whole norms says nothing/u);
  expect(() => dpCd.params.parse({ clip: { radius: clipNorm } })).toThrow(/along coordinates/u);
  expect(() =>
    noisyGradientDescent.params.parse({ calibration: 'theorem', clip: { radius: clipNorm } }),
  ).toThrow(/leaves no privacy/u);
  expect(() => biasReducedSgd.params.parse({ stopping: 'printed', clipNorm })).toThrow(/leaves no privacy/u);
  expect(() => noisyAcSa.prepare({ ...posed, params: { rounds: 3, clipNorm } })).toThrow(/cannot be scaled/u);
  const verified = { sampling: { name: 'random-allocation' }, verified: true };
  expect(() => dpFtrl.params.parse({ rounds: 4, stepSize: 1, clipNorm, ...verified })).toThrow(
    /give a number/u,
  );
});

it('costs what was planned in secret batches, whatever norm is found', () => {
  const zeroOut = problemOf({ adjacency: 'zero-out', domain: l2BallDomain({ radius: 1 }) }) as never;
  for (let k = 0; k < 24; k++) {
    const run = dpFtrl.prepare({
      ...posed,
      problem: zeroOut,
      params: {
        rounds: 8,
        stepSize: 0.1,
        clipNorm: { ...clipNorm, largest: 1 + k / 7 },
        prefixSum: { name: 'banded-toeplitz', params: { bandwidth: 4 } },
        sampling: { name: 'cyclic-poisson', params: { groups: 4, rate: 0.25 } },
        noiseMultiplier: 3 + k / 11,
      },
    });
    expect(sameEvent(carriedOut(run, curatorOf('zero-out')).spent, run.plan.event)).toBe(true);
  }
});
