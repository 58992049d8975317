import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../src/profile/profile.js';
import { roundTicks } from '../src/report/axis.js';
import { profileFigure } from '../src/report/profile-figure.js';
import { renderReport } from '../src/report/render.js';
import { styleAt } from '../src/report/series.js';
import { fakeEvaluation, fakeProfile, fakeRelease } from './fixtures.js';

interface Element {
  readonly textContent: string;
  readonly outerHTML: string;
  querySelectorAll(selector: string): ArrayLike<Element> & Iterable<Element>;
  querySelector(selector: string): Element | null;
  getAttribute(name: string): string | null;
}
const parse = (text: string): Element => parseHTML(text).document as unknown as Element;
const figuresOf = (text: string): readonly Element[] =>
  [...parse(text).querySelectorAll('figure')].filter((one) =>
    defined(one.querySelector('h4')).textContent.includes('δ against ε'),
  );
const label = 'simulation: no privacy';

describe('the profile of a guarantee', () => {
  test('of a release: this run and the data set in all, without a stamp', () => {
    const [figure, ...others] = figuresOf(renderReport([fakeRelease()]));
    expect(others).toEqual([]);
    expect([...figure.querySelectorAll('.legend li')].map(({ textContent }) => textContent)).toEqual([
      'this run',
      'the data set in all',
      'budget',
    ]);
    expect(figure.outerHTML).not.toContain(label);
    expect(defined(figure.querySelector('svg[role=img]')).textContent).toContain('00.511.52');
    expect(defined(figure.querySelector('svg[role=img]')).getAttribute('aria-label')).toMatch(
      /^δ against ε: δ, logarithmic, against ε, for this run from at most 0\.5000 at ε = 0 to at most .* the budget is ε = 1 at δ = 10⁻⁷/u,
    );
    expect(defined(figure.querySelector('figcaption')).textContent).toContain(
      'or to the axis where nothing is known from below. Accountants: pld. A curve may hide',
    );
  });

  test('of a first release is one curve; of one without, or of older results, there is none', () => {
    const release = fakeRelease();
    const first = fakeRelease({ total: { ...release.total, runs: [release.run] } });
    expect([...figuresOf(renderReport([first]))[0].querySelectorAll('.legend li')]).toHaveLength(2);
    expect(figuresOf(renderReport([fakeRelease({ profiles: { run: null, total: null } })]))).toEqual([]);
    const { profiles: _, ...older } = release;
    expect(figuresOf(renderReport([older]))).toEqual([]);
  });

  test('of an evaluation: one curve per optimizer, at one budget, marked as a simulation', () => {
    expect(figuresOf(renderReport([fakeEvaluation()]))).toEqual([]);
    const figures = figuresOf(renderReport([fakeEvaluation({ profiles: true })]));
    expect(figures).toHaveLength(2);
    for (const figure of figures) {
      expect([...figure.querySelectorAll('.legend li')].map(({ textContent }) => textContent)).toEqual([
        'dp-sgd',
        'noisy-clipped-ac-sa',
        'budget',
      ]);
      expect(figure.getAttribute('aria-label')).toContain(label);
    }
  });

  test('is drawn whatever the numbers', () => {
    const share = fc.oneof(
      fc.constantFrom(0, 1, 1e-300, 5e-324),
      fc.integer({ min: -40, max: 0 }).map((exponent) => 10 ** exponent),
    );
    const point = fc.tuple(share, share).map(([a, b]) => ({ lower: Math.min(a, b), upper: Math.max(a, b) }));
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 2, maxLength: 25 }),
        fc.integer({ min: -12, max: 12 }),
        fc.integer({ min: -6, max: 6 }),
        share,
        (ends, exponent, budgetExponent, delta) => {
          const profile: Profile = {
            v: 1,
            methods: ['x'],
            points: ends.map((end, i) => ({ epsilon: (10 ** exponent * i) / ends.length, ...end })),
          };
          const { markup } = defined(
            profileFigure({
              title: 'T',
              curves: [{ name: 'c', style: styleAt(0), profile }],
              budget: { epsilon: 10 ** budgetExponent, delta },
              label: '',
            }),
          );
          expect(markup).not.toMatch(/NaN|Infinity|undefined/u);
          expect(
            parse(`<body>${markup}</body>`).querySelectorAll('svg[role=img] path').length,
          ).toBeGreaterThan(2);
        },
      ),
      { numRuns: 60 },
    );
    expect(profileFigure({ title: 'T', curves: [], budget: { epsilon: 1, delta: 0 }, label: '' })).toBeNull();
  });

  test('escapes what it is given', () => {
    const { markup } = defined(
      profileFigure({
        title: '<b>',
        curves: [{ name: '"><i>', style: styleAt(0), profile: { ...fakeProfile(), methods: ['<u>'] } }],
        budget: { epsilon: 1, delta: 1e-6 },
        label: '',
      }),
    );
    expect(parse(`<body>${markup}</body>`).querySelectorAll('b, i, u')).toHaveLength(0);
  });
});

test('ticks from 0 are round, at most seven, and reach the top', () => {
  expect(roundTicks(1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(roundTicks(6.3)).toEqual([0, 2, 4, 6, 8]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: -20, max: 20 }), (digits, exponent) => {
      const ticks = roundTicks(digits * 10 ** exponent);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(digits * 10 ** exponent * (1 - 1e-6));
      expect(ticks.length).toBeGreaterThan(2);
      expect(ticks.length).toBeLessThanOrEqual(8);
    }),
  );
});
