import { seededRandom, type Mean, type Registry } from '@lethe/core';
import { latticeMean } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import { checkExperiment } from './support/check-experiment.js';
import type { MeanResult } from '../src/experiment/mean-results.js';
import { experimentSchema, type MeanExperiment } from '../src/experiment/schema.js';
import { evaluateMeans } from '../src/means/evaluate.js';
import { distributionOf } from '../src/means/distribution.js';
import { momentsOfErrors } from '../src/means/measure.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { labFolder, lethe } from './support/lab-folder.js';
import { quiet } from './support/run-evaluation.js';

const gaussianClip = { params: { clip: { name: 'l2' }, mechanism: { name: 'gaussian' } } };
const spike = {
  name: 'spike',
  title: 'Spikes',
  law: 'two-point',
  dimension: 4,
  size: 10,
  probability: 0.1,
  orders: [2, 4],
};
const content = {
  lethe: 1,
  kind: 'mean',
  name: 'means',
  title: 'Means',
  laws: [
    spike,
    {
      name: 'four',
      law: 'finite',
      points: [
        { at: [3, 0], probability: 0.5 },
        { at: [-1, 2], probability: 0.25 },
        { at: [0, -8], probability: 0.25 },
      ],
    },
  ],
  means: [
    { name: 'clipped', ...gaussianClip, sweep: { 'clip.params.radius': [1, 4, 20] } },
    { name: 'coordinate-median-of-means', label: 'clamped', params: { groups: 1 }, sweep: { limit: [1, 4] } },
    { name: 'shuffled', params: { randomiser: { name: 'shuffled-vector-sum', params: { radius: 4 } } } },
  ],
  batches: [10, 40],
  targets: [{ epsilon: 2, delta: 1e-6 }, { unprotected: true }],
  repetitions: 400,
};
const parsed = (more: object = {}): MeanExperiment =>
  experimentSchema.parse({ ...structuredClone(content), ...more }) as MeanExperiment;
const measure = (more?: object, plugins: Registry = registry): Promise<MeanResult> =>
  evaluateMeans(parsed(more), quiet(plugins));

describe('measured on finite laws', async () => {
  const result = await measure();

  test('agree with the exact values, by real curators of both models', () => {
    expect(result.cells).toHaveLength(2 * (2 * (3 + 2) * 2 + 2));
    expect(new Set(result.cells.map(({ trust, label }) => `${label} ${trust}`))).toEqual(
      new Set(['clipped central', 'clamped central', 'shuffled shuffle']),
    );
    for (const { bias, variance, trust } of result.cells) {
      expect([bias.verdict, variance.verdict]).toEqual(['within', 'within']);
      expect(bias.exact).not.toBeNull();
      expect(variance.exact === null).toBe(trust === 'shuffle');
    }
  });

  test('the exact bias of clipping a spike is what is cut off, and its variance that of a coin', () => {
    for (const { bias, variance, s } of result.cells.filter(
      ({ law, label, swept, target }) =>
        law === 'spike' && label === 'clipped' && defined(swept).value === 4 && 'unprotected' in target,
    )) {
      expect(bias.exact).toBeCloseTo(0.1 * (10 - 4), 12);
      expect(variance.exact).toBeCloseTo((0.1 * 0.9 * 16) / s, 12);
      expect(defined(bias.bound)).toBeGreaterThanOrEqual(defined(bias.exact) - 1e-12);
    }
  });

  test('noise is in the variance, and in the event, where there is any', () => {
    const of = (noisy: boolean) =>
      result.cells.filter(
        ({ label, s, law, target }) =>
          label === 'clipped' && s === 10 && law === 'spike' && 'epsilon' in target === noisy,
      );
    expect(JSON.stringify(of(true)[0].event)).toContain('core/gaussian');
    expect(JSON.stringify(of(false)[0].event)).toContain('core/unprotected');
    of(true).forEach((cell, i) =>
      expect(cell.variance.value).toBeGreaterThan(2 * of(false)[i].variance.value),
    );
  });

  test('are in a report that names them a simulation, with bounds and exact values, and on the terminal', () => {
    const page = renderReport([result]);
    const document = parseHTML(page).document as unknown as {
      querySelector(selector: string): { textContent: string };
      querySelectorAll(selector: string): Iterable<{ textContent: string }>;
    };
    expect([...document.querySelectorAll('h4')].map(({ textContent }) => textContent).slice(0, 4)).toEqual([
      'Bias against radius or limit',
      'Variance against radius or limit',
      'Bias against the number of records',
      'Variance against the number of records',
    ]);
    expect(document.querySelector('.findings').textContent).toBe(
      'Of 88 measured biases and variances none is above its bound (88 have one), ' +
        'or away from the exact value (84 have one).',
    );
    expect(page.split('<strong>simulation: no privacy</strong>')).toHaveLength(2);
    expect(page).not.toMatch(/NaN|undefined/u);
    expect(summaryOf(result)).toMatch(
      /Spikes: dimension 4, mean of length 1\.000\n[^]*clipped +radius 4 +10 +no noise[^\n]* 0\.6000 [^\n]* within\n/u,
    );
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  });

  test('are the same for the same seed, and others for another', async () => {
    const few = { laws: [spike], batches: [10], repetitions: 20 };
    const [first, again, other] = [
      await measure(few),
      await measure(few),
      await measure({ ...few, seed: 2 }),
    ];
    expect(again.cells).toEqual(first.cells);
    expect(other.cells[0].variance.value).not.toBe(first.cells[0].variance.value);
  });
});

