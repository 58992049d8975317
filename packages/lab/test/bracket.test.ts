import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import type { Cell, ProblemResult } from '../src/experiment/results.js';
import { renderReport } from '../src/report/render.js';
import { bracketOf } from '../src/run/bracket.js';
import { spreadOf } from '../src/run/spread.js';
import { fakeEvaluation } from './fixtures.js';

const [made] = fakeEvaluation({ optimizers: ['one'], budgets: [{ epsilon: 1, delta: 1e-7 }], sizes: [100] })
  .problems[0].cells;
const gaussian = {
  kind: 'core/compose',
  v: 1,
  parts: [
    {
      count: 3,
      event: {
        kind: 'core/parallel',
        v: 1,
        parts: [{ kind: 'core/gaussian', v: 1, sigma: 1, sensitivity: {} }],
      },
    },
  ],
};
/** Ten runs with mean `mean` and standard error 0.1, and a plan that promises `bound`. */
function cell(mean: number, bound: number | null, more: Partial<Cell> = {}): Cell {
  const runs = Array.from({ length: 10 }, (_, i) => ({
    seed: i,
    excessRisk: mean + 0.3 * (i % 2 === 0 ? 1 : -1),
  }));
  return {
    ...made,
    accounted: { ...made.accounted, upper: 1 },
    plan: {
      ...made.plan,
      event: gaussian as never,
      utility: bound === null ? null : { bound, source: 'test' },
    },
    runs,
    excess: spreadOf(runs.map(({ excessRisk }) => excessRisk)),
    ...more,
  };
}
const lower = (
  value: number,
  binds?: 'every-algorithm' | 'zcdp',
  explicit = true,
): ProblemResult['lowerBound'] => ({
  name: 'x',
  statement: '',
  source: '',
  points: [{ n: 100, epsilon: 1, value, explicit }],
  ...(binds === undefined ? {} : { binds }),
});

describe('a mean between its bounds', () => {
  test.each([
    [2, 1, 3, 'within'],
    [1.01, 1, 3, 'within'],
    [2.99, 1, 3, 'within'],
    [0.6, 1, 3, 'unclear'],
    [3.4, 1, 3, 'unclear'],
    [0.4, 1, 3, 'below'],
    [3.6, 1, 3, 'above'],
    [-5, 1, null, 'below'],
    [9, null, 3, 'above'],
  ] as const)('%d, between %j and %j, is %s', (mean, low, high, verdict) => {
    expect(bracketOf(cell(mean, high), low === null ? null : lower(low, 'every-algorithm'))).toEqual({
      lower: low,
      upper: high,
      verdict,
    });
  });

  test('one run tells nothing from outside', () => {
    const runs = [{ seed: 1, excessRisk: 9 }];
    expect(defined(bracketOf(cell(9, 3, { runs, excess: spreadOf([9]) }), null)).verdict).toBe('unclear');
  });

  test('a lower bound counts only where its constant is proved, and it speaks of these very records', () => {
    expect(bracketOf(cell(2, null), lower(5))).toBeNull();
    expect(bracketOf(cell(2, null), lower(5, 'zcdp', false))).toBeNull();
    expect(defined(bracketOf(cell(2, null), lower(5, 'zcdp'))).verdict).toBe('below');
  });

  test.each<[string, Partial<Cell>]>([
    [
      'sampled',
      {
        plan: {
          ...made.plan,
          event: {
            kind: 'core/compose',
            v: 1,
            parts: [{ count: 1, event: { kind: 'core/sampled', v: 1, event: gaussian } }],
          } as never,
          utility: null,
        },
      },
    ],
    [
      'unprotected',
      {
        plan: { ...made.plan, event: { kind: 'core/unprotected', v: 1 } as never, utility: null },
        unprotected: true,
      },
    ],
    ['shuffled', { trust: { model: 'shuffle', honestUsers: 100 } }],
    ['beyond its budget', { accounted: { ...made.accounted, upper: 2 } }],
  ])('one of privacy does not bind a run that is %s; one of information does', (_name, change) => {
    expect(bracketOf(cell(2, null, change), lower(5, 'zcdp'))).toBeNull();
    expect(defined(bracketOf(cell(2, null, change), lower(5, 'every-algorithm'))).verdict).toBe('below');
  });

  test('what is outside is not hidden', () => {
    const result = fakeEvaluation({ sizes: [100], seeds: 2 });
    const [problem] = result.problems;
    const page = renderReport([
      {
        ...result,
        problems: [
          {
            ...problem,
            cells: problem.cells.map((one, i) => ({
              ...one,
              bracket: { lower: 1, upper: 2, verdict: i === 0 ? ('above' as const) : ('within' as const) },
            })),
          },
        ],
      },
    ]);
    expect(page).toMatch(
      /1 of 6 means are outside their bounds:<\/strong> dp-sgd at n = 100, ε = 0\.5 on .* is above its upper bound/u,
    );
    expect(page).toContain('<strong class="alarm">above</strong>');
  });
});
