import type { PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { findings, headlineCells } from '../src/report/headline.js';
import { html } from '../src/report/escape.js';
import { figureFiles } from '../src/report/figure-files.js';
import { eventTree } from '../src/report/ledger-view.js';
import { renderReport } from '../src/report/render.js';
import { fakeEvaluation, fakeRelease, type FakeShape } from './fixtures.js';

interface Element {
  readonly textContent: string;
  readonly outerHTML: string;
  querySelectorAll(selector: string): ArrayLike<Element> & Iterable<Element>;
  querySelector(selector: string): Element | null;
  getAttribute(name: string): string | null;
}
const parse = (text: string): Element => parseHTML(text).document as unknown as Element;
const small: FakeShape = {
  sizes: [1000, 10_000],
  budgets: [{ epsilon: 1, delta: 1e-7 }],
  seeds: 3,
  problems: [{ name: 'delay', title: 'Delay', start: 0.05 }],
};
const textOf = (shape: FakeShape): string =>
  defined(parse(renderReport([fakeEvaluation(shape)])).querySelector('main')).textContent;

describe('the page', () => {
  test('is the same for the same results', () => {
    expect(renderReport([fakeEvaluation(), fakeRelease()])).toBe(
      renderReport([fakeEvaluation(), fakeRelease()]),
    );
  });

  test('refers to nothing outside itself and runs no script', () => {
    const text = renderReport([fakeEvaluation(), fakeRelease()]);
    const page = parse(text);
    const references = [...page.querySelectorAll('[src], [href], link, img, iframe')].map(
      (one) => one.getAttribute('src') ?? one.getAttribute('href'),
    );
    const parts = ['problem-1', 'problem-2', 'ledger', 'parameters', 'again'].map(
      (part) => `#result-1-${part}`,
    );
    // Files beside the page, which a reader may ask for.
    const files = [
      ...['csv', 'ndjson', 'parquet', 'json'].map((end) => `results.${end}`),
      ...[1, 2, 3, 4, 5].map((figure) => `figure-${figure}.svg`),
    ];
    expect(references).toEqual(['data:,', '#result-1', '#result-2', ...parts, ...files]);
    for (const part of parts) expect(page.querySelector(part)).not.toBeNull();
    expect([...page.querySelectorAll('script')].map((one) => one.getAttribute('type'))).toEqual([
      'application/json',
    ]);
    expect(text).not.toMatch(/@import|url\(|@font-face/u);
  });

  test('no results make an empty page', () => {
    expect(parse(renderReport([])).querySelectorAll('article')).toHaveLength(0);
  });

  test('holds the results as JSON', () => {
    const results = [fakeEvaluation(), fakeRelease()];
    expect(
      JSON.parse(defined(parse(renderReport(results)).querySelector('#lethe-results')).textContent),
    ).toEqual(JSON.parse(JSON.stringify(results)));
  });

  test('numbers that JSON lacks stay readable in it', () => {
    const release = fakeRelease();
    const unprotected = fakeRelease({ certificate: { ...release.certificate, upper: Infinity } });
    const page = parse(renderReport([unprotected]));
    expect(JSON.parse(defined(page.querySelector('#lethe-results')).textContent)[0].certificate.upper).toBe(
      'Infinity',
    );
    expect(defined(page.querySelector('.epsilon')).textContent).toBe('ε ∈ [0.9930, ∞]');
  });
});

describe('what an evaluation says', () => {
  test('it is a simulation, once in sight, and in the name of each figure', () => {
    const article = defined(parse(renderReport([fakeEvaluation()])).querySelector('article'));
    const label = 'simulation: no privacy';
    expect(defined(article.querySelector('.strip')).textContent).toBe(label);
    expect(article.textContent.split(label)).toHaveLength(2);
    const figures = [...article.querySelectorAll('figure')];
    expect(figures).toHaveLength(2 * 2);
    for (const one of figures) expect(one.getAttribute('aria-label')).toContain(label);
  });

  test('its figures as files stand alone: title, legend, every panel, the label, colours', () => {
    const report = renderReport([fakeEvaluation(), fakeRelease()]);
    const page = parse(report);
    const figures = [...page.querySelectorAll('figure')];
    const files = Object.entries(figureFiles(report));
    expect(files).toHaveLength(figures.length);
    for (const [i, [name, text]] of files.entries()) {
      expect(defined(page.querySelector(`footer a[href="${name}"]`)).textContent).toBe(name);
      const drawing = parse(text);
      const figure = figures[i];
      expect(drawing.querySelectorAll('svg[role=img]')).toHaveLength(
        figure.querySelectorAll('.panel svg').length,
      );
      const said = [...drawing.querySelectorAll('text')].map((one) => one.textContent);
      expect(text).not.toContain('var(');
      for (const part of figure.querySelectorAll('h4, .legend span, h5'))
        expect(said).toContain(part.textContent.trim());
      const isSimulation = defined(figure.getAttribute('aria-label')).includes('simulation: no privacy');
      expect(said.includes('simulation: no privacy')).toBe(isSimulation);
    }
  });

  test('one panel per n against ε and per ε against n; no figure along an axis of one value', () => {
    const titles = (shape: FakeShape): string[] =>
      [...parse(renderReport([fakeEvaluation(shape)])).querySelectorAll('h5')].map((one) => one.textContent);
    expect(
      titles({
        ...small,
        budgets: [
          { epsilon: 0.5, delta: 0 },
          { epsilon: 2, delta: 0 },
        ],
      }),
    ).toEqual(['n = 1,000', 'n = 10,000', 'ε = 0.5', 'ε = 2']);
    expect(titles(small)).toEqual(['ε = 1']);
    expect(titles({ ...small, sizes: [1000] })).toEqual(['n = 1,000']);
  });

  test('the headline is computed: most records, ε nearest to 1, best first, share of the start', () => {
    const [problem] = fakeEvaluation({
      ...small,
      seeds: 1,
      budgets: [
        { epsilon: 0.1, delta: 0 },
        { epsilon: 2, delta: 0 },
      ],
      excess: (_, { optimizer, n, epsilon }) =>
        ((optimizer === 'dp-sgd' ? 1 : 0.5) * (n === 10_000 ? 0.012 : 0.06)) / epsilon,
    }).problems;
    expect(
      headlineCells(problem).map(({ label, n, budget, excess }) => [label, n, budget.epsilon, excess.median]),
    ).toEqual([
      ['noisy-clipped-ac-sa', 10_000, 2, 0.003],
      ['dp-sgd', 10_000, 2, 0.006],
    ]);
    const first = defined(
      parse(
        html`<p>${findings({ ...fakeEvaluation(small), problems: [problem] })[0]}</p>`.markup,
      ).querySelector('p'),
    ).textContent;
    expect(first).toBe(
      'Delay. At ε = 2 and n = 10,000, noisy-clipped-ac-sa closes 94\u00a0% of the gap between ' +
        'the start and the non-private optimum; dp-sgd 88\u00a0% (one seed). ' +
        'From 1,000 to 10,000 records the excess risk of noisy-clipped-ac-sa falls 5.0-fold at the same ε.',
    );
  });

  test('a lower bound says whether its constant is explicit', () => {
    expect(textOf({ ...small, explicit: true })).toContain('lower bound (constant explicit)');
    expect(textOf(small)).toContain('lower bound (constant not explicit: only its shape counts)');
  });

  test('a lower bound for ρ-zCDP says whom it does not bind, in the figure and beside it', () => {
    const said = parse(renderReport([fakeEvaluation(small)]));
    const [figure] = said.querySelectorAll('figcaption');
    const fine = [...said.querySelectorAll('p.fine')].map(({ textContent }) => textContent).join('');
    expect(figure.textContent).toContain(
      'The lower bound does not bind dp-sgd: it is for methods that are ρ-zCDP at the budget’s ρ.',
    );
    expect(fine).toContain('It does not bind dp-sgd: what shuffles');
    const result = fakeEvaluation({ ...small, optimizers: ['other', 'noisy-clipped-ac-sa'] });
    const [problem] = result.problems;
    const shuffled = {
      ...result,
      problems: [
        {
          ...problem,
          cells: problem.cells.map((cell) =>
            cell.label === 'other'
              ? { ...cell, plan: defined(problem.cells.at(-1)).plan }
              : { ...cell, trust: { model: 'shuffle' as const, honestUsers: 9 } },
          ),
        },
      ],
    };
    expect(defined(parse(renderReport([shuffled])).querySelector('main')).textContent).toContain(
      'does not bind noisy-clipped-ac-sa:',
    );
    const allRecords = {
      ...shuffled,
      problems: shuffled.problems.map((one) => ({
        ...one,
        lowerBound: { ...defined(one.lowerBound), binds: 'every-algorithm' as const },
      })),
    };
    expect(defined(parse(renderReport([allRecords])).querySelector('main')).textContent).not.toContain(
      'does not bind',
    );
    const bound = {
      ...result,
      problems: [
        {
          ...problem,
          cells: problem.cells.map((cell) => ({ ...cell, plan: defined(problem.cells.at(-1)).plan })),
        },
      ],
    };
    expect(defined(parse(renderReport([bound])).querySelector('main')).textContent).not.toContain(
      'does not bind',
    );
  });

  test('a ledger that differs from its plan is not hidden', () => {
    const result = fakeEvaluation(small);
    const [problem] = result.problems;
    const wrong = {
      ...result,
      problems: [
        { ...problem, cells: problem.cells.map((cell, i) => ({ ...cell, ledgerMatchesPlan: i > 0 })) },
      ],
    };
    const text = defined(parse(renderReport([wrong])).querySelector('main')).textContent;
    expect(text).toContain('In 1 of 4 settings the ledger differs from the plan.');
    expect(textOf(small)).toContain('In all 12 runs the ledger recorded exactly the event that was planned.');
  });

  test('the table has every number of the figures', () => {
    const result = fakeEvaluation();
    const rows = [...parse(renderReport([result])).querySelectorAll('figure ~ .scroll tbody')].flatMap(
      (body) => [...body.querySelectorAll('tr')],
    );
    expect(rows).toHaveLength(result.problems.flatMap(({ cells }) => cells).length);
  });
});

describe('values that a logarithmic axis cannot show', () => {
  test.each([
    ['zero', () => 0],
    ['negative', () => -1],
    ['some negative', (made: number, { seed }: { readonly seed: number }) => (seed === 1 ? -made : made)],
    ['infinite', () => Infinity],
    ['minus infinite', () => -Infinity],
    ['not a number', () => Number.NaN],
    ['huge', () => 1e300],
    ['tiny', () => 5e-324],
  ] as const)('%s', (_, excess) => {
    const page = parse(renderReport([fakeEvaluation({ ...small, excess })]));
    expect(page.querySelectorAll('.panel svg')).toHaveLength(1);
    for (const svg of page.querySelectorAll('.panel svg')) expect(svg.outerHTML).not.toMatch(/NaN|Infinity/u);
  });

  test('are counted, and the floor is stated', () => {
    expect(textOf({ ...small, excess: (made, { seed }) => (seed === 1 ? -made : 0.01) })).toContain(
      '4 of 12 values at or below the floor of 0.0100 are drawn on it',
    );
    expect(textOf({ ...small, excess: (made, { seed }) => (seed === 1 ? Number.NaN : made) })).toContain(
      '4 of 12 values are not finite and are not drawn.',
    );
    expect(textOf(small)).not.toContain('floor');
  });

  test('any shape of results makes a page', () => {
    const number = fc
      .tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -30, max: 30 }))
      .map(([digits, exponent]) => digits * 10 ** exponent);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 10 ** 9 }), { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(number, { minLength: 1, maxLength: 5 }),
        number,
        (sizes, exponents, optimizers, values, start) => {
          const page = renderReport([
            fakeEvaluation({
              sizes,
              budgets: exponents.map((exponent) => ({ epsilon: 2 ** exponent, delta: 1e-6 })),
              optimizers: Array.from({ length: optimizers }, (_, i) => `optimizer-${i}`),
              seeds: 2,
              problems: [{ name: 'a', title: 'A', start }],
              excess: (_, { n, seed }) => values[(n + seed) % values.length],
            }),
          ]);
          for (const svg of parse(page).querySelectorAll('.panel svg'))
            expect(svg.outerHTML).not.toMatch(/NaN|Infinity/u);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('what a release says', () => {
  test('its certificate: interval, δ, adjacency, assumptions, and the total of the data set', () => {
    const page = parse(renderReport([fakeRelease()]));
    const text = defined(page.querySelector('.certificate')).textContent.replaceAll('\u00a0', ' ');
    for (const part of [
      'ε ∈ [0.9930, 1.000]',
      'at δ = 10⁻⁷',
      'replace-one',
      'real-arithmetic, secure-random',
      'ε ∈ [1.446, 1.457] at δ = 10⁻⁷, over 2 runs',
      'exactly the planned event',
    ])
      expect(text).toContain(part);
    expect(defined(page.querySelector('main')).textContent).not.toContain('simulation');
  });
  test('that it was a simulation, when it was one', () => {
    const page = parse(renderReport([fakeRelease({ label: 'simulation: no privacy' })]));
    expect(defined(page.querySelector('.strip')).textContent).toBe('simulation: no privacy');
    expect(defined(page.querySelector('.certificate')).textContent).toContain('simulation: no privacy');
    expect(defined(page.querySelector('.certificate')).textContent).toContain('had the noise been secret');
  });
  test('when its ledger is not what was planned', () => {
    expect(
      defined(parse(renderReport([fakeRelease({ ledgerMatchesPlan: false })])).querySelector('.certificate'))
        .textContent,
    ).toContain('differs from the plan');
  });
});

describe('a ledger in words', () => {
  const text = (event: unknown): string =>
    defined(parse(eventTree(event as PrivacyEvent).markup).querySelector('ul')).textContent;
  test('nests, counts and names its parts', () => {
    expect(
      text({
        kind: 'core/compose',
        v: 1,
        parts: [
          {
            count: 1200,
            event: {
              kind: 'core/sampled',
              v: 1,
              sampler: { kind: 'core/poisson', rate: 0.01 },
              event: { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'zero-out': 0.5 } },
            },
          },
        ],
      }),
    ).toBe(
      'One after another, costs add up:1,200 × On a secret sample (each record by itself with ' +
        'probability 0.01000):Gaussian noise, σ = 2; sensitivity 0.5000 (zero-out)',
    );
  });
  test('shows a kind it does not know by its fields, and what is inside', () => {
    expect(text({ kind: 'acme/constructor', v: 2, level: 3, event: { kind: 'core/free', v: 1 } })).toBe(
      'acme/constructor (version 2) {"level":3}Nothing was released',
    );
  });
  test('is cut where it is too deep or too wide', () => {
    let deep: unknown = { kind: 'core/free', v: 1 };
    for (let i = 0; i < 5000; i++) deep = { kind: 'core/parallel', v: 1, parts: [deep] };
    expect(text(deep)).toContain('…');
    expect(
      text({
        kind: 'core/parallel',
        v: 1,
        parts: Array.from({ length: 1000 }, () => ({ kind: 'core/free', v: 1 })),
      }),
    ).toContain('and 960 more');
  });
});