test('a false claim of a plugin is found, in the results, the report and the terminal', async () => {
  const boastful = {
    ...latticeMean,
    kind: 'mean',
    name: 'boastful',
    biasBound: () => 1e-3,
    varianceBound: () => 1e-6,
  } as unknown as Mean;
  const result = await measure(
    {
      laws: [spike],
      means: [{ name: 'boastful', params: { radius: 2, spacing: 0.001 } }],
      batches: [20],
      targets: [{ noiseMultiplier: 0.5 }],
    },
    [...registry, boastful],
  );
  expect(result.cells[0]).toMatchObject({
    bias: { verdict: 'outside', bound: 1e-3, exact: null },
    variance: { verdict: 'outside' },
  });
  expect(summaryOf(result)).toContain('OUTSIDE');
  expect(renderReport([result])).toContain(
    '2 of 2 measurements contradict what is claimed or known:</strong> the ' +
      'bias of boastful for s = 20 on Spikes; the variance',
  );
});

describe('laws', () => {
  test.each<[string, object, number, number, number]>([
    ['gaussian', { law: 'gaussian', dimension: 3, scale: 2, shift: 0, orders: [4] }, 0, 2 ** 4 * 15, 0.05],
    [
      'student',
      { law: 'multivariate-t', dimension: 3, degreesOfFreedom: 20, scale: 1, shift: 0, orders: [2] },
      0,
      (3 * 20) / 18,
      0.03,
    ],
    ['pareto', { law: 'pareto', dimension: 3, tail: 10, scale: 2, orders: [2] }, 20 / 9, 5, 0.02],
    ['two points', { law: 'two-point', dimension: 3, size: 5, probability: 0.2, orders: [3] }, 1, 25, 0.05],
  ])('%s: records have the mean and the moment that are claimed', (_name, spec, mean, moment, margin) => {
    const law = distributionOf({ name: 'x', ...spec } as never);
    const count = 40_000;
    const records = law.draw(count, 'test');
    const order = law.moments[0].order;
    expect(Math.hypot(...law.mean)).toBeCloseTo(mean, 12);
    expect(law.moments[0].value / moment).toBeCloseTo(1, 10);
    let found = 0;
    const sum = new Float64Array(3);
    for (let i = 0; i < count; i++) {
      const row = records.subarray(3 * i, 3 * i + 3);
      found += Math.hypot(...row) ** order / count;
      row.forEach((x, j) => {
        sum[j] += x / count;
      });
    }
    expect(Math.abs(found / moment - 1)).toBeLessThan(margin);
    expect(Math.hypot(...sum.map((x, j) => x - law.mean[j]))).toBeLessThan(0.08);
  });

  test('a shift moves the mean, and its moment is a bound', () => {
    const law = distributionOf({ name: 'x', law: 'gaussian', dimension: 2, scale: 1, shift: 3, orders: [2] });
    expect(Math.hypot(...law.mean)).toBeCloseTo(3, 12);
    expect(law.moments[0].value).toBeGreaterThanOrEqual(2 + 9);
  });
});

