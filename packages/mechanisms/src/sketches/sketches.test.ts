import { InvalidParameter, LetheError, seededRandom, type Sketch } from '@lethe/core';
import { enumerate, type Atoms } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bernoulli } from './bernoulli.js';
import {
  blockSketch,
  finiteSketch,
  fullSketch,
  independentCoordinates,
  singleCoordinate,
  tauNice,
} from './index.js';
import { chooseUpTo, subsetsOfSize } from './subsets.js';
import { drawWhole, wholeWeights } from './whole-weights.js';

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
/** Numbers of every size. */
const positive = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: -12, max: 12 }))
  .map(([digits, exponent]) => digits * 10 ** exponent);
const weightLists = fc.array(positive, { minLength: 1, maxLength: 40 });

describe('whole weights', () => {
  it('keep proportions that whole numbers can have', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: -300, max: 300 }),
        (given, exponent) => {
          const { weights, total, cumulative } = wholeWeights(given.map((weight) => weight * 2 ** exponent));
          const unit = given[0] / weights[0];
          expect([...weights].map((weight) => weight * unit)).toEqual(given);
          expect(cumulative.at(-1)).toBe(total);
        },
      ),
    );
    expect([...wholeWeights([0.5, 0.125, 0.375]).weights]).toEqual([4, 1, 3]);
    expect([...wholeWeights([7, 7, 7]).weights]).toEqual([1, 1, 1]);
  });

  it('are within 2^-50 of the total of all others, and never 0', () => {
    fc.assert(
      fc.property(weightLists, (given) => {
        const { weights, total } = wholeWeights(given);
        const sum = given.reduce((a, b) => a + b, 0);
        expect(total).toBeLessThan(2 ** 53);
        given.forEach((weight, k) => {
          expect(Math.abs(weights[k] / total - weight / sum)).toBeLessThan(2 ** -50 * (1 + given.length));
          expect(weights[k]).toBeGreaterThan(0);
        });
      }),
    );
  });

  it('hold numbers of any size', () => {
    for (const huge of [1e-320, 5e-324, 1e300])
      expect([...wholeWeights([huge, huge]).weights]).toEqual([1, 1]);
    expect(wholeWeights([1e300, 1e-300]).weights[1]).toBe(1);
    for (const bad of [[], [0], [1, -1], [Number.NaN], [1.7e308, 1.7e308], [Infinity]])
      expect(() => wholeWeights(bad)).toThrow(InvalidParameter);
  });

  it('are drawn exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }), (given) => {
        const whole = wholeWeights(given);
        const counts = given.map(() => 0);
        const outcomes = defined(enumerate((random) => drawWhole(whole, random)));
        for (const { value } of outcomes) counts[value]++;
        expect(outcomes).toHaveLength(whole.total);
        expect(counts).toEqual([...whole.weights]);
      }),
    );
  });
});

describe('a draw', () => {
  it('compares as many digits as the probability has', () => {
    // Draws of 53 digits below, at and above those of p, by their probabilities.
    const cells = (digits: number): Atoms => [
      { value: digits - 1, probability: digits / 2 ** 53 },
      { value: digits, probability: 2 ** -53 },
      { value: digits + 1, probability: 1 - (digits + 1) / 2 ** 53 },
    ];
    for (const p of [0.5, 0.1, 1 / 3, 1 - 2 ** -53, 2 ** -53]) {
      const digits = Math.floor(p * 2 ** 53);
      const outcomes = enumerate((random) => bernoulli(p, random), { bits53: cells(digits) });
      // Where the first 53 digits tie, the rest decides; with
      // these cells only numbers of 53 digits are exact.
      const chance = defined(outcomes).reduce(
        (sum, { value, probability }) => sum + (value ? probability : 0),
        0,
      );
      expect(Math.abs(chance - p)).toBeLessThan(2 ** -52);
    }
    const random = seededRandom('certain');
    for (let i = 0; i < 100; i++)
      expect([bernoulli(1, random), bernoulli(0, random), bernoulli(1e-150, random)]).toEqual([
        true,
        false,
        false,
      ]);
  });

  it('goes on to the digits after the first 53 where these tie', () => {
    const p = 3 * 2 ** -55;
    const drawn = (first: number, second: number): boolean => {
      const bits = [first, second];
      return bernoulli(p, { bits53: () => defined(bits.shift()) } as never);
    };
    // p = 0.(53 zeros)11 in binary.
    expect([
      drawn(0, 2 ** 53 - 1),
      drawn(0, 3 * 2 ** 51),
      drawn(0, 3 * 2 ** 51 - 1),
      drawn(0, 0),
      drawn(1, 0),
    ]).toEqual([false, false, true, true, false]);
  });
});

