import { heavyTailsRates } from '@lethe/algorithms';
import { defined } from '@lethe/numerics';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkExperiment } from './support/check-experiment.js';
import type { EvaluationResult } from '../src/experiment/results.js';
import { experimentSchema, type Evaluation } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { rhoOf } from '../src/run/lower-bound.js';
import { fakeEvaluation } from './fixtures.js';
import { quiet, runEvaluation } from './support/run-evaluation.js';

const facts = {
  'gradientMoment.2': { value: 2, why: 'a test' },
  'gradientMoment.4': { value: 3, why: 'a test' },
  populationSmoothness: { value: 5, why: 'a test' },
};
const problem = (columns: number) => ({
  name: `d${columns}`,
  title: `${columns} columns`,
  data: { generate: { rows: 300, columns, features: { law: 'gaussian' }, response: { kind: 'logistic' } } },
  loss: { name: 'logistic' },
  domain: { name: 'l2-ball', params: { radius: 2 } },
  facts,
});
const content = {
  lethe: 1,
  kind: 'evaluation',
  name: 'a',
  title: 'A',
  problems: [problem(3), problem(12)],
  optimizers: [{ name: 'noisy-clipped-ac-sa' }],
  budgets: [
    { epsilon: 0.5, delta: 1e-6 },
    { epsilon: 2, delta: 1e-6 },
  ],
  sizes: [100, 300],
  seeds: { count: 2 },
  vary: 'dimension',
  rates: [
    { name: 'convex-linear-time', label: 'ours' },
    { name: 'convex-optimal', label: 'ideal', params: { order: 2 }, factor: 7 },
  ],
};
type Change = (same: typeof content) => object;
const elements = (result: EvaluationResult, selector: string): readonly { textContent: string }[] => [
  ...(
    parseHTML(renderReport([result])).document as unknown as {
      querySelectorAll(selector: string): Iterable<{ textContent: string }>;
    }
  ).querySelectorAll(selector),
];

describe('rates beside measurements', async () => {
  const result = await runEvaluation(content);

  test('are the formulas at the problem’s facts, and at the ε of the Gaussian mechanism of the budget', () => {
    const { calibrate } = quiet(registry);
    for (const { rates, dimension } of result.problems) {
      for (const { n, epsilon, value } of defined(rates)[0].points) {
        const gaussian = Math.sqrt(2 * rhoOf({ epsilon, delta: 1e-6 }, 'replace-one', calibrate));
        const setting = {
          records: n,
          dimension,
          epsilon: gaussian,
          order: 4,
          moment: 3,
          secondMoment: 2,
          diameter: 4,
          smoothness: 5,
        };
        expect(value / heavyTailsRates['convex-linear-time'].value(setting)).toBeCloseTo(1, 12);
        const ideal = defined(
          defined(rates)[1].points.find((point) => point.n === n && point.epsilon === epsilon),
        ).value;
        expect(
          ideal / (7 * heavyTailsRates['convex-optimal'].value({ ...setting, order: 2, moment: 2 })),
        ).toBeCloseTo(1, 12);
      }
      expect(defined(rates).map(({ points }) => points.length)).toEqual([4, 4]);
    }
  });

  test('are drawn thin, and named as what they are', () => {
    expect(elements(result, '.legend li').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['ours (rate, up to a constant)', 'ideal (rate, up to a constant)']),
    );
    expect(
      elements(result, 'p.fine')
        .map(({ textContent }) => textContent)
        .join(''),
    ).toMatch(/ours: Smooth convex, one pass.*Theorem 31.*ideal: .*times 7\.00/u);
  });

  test('stand against the dimension too, in a figure over all problems', () => {
    expect(
      elements(result, 'h4')
        .map(({ textContent }) => textContent)
        .slice(0, 2),
    ).toEqual(['Excess risk against the dimension', 'Excess risk against the budget ε']);
    expect(
      elements(result, 'figure:first-of-type h5')
        .slice(0, 4)
        .map(({ textContent }) => textContent),
    ).toEqual(['n = 100, ε = 0.5', 'n = 100, ε = 2', 'n = 300, ε = 0.5', 'n = 300, ε = 2']);
    expect(
      elements({ ...result, experiment: { ...result.experiment, vary: 'records' } }, 'h4')[0].textContent,
    ).toBe('Excess risk against the budget ε');
    expect(elements({ ...result, problems: result.problems.slice(0, 1) }, 'h4')[0].textContent).toBe(
      'Excess risk against the budget ε',
    );
  });

  test('a rate that lacks a number says which, before anything runs', async () => {
    await expect(
      runEvaluation({ ...content, rates: [{ name: 'strongly-convex-linear-time' }] }),
    ).rejects.toThrow(/the rate 'strongly-convex-linear-time' needs 'convexity'/u);
  });
});