test('estimates of squared bias and variance are unbiased: their averages over all pairs of two errors are the truth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
        minLength: 1,
        maxLength: 4,
      }),
      (points) => {
        const errors = points.map((point) => Float64Array.from(point));
        const n = errors.length;
        const mean = [0, 1].map((j) => errors.reduce((sum, error) => sum + error[j] / n, 0));
        const pairs = errors.flatMap((a) => errors.map((b) => momentsOfErrors([a, b])));
        const average = (of: (one: (typeof pairs)[number]) => number): number =>
          pairs.reduce((sum, one) => sum + of(one) / pairs.length, 0);
        expect(average(({ squaredBias }) => squaredBias.value)).toBeCloseTo(mean[0] ** 2 + mean[1] ** 2, 9);
        expect(average(({ variance }) => variance.value)).toBeCloseTo(
          errors.reduce((sum, error) => sum + ((error[0] - mean[0]) ** 2 + (error[1] - mean[1]) ** 2) / n, 0),
          9,
        );
      },
    ),
  );
});

test('standard errors are those of repetition', () => {
  const estimates = Array.from({ length: 300 }, (_, i) => {
    const random = seededRandom(i);
    return momentsOfErrors(
      Array.from({ length: 50 }, () => random.gaussianInto(new Float64Array(3)).map((x) => x + 0.5)),
    );
  });
  for (const key of ['squaredBias', 'variance'] as const) {
    const values = estimates.map((one) => one[key].value);
    const mean = values.reduce((a, b) => a + b, 0) / 300;
    const spread = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 299);
    const claimed = estimates.reduce((sum, one) => sum + one[key].standardError, 0) / 300;
    // The spread of 300 values is known to about 5 %; the margin is five times that.
    expect(Math.abs(claimed / spread - 1)).toBeLessThan(0.25);
  }
});

describe('a variance that is zero up to rounding', () => {
  const captions = (result: MeanResult): readonly string[] =>
    [
      ...(
        parseHTML(renderReport([result])).document as unknown as {
          querySelectorAll(selector: string): Iterable<{ textContent: string }>;
        }
      ).querySelectorAll('figcaption'),
    ].map(({ textContent }) => textContent);
  const ticksOf = (result: MeanResult): readonly string[] =>
    [
      ...(
        parseHTML(renderReport([result])).document as unknown as {
          querySelectorAll(selector: string): Iterable<{ textContent: string }>;
        }
      ).querySelectorAll('figure[aria-label^="Variance"] svg'),
    ].map(({ textContent }) => textContent);

  test.each([0, 1e-31])(
    'is drawn at the lower end of the axis, counted, and does not stretch it: %d',
    async (tiny) => {
      const result = await measure({ laws: [spike], repetitions: 50 });
      const still = {
        ...result,
        cells: result.cells.map((cell, i) =>
          i === 0 ? { ...cell, variance: { ...cell.variance, value: tiny, standardError: tiny / 10 } } : cell,
        ),
      };
      expect(captions(still)[1]).toMatch(
        /1 of 20 are zero up to rounding, at most 10⁻¹² of the largest number shown, and are drawn at the lower end/u,
      );
      expect(captions(result).join('')).not.toContain('zero up to rounding');
      expect(ticksOf(still).join('')).not.toMatch(/10⁻(?:[4-9]|\d\d)/u);
      expect(renderReport([still])).not.toMatch(/(?:d|x|y|cx|cy|y1|y2)="[^"]*(?:NaN|Infinity)/u);
    },
  );

  test('everywhere makes a page too', async () => {
    const result = await measure({ laws: [spike], repetitions: 50 });
    const zero = { value: 0, standardError: 0, bound: null, exact: null, verdict: 'within' } as const;
    const page = renderReport([
      {
        ...result,
        cells: result.cells.map((cell) => ({ ...cell, variance: zero, bias: { ...zero, squared: zero } })),
      },
    ]);
    expect(/\d+ of \d+ are zero up to rounding/u.exec(page)?.[0]).toBe('20 of 20 are zero up to rounding');
    expect(page).not.toMatch(/(?:d|x|y|cx|cy|y1|y2)="[^"]*(?:NaN|Infinity)/u);
  });
});