describe('subsets', () => {
  it('are all listed, in order, once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n }))),
        ([n, size]) => {
          const all = [...subsetsOfSize(n, size)].map((set) => [...set].join());
          expect(all).toHaveLength(chooseUpTo(n, size, 1e6));
          expect(new Set(all).size).toBe(all.length);
        },
      ),
    );
    expect([...subsetsOfSize(3, 2)].map((set) => [...set])).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ]);
    expect([chooseUpTo(13, 6, 4096), chooseUpTo(1e5, 2, 4096), chooseUpTo(1000, 999, 4096)]).toEqual([
      1716,
      Infinity,
      1000,
    ]);
  });
});

describe('importance', () => {
  const shapes = fc
    .integer({ min: 1, max: 12 })
    .chain((d) =>
      fc.tuple(fc.array(positive, { minLength: d, maxLength: d }), fc.integer({ min: 1, max: d })),
    );

  it('uses the largest smoothness of a block, which bounds the scale of every coordinate', () => {
    fc.assert(
      fc.property(shapes, ([smoothness, blocks]) => {
        const d = smoothness.length;
        const params = { blocks, choice: { by: 'importance', smoothness } } as const;
        const list = defined(blockSketch.enumerate(params, d));
        const largest = list.map(({ drawn }) =>
          Math.max(...[...drawn.coordinates].map((j) => smoothness[j])),
        );
        const sum = largest.reduce((a, b) => a + b, 0);
        list.forEach(({ probability }, k) => {
          expect(Math.abs(probability - largest[k] / sum)).toBeLessThan(1e-13);
        });
      }),
    );
  });

  it('minimises the largest ratio of smoothness to probability', () => {
    const smoothness = [100, 1, 4, 4, 0.5, 20];
    const ratio = (marginals: Float64Array): number =>
      Math.max(...marginals.map((p, j) => smoothness[j] / p));
    const best = ratio(singleCoordinate.marginals({ choice: { by: 'importance', smoothness } }, 6));
    expect(best).toBeCloseTo(129.5, 9);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 6, maxLength: 6 }), (weights) => {
        const sum = weights.reduce((a, b) => a + b, 0);
        const probabilities = weights.map((weight) => weight / sum);
        expect(
          ratio(singleCoordinate.marginals({ choice: { by: 'probabilities', probabilities } }, 6)),
        ).toBeGreaterThanOrEqual(best * (1 - 1e-12));
      }),
    );
  });
});

