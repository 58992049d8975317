import {
  IncompatiblePlugins,
  InvalidParameter,
  relativeTo,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type MeanQuery,
  type Vector,
  plainLoops,
} from '@lethe/core';
import {
  automaticClip,
  certifiedMean,
  clippedMean,
  fixedSize,
  gaussian,
  l1Clip,
  l2Clip,
  laplace,
  latticeMean,
  mechanisms,
  poisson,
  shuffledMean,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { dpSgd } from './dp-sgd.js';

type Params = Parameters<typeof dpSgd.prepare>[0]['params'];
const usual = { steps: 9, rate: 0.1, clipNorm: 0.5, stepSize: 0.7, noiseMultiplier: 2 } satisfies Params;

const prepare = (
  params: Params,
  given: Parameters<typeof problem>[0] = {},
  { calibrate } = fixedCalibration(3),
) =>
  dpSgd.prepare({
    registry: mechanisms,
    problem: problem(given),
    budget,
    params,
    calibrate,
    random: publicCoins,
  });
const stepsOf = (run: ReturnType<typeof prepare>, start = new Float64Array(3)) =>
  run.steps({ start, allRecords: batchOf('all', 100), random: publicCoins, ...plainLoops() });

/** Answers that do not repeat, of size about 1. */
const answers =
  (seed: number) =>
  (_query: MeanQuery, number: number): Vector =>
    seededRandom(seed).fork(number).gaussianInto(new Float64Array(3));

describe('dpSgd', () => {
  it.each(['constant', 'inverse-sqrt'] as const)('is the listing, with %s steps', (schedule) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const run = prepare({ ...usual, schedule });
        const { result } = play(stepsOf(run, Float64Array.of(3, 0, 0)), 100, answers(seed));
        let w = ontoBall([3, 0, 0], 1);
        for (let t = 1; t <= 9; t++) {
          const g = answers(seed)({} as MeanQuery, t - 1);
          const step = schedule === 'constant' ? 0.7 : 0.7 / Math.sqrt(t);
          w = ontoBall(
            w.map((entry, j) => entry - step * g[j]),
            1,
          );
        }
        w.forEach((entry, j) => expect(Math.abs(result[j] - entry)).toBeLessThan(1e-12));
      }),
      { numRuns: 30 },
    );
  });

  it('returns the mean of its iterates under polyak averaging', () => {
    const means: number[][] = [];
    const record = (query: MeanQuery, number: number): Vector => {
      means.push([...query.of.terms[0].at]);
      return answers(5)(query, number);
    };
    const averaged = play(stepsOf(prepare({ ...usual, average: 'polyak' })), 100, record).result;
    const last = play(stepsOf(prepare(usual)), 100, answers(5)).result;
    const iterates = [...means.slice(1), [...last]];
    averaged.forEach((entry, j) =>
      expect(entry).toBeCloseTo(
        iterates.reduce((sum, w) => sum + w[j] / 9, 0),
        12,
      ),
    );
  });

  it('without noise asks for releases that are unprotected, and says so in its event', () => {
    const run = prepare({ ...usual, steps: 2, noiseMultiplier: 0 });
    const { queries } = play(stepsOf(run), 100, answers(1));
    const means = queries.filter(({ ask }) => ask === 'mean');
    expect(means.map((query) => 'target' in query && query.target)).toEqual([
      { unprotected: true },
      { unprotected: true },
    ]);
    expect(JSON.stringify(run.plan.event)).toContain('core/unprotected');
    expect(() => prepare({ ...usual, noiseMultiplier: -1 })).toThrow(/noiseMultiplier/u);
  });

  it('asks for a mean of a sample in every step, and names clip, noise and sampler', () => {
    const { queries } = play(stepsOf(prepare({ ...usual, steps: 2 })), 100, answers(1));
    expect(queries.map(({ ask }) => ask)).toEqual(['mean', 'mean']);
    expect(queries[1]).toMatchObject({
      sampler: poisson({ rate: 0.1 }),
      batch: { id: 'all' },
      mean: clippedMean({ clip: l2Clip({ radius: 0.5 }), mechanism: gaussian({}) }),
      target: { noiseMultiplier: 2 },
    });
  });

  it.each(['replace-one', 'add-remove', 'zero-out'] satisfies Adjacency[])(
    'plans the event a curator charges under %s',
    (adjacency) => {
      const run = prepare(usual, { adjacency });
      const radius = 0.5;
      const normaliser = 0.1 * 100;
      const sensitivity = {
        'replace-one': 2 * (radius / normaliser),
        'add-remove': radius / normaliser,
        'zero-out': radius / normaliser,
      };
      const sampler = defined(defined(poisson.amplification({ rate: 0.1 }, 100)[adjacency]).sampler);
      const one = sampledEvent(sampler, gaussian.event({}, 2, relativeTo(sensitivity, adjacency)));
      expect(sameEvent(run.plan.event, repeatedEvent(one, 9))).toBe(true);
      expect(sameEvent(run.plan.event, repeatedEvent(one, 8))).toBe(false);
    },
  );

  it('calibrates the multiplier to the budget when none is given, on the event it will plan', () => {
    const { noiseMultiplier: _, ...free } = usual;
    const calibration = fixedCalibration(3.25);
    const run = prepare(free, { adjacency: 'zero-out' }, calibration);
    expect(calibration.requests).toHaveLength(1);
    expect(calibration.requests[0]).toMatchObject({
      target: budget,
      adjacency: 'zero-out',
      direction: 'larger-is-private',
    });
    expect(run.plan.event).toEqual(calibration.requests[0].make(3.25));
    expect(run.plan).toMatchObject({ noiseMultiplier: 3.25, utility: null });
    const fixed = fixedCalibration(1);
    prepare(usual, {}, fixed);
    expect(fixed.requests).toHaveLength(0);
  });

  it('derives the rate from an expected batch size and counts gradients', () => {
    const { rate: _, ...rest } = usual;
    const { plan } = prepare({ ...rest, batchSize: 25 });
    expect(plan).toMatchObject({
      sampler: { name: 'poisson', params: { rate: 0.25 } },
      gradients: 900,
      expectedGradients: 225,
    });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('refuses parameters that do not fit, before anything is asked', () => {
    const { rate: _, ...rest } = usual;
    const bad: unknown[] = [
      rest,
      { ...usual, batchSize: 10 },
      { ...rest, batchSize: 101 },
      { ...usual, steps: 0 },
      { ...usual, steps: 1.5 },
      { ...usual, rate: 0 },
      { ...usual, rate: 1.01 },
      { ...usual, clipNorm: 0 },
      { ...usual, clipNorm: Infinity },
      { ...usual, stepSize: Number.NaN },
      { ...usual, noiseMultiplier: -1 },
      { ...usual, unknown: 1 },
      null,
    ];
    for (const params of bad) expect(() => prepare(params as Params)).toThrow(InvalidParameter);
    const silos = { ...problem(), slots: [50, 50] };
    expect(() =>
      dpSgd.prepare({
        registry: mechanisms,
        problem: silos,
        budget,
        params: usual,
        calibrate: fixedCalibration(1).calibrate,
        random: publicCoins,
      }),
    ).toThrow(Unsupported);
  });

  it.each([
    ['replace-one', 2 ** 19],
    ['add-remove', 2 ** 20],
    ['zero-out', 2 ** 20],
  ] as const)(
    'refuses in its plan, under %s, exact noise of more than 2⁴⁰ steps: a multiplier above %d',
    (adjacency, most) => {
      const exact = { ...usual, clipNorm: 1, arithmetic: 'exact' } as const;
      expect(prepare({ ...exact, noiseMultiplier: most }, { adjacency }).plan).toMatchObject({
        noiseMultiplier: most,
      });
      expect(() => prepare({ ...exact, noiseMultiplier: most * (1 + 2 ** -52) }, { adjacency })).toThrow(
        Unsupported,
      );
      const { noiseMultiplier: _, ...free } = exact;
      expect(() => prepare(free, { adjacency }, fixedCalibration(2 * most))).toThrow(
        /'discrete-gaussian' is proved up to scale/u,
      );
      expect(prepare({ ...usual, noiseMultiplier: 2 * most }, { adjacency }).plan).toMatchObject({
        noiseMultiplier: 2 * most,
      });
    },
  );

  describe('with sampler and mean by reference', () => {
    const { rate: _rate, clipNorm: _clipNorm, ...bare } = usual;
    const gaussianOf = (clip: ReturnType<typeof l2Clip>) => clippedMean({ clip, mechanism: gaussian({}) });

    it('is the same run as with their short forms', () => {
      const named = prepare({
        ...bare,
        sampler: poisson({ rate: 0.1 }),
        mean: gaussianOf(l2Clip({ radius: 0.5 })),
      });
      const short = prepare(usual);
      expect(named.plan).toEqual(short.plan);
      expect(play(stepsOf(named), 100, answers(3))).toEqual(play(stepsOf(short), 100, answers(3)));
    });

    it.each([
      ['another clip', 0.5, 2, gaussianOf(automaticClip({ radius: 1, stability: 0.1 }))],
      ['another norm', 0.5, 2, clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: laplace({}) })],
      ['whole numbers', 0.5, 2, latticeMean({ radius: 1, spacing: 2 ** -10 })],
    ] as const)('draws batches of fixed size for a mean of %s', (_name, _share, multiplier, mean) => {
      const run = prepare({ ...bare, noiseMultiplier: multiplier, sampler: fixedSize({ size: 20 }), mean });
      const { queries } = play(stepsOf(run), 100, answers(1));
      expect(queries[0]).toMatchObject({ sampler: fixedSize({ size: 20 }) });
      expect(queries[1]).toMatchObject({ mean, target: { noiseMultiplier: multiplier } });
      expect(run.plan).toMatchObject({ expectedGradients: 180 });
    });

    it('refuses parts that do not fit, with the reason', () => {
      const mean = gaussianOf(l2Clip({ radius: 1 }));
      const sampler = poisson({ rate: 0.1 });
      const refused =
        (parts: object, given: Parameters<typeof problem>[0] = {}) =>
        () =>
          prepare({ ...bare, ...parts } as Params, given);
      expect(refused({ sampler, mean: certifiedMean({ mechanism: gaussian({}) }) })).toThrow(
        /rests on every-record constants/u,
      );
      expect(
        refused({ sampler, mean: shuffledMean({ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) }) }),
      ).toThrow(IncompatiblePlugins);
      expect(
        refused({ sampler, mean: clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: gaussian({}) }) }),
      ).toThrow(IncompatiblePlugins);
      expect(refused({ sampler: fixedSize({ size: 20 }), mean }, { adjacency: 'add-remove' })).toThrow(
        Unsupported,
      );
      expect(refused({ sampler: { name: 'nobody' }, mean })).toThrow(/no sampler named 'nobody'/u);
      expect(refused({ sampler, rate: 0.1, mean })).toThrow(/exactly one of rate, batchSize, sampler/u);
      expect(refused({ sampler, mean, clipNorm: 1 })).toThrow(/exactly one of clipNorm, mean/u);
      expect(refused({ sampler, mean, arithmetic: 'exact' })).toThrow(/arithmetic goes with clipNorm/u);
    });
  });
});

