import { defineMechanism, IncompatiblePlugins, sameEvent, Unsupported, type Problem } from '@lethe/core';
import {
  automaticClip,
  clippedMean,
  coordinateClip,
  gaussian,
  gradientDifferenceClip,
  l2BallDomain,
  l2Clip,
  laplace,
  mechanisms,
  poisson,
  wholeSpaceDomain,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import {
  acceleratedDpSgd,
  acceleratedDpSrgd,
  dpMu2Sgd,
  localizedAcSa,
  onlineToBatch,
  parallelSgd,
  phasedErm,
  phasedSgd,
  recursiveDpSgd,
  snowballSgd,
} from '../src/index.js';
import { carriedOut, context, curatorOf, declared, problem as problemOf } from './support/logistic.js';

/** Gaussian noise of half the scale that it is asked for, with another event, and of unknown symmetry. */
const half = defineMechanism({
  ...gaussian,
  name: 'half',
  claims: [],
  event: (_params, noiseMultiplier, relative) => gaussian.event({}, noiseMultiplier / 2, relative),
  addNoise: (_params, value, scale, random) => gaussian.addNoise({}, value, scale / 2, random),
  standardDeviation: () => 0.5,
});
/** The same, symmetric. */
const symmetricHalf = defineMechanism({ ...half, name: 'symmetric-half', claims: gaussian.claims });
const registry = [...mechanisms, half, symmetricHalf];

const given: Problem = problemOf({ domain: l2BallDomain({ radius: 1 }), facts: { populationSmoothness: 4 } });
const posed = { registry, ...context, problem: given as never };
const boundOf = ({ plan }: { readonly plan: { readonly utility: { readonly bound: number } | null } }) =>
  defined(plan.utility).bound;

describe('a mechanism by reference', () => {
  it.each([phasedErm, phasedSgd, snowballSgd])('counts by its own deviation in $name', (optimizer) => {
    const at = (mechanism: { name: string }, noiseMultiplier: number) =>
      optimizer.prepare({ ...posed, params: { mechanism, noiseMultiplier } });
    const own = at({ name: 'symmetric-half' }, 4);
    expect(boundOf(own) / boundOf(at({ name: 'gaussian' }, 2))).toBeCloseTo(1, 6);
    expect(own.plan.event).toStrictEqual(at({ name: 'gaussian' }, 2).plan.event);
    expect(sameEvent(carriedOut(at({ name: 'classical-gaussian' }, 2)).spent, own.plan.event)).toBe(true);
  });

  it.each([phasedErm, phasedSgd, snowballSgd])(
    'has no bound in $name unless it is symmetric',
    (optimizer) => {
      const { plan } = optimizer.prepare({ ...posed, params: { mechanism: half({}), noiseMultiplier: 4 } });
      expect([plan.utility, (plan as { uncovered?: unknown }).uncovered]).toStrictEqual([
        null,
        expect.stringContaining("mechanism 'half' does not claim to be symmetric"),
      ]);
    },
  );

  it('is one in ℓ1 for minimisers on the whole space', () => {
    const sparsity = { value: 4, scope: 'every-record', provenance: 'from-domain' } as const;
    const facts = { ...given.facts, startDistance: declared(1), sparsity };
    const problem = { ...given, domain: wholeSpaceDomain({}), facts } as never;
    const own = { mechanism: laplace({}), noiseMultiplier: 2 };
    const run = phasedErm.prepare({ ...posed, problem, params: own });
    const { queries, spent } = carriedOut(run, curatorOf('replace-one', { bounds: { sparsity: 4 } }));
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    expect(queries.slice(1).every((query) => query.ask === 'minimiser' && query.norm === 1)).toBe(true);
    // Entries of Laplace noise of scale 1 have variance 2, and a record moves minimisers further in ℓ1.
    expect(boundOf(run)).toBeGreaterThan(
      boundOf(phasedErm.prepare({ ...posed, problem, params: { ...own, mechanism: gaussian({}) } })),
    );
    const params = { mechanism: laplace({}), noiseMultiplier: 2 };
    expect(() => phasedErm.prepare({ ...posed, params })).toThrow(Unsupported);
    expect(() => phasedSgd.prepare({ ...posed, params })).toThrow(IncompatiblePlugins);
  });
});

describe('a clip by reference', () => {
  const streams = [
    [onlineToBatch, { rounds: 4 }],
    [recursiveDpSgd, { rounds: 4, beta: 20 }],
    [acceleratedDpSrgd, { rounds: 4, beta: 60 }],
    [dpMu2Sgd, { rounds: 4, stepSize: 1e-3 }],
  ] as const;

  it.each(streams)('bounds the increments of $name', (optimizer, numbers) => {
    const at = (params: object) =>
      (optimizer as typeof onlineToBatch).prepare({ ...posed, params: { ...numbers, ...params } });
    const norm = 1e3;
    const byClip = at({ clip: gradientDifferenceClip({ cap: norm }), noiseMultiplier: 2 });
    const byNorm = at({ clipNorm: norm, noiseMultiplier: 2 });
    expect(byClip.plan.utility).toStrictEqual(byNorm.plan.utility);
    expect(carriedOut(byClip).output).toStrictEqual(carriedOut(byNorm).output);
    const other = at({ clip: automaticClip({ radius: norm, stability: 1 }), noiseMultiplier: 2 });
    expect(other.plan.utility).toBeNull();
    if (byNorm.plan.utility !== null)
      expect((other.plan as { uncovered?: unknown }).uncovered).toContain(
        "clip 'automatic' is no projection",
      );
    expect(sameEvent(carriedOut(other).spent, other.plan.event)).toBe(true);
  });

  it.each(streams)('of $name is in ℓ2, and has a norm of its own', (optimizer, numbers) => {
    const at = (params: object) => () =>
      (optimizer as typeof onlineToBatch).prepare({ ...posed, params: { ...numbers, ...params } });
    expect(at({ clip: coordinateClip({ radius: 1 }) })).toThrow(/'coordinate' bounds records in linf/);
    expect(() => optimizer.params.parse({ ...numbers, clip: l2Clip({ radius: 1 }), clipNorm: 1 })).toThrow(
      /clip/,
    );
  });
});

describe('a mean by reference in accelerated-dp-sgd', () => {
  const L = defined(given.facts['lipschitz']).value;
  const clipped = (radius: number) => clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
  const at = (params: object) =>
    acceleratedDpSgd.prepare({ ...posed, params: { noiseMultiplier: 1e-3, rounds: 4, ...params } });

  it('that clips nothing has the bound of the clip norm', () => {
    const [byMean, byNorm] = [at({ mean: clipped(L) }), at({ clipNorm: L })];
    expect(boundOf(byMean) / boundOf(byNorm)).toBeCloseTo(1, 6);
    expect(byMean.plan.event).toStrictEqual(byNorm.plan.event);
  });

  it('that cuts gradients has a bias in its bound', () => {
    const beta = 50;
    const D = 2;
    const [cut, whole] = [at({ mean: clipped(L / 2), beta }), at({ mean: clipped(L), beta })];
    // At most half of each gradient is cut off, and Σ η_t / η_{0:T−1} = 1.
    expect(boundOf(cut)).toBeGreaterThan(boundOf(whole) + (L * D) / 4);
    expect(boundOf(cut)).toBeLessThan(3 * (boundOf(whole) + (L * D) / 2));
    // Of the moments of all orders the largest gradient tells most: a tenth of it is cut off.
    const tenth = at({ mean: clipped(0.9 * L), beta });
    expect(boundOf(tenth)).toBeLessThan(boundOf(whole) + 0.11 * L * D);
  });

  it('needs gradients of known length', () => {
    const { lipschitz: _, ...facts } = given.facts;
    const problem = { ...given, facts } as never;
    expect(() =>
      acceleratedDpSgd.prepare({ ...posed, problem, params: { rounds: 4, mean: clipped(1) } }),
    ).toThrow(/no fact 'lipschitz'/);
  });
});

describe('a mean by reference in parallel-sgd', () => {
  const L = defined(given.facts['lipschitz']).value;
  const at = (params: object) =>
    parallelSgd.prepare({ ...posed, params: { rounds: 4, noiseMultiplier: 2, ...params } });
  const unitMean = (name: string) =>
    clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: { kind: 'mechanism', name, params: {} } });

  it('is scaled to the clip norm', () => {
    const [byMean, byNorm] = [at({ mean: unitMean('gaussian') }), at({ clipNorm: L })];
    expect(byMean.plan).toStrictEqual(byNorm.plan);
    expect(carriedOut(byMean).output).toStrictEqual(carriedOut(byNorm).output);
  });

  it.each(['smooth', 'lipschitz'] as const)('counts the noise of the mean in %s steps', (step) => {
    const own = at({ mean: unitMean('symmetric-half'), noiseMultiplier: 4, step });
    const gaussians = at({ noiseMultiplier: 2, step });
    expect(boundOf(own) / boundOf(gaussians)).toBeCloseTo(1, 6);
    const classical = at({ mean: unitMean('classical-gaussian'), step });
    expect(sameEvent(carriedOut(classical).spent, classical.plan.event)).toBe(true);
  });

  it('that changes gradients has no bound', () => {
    const mean = clippedMean({ clip: automaticClip({ radius: 1, stability: 1 }), mechanism: gaussian({}) });
    for (const params of [{ mean }, { clipNorm: 0.99 * L }]) {
      const plan = at(params).plan as { readonly utility: unknown; readonly uncovered?: unknown };
      expect([plan.utility, plan.uncovered]).toStrictEqual([null, expect.stringContaining('may change')]);
    }
  });
});

it('draws with a sampler by reference in localized-ac-sa', () => {
  const params = { stepSize: 0.5, clipNorm: 1, noiseMultiplier: 2 };
  const run = localizedAcSa.prepare({ ...posed, params: { ...params, sampler: poisson({ rate: 0.5 }) } });
  const { spent, queries } = carriedOut(run);
  expect(sameEvent(spent, run.plan.event)).toBe(true);
  const samplers = queries.flatMap((query) => (query.ask === 'mean' ? [query.sampler?.name] : []));
  expect(new Set(samplers)).toStrictEqual(new Set(['poisson']));
});
