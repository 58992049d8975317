import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { embedJson, escapeHtml, html, joined, trusted } from '../src/report/escape.js';
import { renderReport } from '../src/report/render.js';
import { fakeEvaluation, fakeRelease } from './fixtures.js';

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></svg></script><script>alert(1)</script>',
  '<!-- ',
  ']]>',
  '&lt;b&gt;',
  '\u0000\u2028',
  '{{x}}${y}',
  'a & b < c',
];

describe('templates', () => {
  test('escape what they are given, and only that', () => {
    expect(html`<p title="${'"\'<>&'}">${['a<', 1, null, html`<b>${'&'}</b>`]}</p>`.markup).toBe(
      '<p title="&quot;&#39;&lt;&gt;&amp;">a&lt;1<b>&amp;</b></p>',
    );
    expect(joined(['<', html`<i>x</i>`], '; ').markup).toBe('&lt;; <i>x</i>');
    expect(html`${trusted('<hr>')}`.markup).toBe('<hr>');
  });
  test('text comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeHtml(text);
        expect(escaped).not.toMatch(/[<>"']/u);
        const back = escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        // oxlint-disable-next-line no-control-regex
        expect(back).toBe(text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu, '\ufffd'));
      }),
    );
  });
  test('JSON inside a page holds no markup and is the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { markup } = embedJson(value);
        expect(markup).not.toMatch(/[<>&\u2028\u2029]/u);
        expect(JSON.parse(markup)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('hostile text in results', () => {
  const page = (text: string): string => {
    const release = fakeRelease();
    const evaluation = fakeEvaluation({
      title: text,
      optimizers: [text, `${text} 2`],
      sizes: [100, 1000],
      budgets: [
        { epsilon: 1, delta: 1e-7 },
        { epsilon: 2, delta: 1e-7 },
      ],
      seeds: 2,
      problems: [{ name: text, title: text, start: 1 }],
    });
    const [problem] = evaluation.problems;
    const facts = { [text]: { value: 1, scope: 'population', provenance: 'declared', why: text } } as const;
    return renderReport([
      {
        ...evaluation,
        command: text,
        experiment: { ...evaluation.experiment, about: text },
        environment: { lethe: text, node: text, platform: text },
        problems: [
          {
            ...problem,
            facts,
            loss: text,
            lowerBound: { ...defined(problem.lowerBound), statement: text, source: text },
          },
        ],
      },
      {
        ...release,
        command: text,
        run: text,
        experiment: { ...release.experiment, title: text, about: text },
        model: { featureNames: [text], features: [text], weights: [1] },
        facts,
        spent: { kind: text, v: 1, [text]: text } as never,
        total: { ...release.total, runs: [text] },
        certificate: { ...release.certificate, method: text, assumptions: [text] },
      },
    ]);
  };
  interface Node {
    readonly textContent: string;
    getAttributeNames(): string[];
    querySelectorAll(selector: string): ArrayLike<Node> & Iterable<Node>;
    querySelector(selector: string): Node | null;
    readonly tagName: string;
  }
  const skeleton = (text: string): readonly string[] =>
    [...(parseHTML(text).document as unknown as Node).querySelectorAll('*')].map(
      (one) => `${one.tagName} ${one.getAttributeNames().join(' ')}`,
    );
  const harmless = skeleton(page('harmless'));

  test.each(hostile)('%j is text, wherever it stands', (text) => {
    const made = page(text);
    expect(skeleton(made)).toEqual(harmless);
    const { document } = parseHTML(made) as unknown as { readonly document: Node };
    expect(defined(document.querySelector('h2')).textContent).toContain(
      text.replace('\u0000', '\ufffd').slice(0, 5),
    );
    expect(JSON.parse(defined(document.querySelector('#lethe-results')).textContent)[0].command).toBe(text);
  });
});
