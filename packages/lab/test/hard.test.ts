import { defineLowerBound, findPlugin, seededRandom, type RiskLowerBound } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import { checkExperiment } from './support/check-experiment.js';
import { experimentSchema } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { runEvaluation } from './support/run-evaluation.js';

const dpSgd = { name: 'dp-sgd', params: { steps: 4, rate: 0.1, clipNorm: 1, stepSize: 0.2 } };
const content = {
  problems: [
    {
      name: 'coins',
      title: 'Coins',
      data: { hard: { name: 'convex', params: { dimension: 40, radius: 2, moment: 3 } } },
    },
    {
      name: 'spikes',
      title: 'Spikes',
      data: {
        hard: {
          name: 'convex',
          params: { dimension: 80, radius: 1, moment: 1, momentOrder: 4, instance: 'private' },
        },
      },
    },
  ],
  optimizers: [{ name: 'noisy-clipped-ac-sa' }, dpSgd],
  budgets: [{ epsilon: 0.5 }, { epsilon: 2 }],
  sizes: [64, 200],
  seeds: { count: 12 },
};
type Change = (same: typeof content) => object;
const issues = (change: Change): string =>
  z.prettifyError(
    defined(
      experimentSchema.safeParse({
        lethe: 1,
        kind: 'evaluation',
        name: 'a',
        title: 'A',
        ...change(structuredClone(content)),
      }).error,
    ),
  );

describe('problems that are drawn anew for every seed', async () => {
  const result = await runEvaluation(content);
  const [coins, spikes] = result.problems;
  const convex = findPlugin<RiskLowerBound>(registry, 'lowerBound', 'convex');

  test('take loss, domain, bounds and facts from the plugin, and know no population', () => {
    expect(coins).toMatchObject({ loss: 'linear', dimension: 40, population: null, optimum: null });
    expect(coins.facts['diameter'].value).toBeCloseTo(4, 12);
    expect(coins.facts['gradientMoment.2']).toMatchObject({
      value: 3,
      scope: 'population',
      why: expect.stringContaining("instance of 'convex'") as string,
    });
    expect(coins.facts['lipschitz'].scope).toBe('every-record');
  });

  test('are measured against the instance itself: the start costs what its formula says, at every size', () => {
    for (const { n, startExcess } of coins.cells) {
      const drawn = defined(convex.instance)(
        convex.params.parse({ n, dimension: 40, radius: 2, moment: 3, rho: 1 }),
        seededRandom('any'),
      );
      expect(defined(startExcess) / drawn.excessRisk(new Float64Array(40))).toBeCloseTo(1, 9);
    }
    expect(coins.startExcess).toBe(Math.max(...coins.cells.map((cell) => defined(cell.startExcess))));
  });

  test('are drawn once for each seed, and differ between seeds', () => {
    for (const { runs } of coins.cells)
      expect(new Set(runs.map(({ excessRisk }) => excessRisk)).size).toBe(12);
  });

  test('keep every mean above the proved height of their own instance, and below the plan’s bound', () => {
    for (const cell of coins.cells) {
      expect(defined(cell.bracket).lower).toBe(
        defined(
          defined(coins.lowerBound).points.find(
            ({ n, epsilon }) => n === cell.n && epsilon === cell.budget.epsilon,
          ),
        ).value,
      );
      expect(cell.bracket).toMatchObject({ verdict: 'within', upper: cell.plan.utility?.bound ?? null });
    }
    expect(coins.lowerBound).toMatchObject({
      binds: 'every-algorithm',
      points: defined(coins.lowerBound).points.map(() => ({ explicit: true })),
    });
  });

  test('bind only what is zCDP, where the height is one of privacy', () => {
    expect(defined(spikes.lowerBound).binds).toBe('zcdp');
    for (const { label, bracket } of spikes.cells)
      expect(typeof bracket?.lower).toBe(label === 'dp-sgd' ? 'undefined' : 'number');
  });

  test('have the height of the term that their instance witnesses, not the larger one', () => {
    for (const { n, epsilon, value } of defined(spikes.lowerBound).points) {
      const { terms } = convex.evaluate(
        convex.params.parse({ ...content.problems[1].data.hard.params, n, rho: rhoAt(epsilon) }),
      );
      expect(value / terms['private']).toBeCloseTo(1, 3);
    }
  });

  test('are told from ordinary ones on the terminal and in the report', () => {
    expect(summaryOf(result)).toMatch(
      /Coins: every seed draws an instance of its own[^]*lower +upper +mean is\n[^]* within\n/u,
    );
    const page = renderReport([result]);
    const text = (
      parseHTML(page).document as unknown as { querySelector(selector: string): { textContent: string } }
    ).querySelector('main').textContent;
    expect(text).toContain('drawn anew for every seed');
    expect(text).toMatch(
      /All 12 averages that have a proved bound lie within it; 8 lie between an upper bound and a proved lower bound\./u,
    );
    expect(text).toMatch(/≥ [\d.]+, ≤ [\d.]+: within/u);
    expect(page).not.toMatch(/NaN|undefined/u);
  });

  test('show the shape instead when the experiment asks for it, and then judge nothing by it', async () => {
    const {
      problems: [shaped],
    } = await runEvaluation({
      ...content,
      problems: content.problems.slice(0, 1),
      sizes: [64],
      seeds: { count: 1 },
      lowerBound: { name: 'convex', params: { constants: 'hidden' } },
    });
    expect(
      defined(shaped.lowerBound).points.every(
        ({ explicit, value }) => !explicit && value > defined(coins.lowerBound).points[0].value,
      ),
    ).toBe(true);
    expect(shaped.cells.every(({ bracket }) => (bracket?.lower ?? null) === null)).toBe(true);
  });
});

