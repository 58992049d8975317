import { InvalidParameter, meanShape, seededRandom, Unsupported, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import {
  expectation,
  discreteDistributions,
  mean,
  minus,
  momentOf,
  norm,
} from '../../test/support/discrete-distribution.js';
import { coordinateMedianOfMeans, medianOfMeansGroups } from './coordinate-median-of-means.js';

const dimension = 2;
const random = seededRandom('medians');
function medianOf(records: readonly Vector[], limit: number, groups: number): Vector {
  const run = coordinateMedianOfMeans.begin(
    { limit, groups },
    meanShape({ dimension: records[0].length, slots: records.length }),
    random,
  );
  records.forEach((record, slot) => run.add(slot, record));
  return run.value();
}
const clamped =
  (limit: number) =>
  (z: Vector): Vector =>
    z.map((x) => Math.max(-limit, Math.min(limit, x)));

describe('coordinateMedianOfMeans', () => {
  it('is the median over groups dealt by slot, of means over what each got', () => {
    const records = [
      [0, 9],
      [1, -9],
      [4, 2],
      [2, 8],
      [3, 0],
      [6, 2],
      [-5, 8],
    ].map((row) => Float64Array.from(row));
    // Groups {0, 3, 6}, {1, 4}, {2, 5}: means (-1, 7⅔ with the limit), (2, -4), (5, 2).
    expect(medianOf(records, 8, 3)).toEqual(Float64Array.of(2, 2));
    expect(medianOf(records, 8, 1)[0]).toBeCloseTo(11 / 7, 14);
    // Groups {0, 2, 4, 6}, {1, 3, 5}: an even number has the middle of the two.
    expect(medianOf(records, 8, 2)[0]).toBeCloseTo((2 / 4 + 9 / 3) / 2, 14);
    expect(medianOf(records, 8, 7)).toEqual(Float64Array.of(2, 2));
  });

  it('is not moved beyond the others by whatever happens in fewer than half of the groups', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(3, 5, 7),
        fc.integer({ min: 1, max: 3 }),
        vectorOf(3, -1, 1),
        fc.array(vectorOf(3, -6, 9), { minLength: 3, maxLength: 3 }),
        (groups, size, honest, bad) => {
          const spoilt = (groups - 1) / 2;
          const records = Array.from({ length: groups * size }, (_, slot) =>
            slot % groups < spoilt ? bad[slot % 3] : honest,
          );
          medianOf(records, 1e10, groups).forEach((x, j) =>
            expect(Math.abs(x - honest[j])).toBeLessThanOrEqual(1e-12 * Math.abs(honest[j])),
          );
        },
      ),
    );
  });

  it('declares the published sensitivity for odd groups, and half of it for even ones', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        positive(-2, 2),
        (groups, size, d, limit) => {
          const declared = coordinateMedianOfMeans.sensitivity(
            { limit, groups },
            meanShape({ dimension: d, slots: groups * size }),
          );
          const published = (2 * limit * groups * Math.sqrt(d)) / (groups * size);
          expect(defined(declared['replace-one']) / published).toBeCloseTo(groups % 2 === 0 ? 0.5 : 1, 12);
          expect(declared['zero-out']).toBe(defined(declared['replace-one']) / 2);
          expect(declared['add-remove']).toBeUndefined();
          // Slots that are left over make some groups larger, and none smaller.
          expect(
            coordinateMedianOfMeans.sensitivity(
              { limit, groups },
              meanShape({ dimension: d, slots: groups * size + groups - 1 }),
            ),
          ).toEqual(declared);
        },
      ),
    );
  });

  it('clips with the sharp constant of the lemma on one coordinate', () => {
    const orders = [2, 2.5, 3, 4, 8];
    fc.assert(
      fc.property(
        discreteDistributions(1),
        fc.constantFrom(...orders),
        fc.integer({ min: 8, max: 80 }),
        (distribution, order, quarters) => {
          const truth = mean(distribution, (z) => z)[0];
          const limit = (Math.abs(truth) * quarters) / 4;
          if (!(limit > 0)) return;
          const clipped = mean(distribution, clamped(limit))[0];
          const centred = expectation(distribution, (z) => Math.abs(z[0] - truth) ** order);
          const sharp = ((order - 1) ** (order - 1) / order ** order) * centred * (2 / limit) ** (order - 1);
          expect(Math.abs(clipped - truth)).toBeLessThanOrEqual(sharp * (1 + 1e-9) + 1e-12 * limit);
        },
      ),
    );
  });

  it('bounds bias and variance of the median of three and of four records of every finite law', () => {
    fc.assert(
      fc.property(
        discreteDistributions(dimension),
        positive(-2, 2),
        fc.constantFrom(2, 3),
        fc.constantFrom(3, 4),
        fc.constantFrom(0, 0.5),
        (distribution, limit, order, groups, noise) => {
          const points = distribution.points.slice(0, 3);
          const total = distribution.weights.slice(0, 3).reduce((sum, w) => sum + w, 0);
          const few = { points, weights: distribution.weights.slice(0, 3).map((w) => w / total) };
          let fillings: readonly { readonly records: readonly Vector[]; readonly weight: number }[] = [
            { records: [], weight: 1 },
          ];
          for (let slot = 0; slot < groups; slot++)
            fillings = fillings.flatMap(({ records, weight }) =>
              points.map((z, i) => ({ records: [...records, z], weight: weight * few.weights[i] })),
            );
          const answers = {
            points: fillings.map(({ records }) => medianOf(records, limit, groups)),
            weights: fillings.map(({ weight }) => weight),
          };
          const centre = mean(answers, (x) => x);
          const moment = momentOf(few, order);
          const context = meanShape({ dimension, slots: groups });
          expect(
            norm(
              minus(
                centre,
                mean(few, (z) => z),
              ),
            ),
          ).toBeLessThanOrEqual(
            coordinateMedianOfMeans.biasBound({ limit, groups }, context, moment) * (1 + 1e-9) +
              1e-12 * moment.value ** (1 / order),
          );
          const variance = expectation(answers, (x) => norm(minus(x, centre)) ** 2) + dimension * noise;
          expect(variance).toBeLessThanOrEqual(
            coordinateMedianOfMeans.varianceBound({ limit, groups }, context, moment, noise) * (1 + 1e-9),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has the bias of plain means for one group and two, and more for skewed laws in three', () => {
    const moment = { order: 2, value: 4 };
    const at = (groups: number): number =>
      coordinateMedianOfMeans.biasBound({ limit: 1, groups }, meanShape({ dimension, slots: 12 }), moment);
    expect([at(1), at(2)]).toEqual([1, 1]);
    // A rare large record is in the minority of groups: the median forgets it.
    const rare = (x: number, y: number, z: number): number =>
      medianOf(
        [x, y, z].map((v) => Float64Array.of(v)),
        9,
        3,
      )[0];
    const p = 0.1;
    const biased = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, mask) => {
      const bits = [mask & 1, (mask >> 1) & 1, mask >> 2];
      const ones = bits.reduce((a, b) => a + b, 0);
      return sum + p ** ones * (1 - p) ** (3 - ones) * rare(bits[0], bits[1], bits[2]);
    }, 0);
    expect(biased).toBeCloseTo(3 * p ** 2 - 2 * p ** 3, 14);
    expect(p - biased).toBeGreaterThan(0.07);
  });

  it('takes whole slots only, enough for every group, and whole groups', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => coordinateMedianOfMeans({ limit: bad, groups: 1 })).toThrow(InvalidParameter);
        expect(() => coordinateMedianOfMeans({ limit: 1, groups: bad })).toThrow(InvalidParameter);
      }),
    );
    for (const slots of [2, 0, 3.5, Number.NaN, Infinity]) {
      for (const use of [coordinateMedianOfMeans.sensitivity, coordinateMedianOfMeans.begin])
        expect(() => use({ limit: 1, groups: 3 }, meanShape({ dimension, slots }), random)).toThrow(
          InvalidParameter,
        );
      expect(() =>
        coordinateMedianOfMeans.biasBound({ limit: 1, groups: 3 }, meanShape({ dimension, slots }), {
          order: 2,
          value: 1,
        }),
      ).toThrow(InvalidParameter);
    }
    expect(() => medianOf([Float64Array.of(1), Float64Array.of(1, 2)], 1, 1)).toThrow(InvalidParameter);
  });
});