describe('special cases of one another', () => {
  const random = seededRandom('special cases');
  const same = (a: Sketch, b: Sketch, d: number, aParams: unknown, bParams: unknown): void => {
    expect([...a.marginals(aParams as never, d)]).toEqual([...b.marginals(bParams as never, d)]);
    const listOf = (sketch: Sketch, params: unknown) =>
      defined(sketch.enumerate(params as never, d))
        .map(({ drawn, probability }) => [[...drawn.coordinates].join(), probability] as const)
        .toSorted();
    expect(listOf(a, aParams)).toEqual(listOf(b, bParams));
    for (const i of range(d))
      for (const j of range(d))
        expect(a.pairProbability(aParams as never, d, i, j)).toBeCloseTo(
          b.pairProbability(bParams as never, d, i, j),
          14,
        );
  };

  it.each([1, 2, 5, 8])('in %d dimensions', (d) => {
    const uniform = { choice: { by: 'uniform' } };
    same(fullSketch, blockSketch, d, {}, { blocks: 1, ...uniform });
    same(fullSketch, tauNice, d, {}, { tau: d });
    same(fullSketch, independentCoordinates, d, {}, { probabilities: 1 });
    same(fullSketch, finiteSketch, d, {}, { sets: [{ coordinates: range(d), probability: 1 }] });
    same(singleCoordinate, tauNice, d, uniform, { tau: 1 });
    same(singleCoordinate, blockSketch, d, uniform, { blocks: d, ...uniform });
    same(
      independentCoordinates,
      independentCoordinates,
      d,
      { probabilities: 0.3 },
      { probabilities: range(d).map(() => 0.3) },
    );
    expect([...fullSketch.draw({}, d, random).coordinates]).toEqual(range(d));
  });

  it('blocks given by number are runs of consecutive coordinates of almost equal sizes', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 300 })
          .chain((d) => fc.tuple(fc.constant(d), fc.integer({ min: 1, max: d }))),
        ([d, blocks]) => {
          const runs = defined(blockSketch.enumerate({ blocks, choice: { by: 'uniform' } }, d)).map(
            ({ drawn }) => [...drawn.coordinates],
          );
          expect(runs.flat()).toEqual(range(d));
          const sizes = runs.map(({ length }) => length);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('many coordinates', () => {
  const d = 1e5;
  const weights = range(d).map((j) => 1 + (j % 7));
  const sum = weights.reduce((a, b) => a + b, 0);
  const probabilities = weights.map((weight) => weight / sum);

  it('are drawn from by probabilities of their own', () => {
    const single = singleCoordinate({ choice: { by: 'probabilities', probabilities } }).params as never;
    const random = seededRandom('many');
    const seen = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 28_000; i++) seen[singleCoordinate.draw(single, d, random).coordinates[0] % 7]++;
    // Means 1000, 2000, …, 7000: off by more than 7 deviations once in 10^11.
    seen.forEach((count, k) => {
      expect(Math.abs(count - 1000 * (k + 1))).toBeLessThan(7 * Math.sqrt(1000 * (k + 1)));
    });
    const own = independentCoordinates({ probabilities: probabilities.map((p) => Math.min(1, 1e4 * p)) })
      .params as never;
    const { length } = independentCoordinates.draw(own, d, random).coordinates;
    expect(Math.abs(length - 1e4)).toBeLessThan(700);
    expect(tauNice.draw({ tau: 50 }, d, random).coordinates).toHaveLength(50);
    expect([tauNice.enumerate({ tau: 50 }, d), independentCoordinates.enumerate(own, d)]).toEqual([
      null,
      null,
    ]);
    expect(singleCoordinate.enumerate(single, d)).toHaveLength(d);
  });
});

describe('parameters that no sketch takes', () => {
  const sum1 = (probabilities: number[]): { choice: { by: 'probabilities'; probabilities: number[] } } => ({
    choice: { by: 'probabilities', probabilities },
  });
  const set = (coordinates: readonly number[], probability: number) => ({
    coordinates: [...coordinates],
    probability,
  });

  it('are refused before a draw', () => {
    for (const bad of [0, -1, 0.5, Number.NaN, Infinity])
      expect(() => tauNice({ tau: bad })).toThrow(InvalidParameter);
    for (const bad of [0, -0.1, 1.1, 1e-200, Number.NaN]) {
      expect(() => independentCoordinates({ probabilities: bad })).toThrow(InvalidParameter);
      expect(() => independentCoordinates({ probabilities: [0.5, bad] })).toThrow(InvalidParameter);
    }
    for (const bad of [[0.5, 0.5 + 3e-12], [0.5, 0.4], [0, 1], [-0.5, 1.5], [Number.NaN], [], [2]]) {
      expect(() => singleCoordinate(sum1(bad))).toThrow(InvalidParameter);
      expect(() => finiteSketch({ sets: bad.map((p, j) => set([j], p)) })).toThrow(InvalidParameter);
    }
    expect(() => singleCoordinate(sum1([0.5, 0.5 + 3e-13]))).not.toThrow();
    for (const bad of [[0, 1], [1, -1], [Number.NaN], [Infinity], []])
      expect(() => singleCoordinate({ choice: { by: 'importance', smoothness: bad } })).toThrow(
        InvalidParameter,
      );
    for (const bad of [0, -1, 0.5, [], [[]], [[0], []], [[0, 1], [1]], [[0], [2]], [[0.5]], [[-1, 0]]])
      expect(() => blockSketch({ blocks: bad })).toThrow(InvalidParameter);
    expect(() => blockSketch({ blocks: [[0], [1, 2]], ...sum1([0.5, 0.25, 0.25]) })).toThrow(
      /one probability is needed for each block/u,
    );
    expect(() => blockSketch({ blocks: [[0, 1], [1]] })).toThrow(
      /coordinate 1 is in block 0 and again in block 1/u,
    );
    for (const bad of [[set([], 1)], [set([0, 0], 1)], [set([0, 1], 0.5), set([1, 0], 0.5)], [set([-1], 1)]])
      expect(() => finiteSketch({ sets: bad })).toThrow(InvalidParameter);
  });

  const uniform = { choice: { by: 'uniform' } } as const;
  const misfits: readonly (readonly [string, Sketch, unknown, number])[] = [
    ['more coordinates than there are', tauNice as Sketch, { tau: 4 }, 3],
    ['more blocks than coordinates', blockSketch as Sketch, { blocks: 4, ...uniform }, 3],
    ['blocks of fewer coordinates', blockSketch as Sketch, { blocks: [[0], [1]], ...uniform }, 3],
    ['blocks of more coordinates', blockSketch as Sketch, { blocks: [[0], [1, 2, 3]], ...uniform }, 3],
    ['two probabilities for three', singleCoordinate as Sketch, sum1([0.5, 0.5]), 3],
    [
      'smoothness of other coordinates',
      blockSketch as Sketch,
      { blocks: 2, choice: { by: 'importance', smoothness: [1, 2] } },
      3,
    ],
    [
      'independent ones of other coordinates',
      independentCoordinates as Sketch,
      { probabilities: [0.5, 0.5] },
      3,
    ],
    ['a coordinate in no set', finiteSketch as Sketch, { sets: [set([0, 1], 1)] }, 3],
    ['a set beyond', finiteSketch as Sketch, { sets: [set([0, 1, 2, 3], 1)] }, 3],
    ...[0, -1, 0.5, Number.NaN, 2 ** 32].flatMap((d) =>
      [fullSketch, tauNice, singleCoordinate, blockSketch, independentCoordinates].map(
        (sketch): readonly [string, Sketch, unknown, number] => [
          `dimension ${d} of ${sketch.name}`,
          sketch as Sketch,
          { tau: 1, ...uniform, blocks: 1, probabilities: 0.5 },
          d,
        ],
      ),
    ),
  ];
  it.each(misfits)('are refused with a dimension that they do not fit: %s', (_what, sketch, params, d) => {
    const random = seededRandom('misfits');
    for (const call of [
      () => sketch.draw(params as never, d, random),
      () => sketch.marginals(params as never, d),
      () => sketch.pairProbability(params as never, d, 0, 0),
      () => sketch.enumerate(params as never, d),
    ]) {
      expect(call).toThrow(LetheError);
    }
  });
});