describe('refused by place', () => {
  const messageOf = (change: Change): string => {
    try {
      checkExperiment(experimentSchema.parse(change(structuredClone(content))), 'a.yaml', registry);
      return 'accepted';
    } catch (error) {
      return error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    }
  };
  test.each<[string, Change, RegExp]>([
    [
      'a name that is none',
      (same) => ({ ...same, rates: [{ name: 'convex-linear-tim' }] }),
      /a\.yaml: rates\.0: there is no rate 'convex-linear-tim'; did you mean 'convex-linear-time'\? there are/u,
    ],
    [
      'a number that no rate reads',
      (same) => ({ ...same, rates: [{ name: 'convex-optimal', params: { kappa: 3 } }] }),
      /rates\.0: rate 'convex-optimal': no rate reads 'kappa'; there are order/u,
    ],
    [
      'the same label twice',
      (same) => ({ ...same, rates: [{ name: 'convex-optimal' }, { name: 'convex-optimal' }] }),
      /rates need distinct labels/u,
    ],
    [
      'a factor of zero',
      (same) => ({ ...same, rates: [{ name: 'convex-optimal', factor: 0 }] }),
      /rates\[0\]\.factor/u,
    ],
    ['another axis', (same) => ({ ...same, vary: 'epsilon' }), /vary/u],
  ])('%s', (_name, change, message) => {
    expect(messageOf(change)).toMatch(message);
  });
});

describe('a figure of many optimizers', () => {
  const many = (count: number, upperBounds: Evaluation['upperBounds']): EvaluationResult => {
    const made = fakeEvaluation({
      optimizers: Array.from({ length: count }, (_, i) => `o${i}`),
      sizes: [1000, 10_000],
      seeds: 5,
      problems: [{ name: 'delay', title: 'Delay', start: 0.05 }],
    });
    return { ...made, experiment: { ...made.experiment, upperBounds } };
  };
  const caption = (result: EvaluationResult): string => elements(result, 'figcaption')[0].textContent;
  const legendOf = (result: EvaluationResult): string => elements(result, '.legend')[0].textContent;
  const marks = (result: EvaluationResult, pattern: RegExp): number =>
    renderReport([result]).match(pattern)?.length ?? 0;

  test('shows bounds of plans only when asked, and then as thin lines with one entry in the legend', () => {
    expect(legendOf(many(4, 'near'))).toContain('upper bound of a plan');
    expect(legendOf(many(5, 'near'))).not.toContain('upper bound of a plan');
    expect(caption(many(5, 'near'))).toContain('The upper bounds of the plans are in the table');
    expect(caption(many(5, 'never'))).not.toContain('upper bounds');
    const asked = many(5, 'always');
    expect(legendOf(asked).split('upper bound of a plan')).toHaveLength(2);
    expect(marks(asked, /stroke-width="0\.75"/gu)).toBeGreaterThanOrEqual(4);
    expect(marks(asked, /M12\.5 4H21\.5L17 11Z/gu)).toBe(0);
    expect(marks(many(4, 'near'), /M12\.5 4H21\.5L17 11Z/gu)).toBe(2);
  });

  test('has bars for quartiles, and no single seeds', () => {
    expect(caption(many(4, 'near'))).toMatch(/Bands: from.*Small dots: single seeds/u);
    expect(caption(many(5, 'near'))).toMatch(/Bars: from.*Single seeds are too many to draw/u);
    expect(marks(many(4, 'near'), /r="1\.4"/gu)).toBeGreaterThan(0);
    expect(marks(many(5, 'near'), /r="1\.4"/gu)).toBe(0);
  });
});

describe('upper bounds in figures', () => {
  const shown = (
    upperBounds: Evaluation['upperBounds'],
    bound: number,
  ): { readonly legend: boolean; readonly off: string | undefined; readonly broken: boolean } => {
    const made = fakeEvaluation({
      sizes: [1000, 10_000],
      problems: [{ name: 'delay', title: 'Delay', start: 0.05 }],
    });
    const result = {
      ...made,
      experiment: { ...made.experiment, upperBounds },
      problems: made.problems.map((one) => ({
        ...one,
        cells: one.cells.map((cell) => ({
          ...cell,
          plan: {
            ...cell.plan,
            utility: cell.plan.utility === null ? null : { ...cell.plan.utility, bound },
          },
        })),
      })),
    };
    return {
      legend: elements(result, '.legend').some(({ textContent }) =>
        textContent.includes('upper bound of a plan'),
      ),
      off: /\d+ of \d+ points of the upper bounds/u.exec(elements(result, 'figcaption')[0].textContent)?.[0],
      broken: /(?:d|x|y)="[^"]*(?:NaN|Infinity)/u.test(renderReport([result])),
    };
  };
  test.each([
    ['near', 0.4, true, undefined],
    ['near', 1e9, false, '6 of 6 points of the upper bounds'],
    ['always', 1e9, true, undefined],
    ['never', 0.4, false, undefined],
    ['always', Infinity, false, '6 of 6 points of the upper bounds'],
  ] as const)('%s, at %d', (asked, bound, legend, off) => {
    expect(shown(asked, bound)).toEqual({ legend, off, broken: false });
  });
});