describe('refused', () => {
  const messageOf = async (more: object): Promise<string> => {
    try {
      const experiment = parsed(more);
      checkExperiment(experiment, 'a.yaml', registry);
      await evaluateMeans(experiment, quiet());
      return 'accepted';
    } catch (error) {
      return error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    }
  };
  test.each<[string, object, RegExp]>([
    [
      'a mean that is not there',
      { means: [{ name: 'cliped' }] },
      /a\.yaml: means\.0: no mean named 'cliped'; is 'clipped' meant/u,
    ],
    [
      'a parameter that does not fit',
      { means: [{ name: 'clipped', ...gaussianClip, sweep: { 'clip.params.radius': [1, -1] } }] },
      /means\.0\.params\.clip: .*radius/u,
    ],
    [
      'two swept parameters',
      { means: [{ name: 'coordinate-median-of-means', sweep: { limit: [1], groups: [1] } }] },
      /sweep one parameter/u,
    ],
    [
      'a parameter given twice',
      { means: [{ name: 'srht-mean', params: { radius: 1 }, sweep: { radius: [1] } }] },
      /given in params or swept, not both/u,
    ],
    [
      'a moment that is infinite',
      { laws: [{ name: 'x', law: 'pareto', dimension: 2, tail: 3, orders: [2, 4] }] },
      /laws\.0: law 'x' has no moment of order 4/u,
    ],
    [
      'chances that do not add up',
      { laws: [{ name: 'x', law: 'finite', points: [{ at: [1], probability: 0.4 }] }] },
      /add up to 0\.4; they must add up to 1/u,
    ],
    [
      'points of two dimensions',
      {
        laws: [
          {
            name: 'x',
            law: 'finite',
            points: [
              { at: [1], probability: 0.5 },
              { at: [1, 2], probability: 0.5 },
            ],
          },
        ],
      },
      /points need one dimension/u,
    ],
    [
      'the same label twice',
      {
        means: [
          { name: 'srht-mean', params: { radius: 1 } },
          { name: 'srht-mean', params: { radius: 2 } },
        ],
      },
      /means need distinct labels/u,
    ],
    [
      'a shuffled mean without ε',
      { targets: [{ unprotected: true }] },
      /'shuffled' takes epsilon and delta/u,
    ],
    [
      'too few records for the groups',
      { means: [{ name: 'coordinate-median-of-means', params: { limit: 1, groups: 11 } }] },
      /10 slots cannot be divided among 11 groups/u,
    ],
  ])('%s', async (_name, more, message) => {
    expect(await messageOf(more)).toMatch(message);
  });
});

test('lethe run takes one, and ends with 0', async () => {
  const folder = labFolder();
  try {
    const { code, out } = await lethe(
      'run',
      folder.write('a.json', { ...content, laws: [spike], batches: [10], repetitions: 50 }),
      '--out',
      folder.file('out'),
    );
    expect(code).toBe(0);
    expect(out).toContain('Spikes: dimension 4');
    expect(
      (JSON.parse(folder.read('out/results.json')) as readonly MeanResult[])[0].cells.length,
    ).toBeGreaterThan(5);
  } finally {
    folder.remove();
  }
});