describe('dp-sgd with a private quantile for its clip', () => {
  const clipNorm = { by: 'private-quantile', share: 0.3, counts: 3, largest: 4 } as const;
  const params = { ...usual, clipNorm, noiseMultiplier: undefined };

  it('gives the counts their share of the squared signal of the budget', () => {
    const { quantile } = prepare(params).plan as unknown as {
      readonly quantile: { readonly noiseMultiplier: number };
    };
    const whole = 1 / gaussian.multiplierFor({}, budget) ** 2;
    expect(3 / quantile.noiseMultiplier ** 2 / whole).toBeCloseTo(0.3, 12);
  });

  it.each([
    ['no norm is beyond', 0, 4 * 2 ** (-10 * (1 - 1 / 8))],
    ['all are', 1, 4],
  ])('clips at the end of the search where %s', (_, beyond, radius) => {
    const program = stepsOf(prepare(params));
    const radii: unknown[] = [];
    let next = program.next();
    for (let asked = 0; next.done !== true; asked++) {
      const query = next.value;
      if (query.ask === 'value') expect(asked).toBeLessThan(3);
      if (query.ask === 'mean')
        radii.push((query.mean.params as { clip: { params: { radius: number } } }).clip.params.radius);
      const answer = { value: beyond, mean: new Float64Array(3) };
      next = program.next((query.ask in answer ? answer[query.ask as 'value'] : undefined) as never);
    }
    expect(radii).toHaveLength(usual.steps);
    for (const one of radii) expect(one).toBeCloseTo(radius, 12);
  });

  it('refuses noise in whole numbers, and gradients that may have any length', () => {
    expect(() => prepare({ ...params, arithmetic: 'exact' })).toThrow(/clipNorm is a number/u);
    const { largest: _, ...open } = clipNorm;
    expect(() => prepare({ ...params, clipNorm: open })).toThrow(Unsupported);
  });
});