describe('its sums', () => {
  it('are refused before the release where they need more memory than there is', () => {
    const context = meanShape({ dimension: 1e6, slots: 1e6 });
    for (const groups of [269, 1e6]) {
      expect(() => coordinateMedianOfMeans.sensitivity({ limit: 1, groups }, context)).toThrow(Unsupported);
      expect(() =>
        coordinateMedianOfMeans.begin({ limit: 1, groups }, context, seededRandom('room')),
      ).toThrow(/at most 268 groups/u);
    }
    expect(coordinateMedianOfMeans.sensitivity({ limit: 1, groups: 268 }, context)['zero-out']).toBeCloseTo(
      1000 / 3731 / 2,
      12,
    );
  });
});

describe('medianOfMeansGroups', () => {
  /** `P[Binomial(n, p) ≥ least]`. */
  const binomialTail = (n: number, p: number, least: number): number => {
    let term = (1 - p) ** n;
    let sum = 0;
    for (let k = 0; k <= n; k++) {
      if (k >= least) sum += term;
      term *= ((n - k) * p) / ((k + 1) * (1 - p));
    }
    return sum;
  };

  it('meets the failure probability exactly, for rare and large records', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 99 }),
        fc.constantFrom(0.3, 0.1, 0.01, 1e-4),
        (d, size, percent, failure) => {
          const groups = medianOfMeansGroups(d, failure);
          const p = percent / 100;
          const deviation = 2 * Math.sqrt((p * (1 - p)) / size);
          // Records are 1 with probability p and 0 otherwise; the mean of a group is a binomial share.
          let [above, below] = [0, 0];
          for (let k = 0; k <= size; k++) {
            const exactly = binomialTail(size, p, k) - binomialTail(size, p, k + 1);
            if (k / size - p > deviation) above += exactly;
            if (p - k / size > deviation) below += exactly;
          }
          const half = Math.ceil(groups / 2);
          expect(
            d *
              (binomialTail(groups, Math.max(0, above), half) +
                binomialTail(groups, Math.max(0, below), half)),
          ).toBeLessThanOrEqual(failure);
        },
      ),
    );
    expect(medianOfMeansGroups(1, 0.5)).toBe(6);
    expect(medianOfMeansGroups(100, 1e-6)).toBe(148);
    expect(medianOfMeansGroups(100, 5e-324)).toBe(Math.ceil(8 * (Math.log(100) + 1074 * Math.LN2)));
  });

  it('refuses what is no dimension and no probability', () => {
    for (const bad of [0, -1, 0.5, Number.NaN, Infinity])
      expect(() => medianOfMeansGroups(bad, 0.1)).toThrow(InvalidParameter);
    for (const bad of [0, 1, -1, Number.NaN])
      expect(() => medianOfMeansGroups(1, bad)).toThrow(InvalidParameter);
  });
});
