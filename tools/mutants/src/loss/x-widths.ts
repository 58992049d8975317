import type { FusedSum, Loss } from '@lethe/core';
import { logistic, squared, squaredDistance } from '@lethe/losses';
import { logisticSum, squaredSum } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

/** A linear loss with another fused sum. */
const fusing = (base: typeof logistic | typeof squared, sum: FusedSum) =>
  plantedPlugin(base as unknown as Loss, {
    linear: base.linear && { ...(base.linear as NonNullable<Loss['linear']>), fused: () => sum },
  });

export const thirteenColumns = defineMutant({
  id: 'loss/fused-sum-off-at-thirteen-columns',
  title: 'the last entry of a fused sum is 1 % off where records have 13 columns',
  kind: 'loss',
  source: 'generic: the rest of a block',
  killedBy: ['loss/fused-widths'],
  within: 40,
  plant: () =>
    fusing(logistic, {
      ...logisticSum,
      clippedSum(job) {
        logisticSum.clippedSum(job);
        if (job.w.length === 13) job.out[12] *= 0.99;
      },
    }),
});

export const swappedLanes = defineMutant({
  id: 'loss/fused-sum-swaps-lanes-of-32-bit-rows',
  title: 'of records in 32 bits, a fused sum takes each two neighbouring numbers in the place of one another',
  kind: 'loss',
  source: 'generic: another width of numbers',
  killedBy: ['loss/fused'],
  within: 60,
  plant: () =>
    fusing(logistic, {
      ...logisticSum,
      clippedSum({ X, ...job }) {
        const isSingle = 'data' in X && X.data instanceof Float32Array;
        const swapped = isSingle ? { ...X, data: X.data.map((x, k, all) => all[k ^ 1] ?? x) } : X;
        logisticSum.clippedSum({ ...job, X: swapped });
      },
    }),
});

export const thirdTerm = defineMutant({
  id: 'loss/fused-sum-forgets-third-point',
  title: 'a fused sum at three points takes two',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/fused-widths'],
  within: 40,
  plant: () =>
    fusing(squared, {
      ...squaredSum,
      clippedTerms: (job) => squaredSum.clippedTerms?.({ ...job, terms: job.terms.slice(0, 2) }),
    }),
});

export const threeCoordinates = defineMutant({
  id: 'loss/sum-along-three-coordinates-off',
  title: 'the sum along three coordinates is 1 % off in the last',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/fused-widths'],
  within: 40,
  plant: () =>
    fusing(logistic, {
      ...logisticSum,
      ...(logisticSum.coordinates && {
        coordinates: {
          ...logisticSum.coordinates,
          gradient(space, query) {
            const found = logisticSum.coordinates?.gradient(space, query) ?? new Float64Array();
            if (found.length === 3) found[2] *= 0.99;
            return found;
          },
        },
      }),
    }),
});

export const thousandth = defineMutant({
  id: 'loss/gradient-ends-at-entry-1024',
  title: 'entries of a gradient from the 1025th on are 0',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/long-gradient'],
  within: 1000,
  plant: () =>
    plantedPlugin(squaredDistance, {
      gradientInto(params, out, at, record) {
        squaredDistance.gradientInto(params, out, at, record);
        out.fill(0, 1024);
      },
    }),
});

/** A fact about coordinates with other numbers. */
const coordinateFact = (
  name: string,
  where: (domain: Parameters<Loss['facts']>[1]) => boolean,
  change: (value: number, j: number) => number,
) =>
  plantedPlugin(logistic, {
    facts(params, domain) {
      const facts = logistic.facts(params, domain);
      const { [name]: fact } = facts;
      if (fact?.each === undefined || !where(domain)) return facts;
      const each = fact.each.map(change);
      return { ...facts, [name]: { ...fact, each, value: Math.max(...each) } };
    },
  });

export const sparseBound = defineMutant({
  id: 'loss/coordinate-lipschitz-of-sparse-records',
  title: 'Lipschitz constants of coordinates are 5 % too small for records of few entries',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts', 'loss/lipschitz'],
  within: 2000,
  plant: () =>
    coordinateFact(
      'coordinateLipschitz',
      ({ sparsity }) => sparsity !== undefined,
      (value) => 0.95 * value,
    ),
});

export const seventhColumn = defineMutant({
  id: 'loss/coordinate-smoothness-of-seventh-column',
  title: 'the smoothness of the seventh coordinate is a tenth too small; most examples have three',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts-elsewhere'],
  within: 2000,
  plant: () =>
    coordinateFact(
      'coordinateSmoothness',
      () => true,
      (value, j) => (j === 6 ? 0.9 * value : value),
    ),
});