/** ρ of Gaussian noise that costs exactly ε at δ = 10⁻⁶, from the profile of the Gaussian mechanism. */
function rhoAt(epsilon: number): number {
  const delta = (mu: number): number =>
    phi(mu / 2 - epsilon / mu) - Math.exp(epsilon) * phi(-mu / 2 - epsilon / mu);
  let low = 1e-3;
  let high = 10;
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (delta(middle) > 1e-6) high = middle;
    else low = middle;
  }
  return low ** 2 / 2;
}
/** Normal distribution function, by Simpson's rule. */
function phi(x: number): number {
  const steps = 4000;
  const from = -12;
  const width = (x - from) / steps;
  const density = (t: number): number => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  let sum = density(from) + density(x);
  for (let i = 1; i < steps; i++) sum += (i % 2 === 1 ? 4 : 2) * density(from + i * width);
  return (sum * width) / 3;
}

describe('refused, with the place and what to do', () => {
  test.each<[string, Change, RegExp]>([
    [
      'no sizes',
      (same) => ({ ...same, sizes: undefined }),
      /as many records as are asked for; give sizes[^]*sizes/u,
    ],
    [
      'a loss',
      (same) => ({ ...same, problems: [{ ...same.problems[0], loss: { name: 'squared' } }] }),
      /brings its own loss; leave it out[^]*problems\[0\]\.loss/u,
    ],
    [
      'bounds on records',
      (same) => ({ ...same, problems: [{ ...same.problems[0], record: { featureNorm: 1 } }] }),
      /brings its own bounds on records/u,
    ],
    [
      'no loss for other data',
      (same) => ({
        ...same,
        problems: [
          {
            name: 'b',
            title: 'B',
            data: { generate: { rows: 5, columns: 1, features: { law: 'gaussian' } } },
            domain: { name: 'whole-space' },
          },
        ],
      }),
      /give the loss, by the name of a plugin/u,
    ],
  ])('%s', (_name, change, message) => {
    expect(issues(change)).toMatch(message);
  });

  test('a release of one', () => {
    const { error } = experimentSchema.safeParse({
      lethe: 1,
      kind: 'release',
      name: 'a',
      title: 'A',
      problem: content.problems[0],
      optimizer: { name: 'noisy-clipped-ac-sa' },
      budget: { epsilon: 1 },
    });
    expect(z.prettifyError(defined(error))).toMatch(
      /drawn anew for every seed of an evaluation[^]*problem\.data\.hard/u,
    );
  });

  test('no dimension', async () => {
    await expect(
      runEvaluation({
        ...content,
        problems: [
          { ...content.problems[0], data: { hard: { name: 'convex', params: { radius: 1, moment: 1 } } } },
        ],
      }),
    ).rejects.toThrow(/lower bound 'convex'.*dimension/u);
  });

  test('a bound without an instance, on something else, and one that is not there', () => {
    const formula = defineLowerBound({
      name: 'formula',
      summary: 'For this test.',
      source: { id: 'test', item: 'none' },
      claims: [],
      examples: [{}],
      params: z.strictObject({}),
      statement: 'none',
      evaluate: () => ({ value: 1, explicit: true, terms: {} }),
      problem: null,
      instance: null,
    });
    const checked =
      (name: string, more: object = {}) =>
      (): void => {
        checkExperiment(
          experimentSchema.parse({
            lethe: 1,
            kind: 'evaluation',
            name: 'a',
            title: 'A',
            ...content,
            problems: [{ ...content.problems[0], data: { hard: { name } } }],
            ...more,
          }),
          'a.yaml',
          [...registry, formula],
        );
      };
    expect(checked('formula')).toThrow(
      /a\.yaml: problems\.0\.data\.hard: lower bound 'formula' is only a formula/u,
    );
    expect(checked('convexx')).toThrow(/problems\.0\.data\.hard: .*'convexx'/u);
    expect(checked('sparse-mean-pure')).toThrow(/problems\.0\.data\.hard: .*on the error of a mean/u);
    const { problems } = content;
    expect(checked('', { problems, lowerBound: { name: 'sparse-mean-pure' } })).toThrow(
      /lowerBound: lower bound 'sparse-mean-pure' is on the error of a mean/u,
    );
  });
});
