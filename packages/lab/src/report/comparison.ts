import type { ComparedCell, ComparedRatio, Comparison, ProblemResult } from '../experiment/results.js';
import { html, type Content, type Html } from './escape.js';
import { formatCount, formatNumber } from './format.js';
import { table } from './tables.js';

type Setting = Pick<ComparedCell, 'n' | 'budget'>;
const settingColumns = [
  { head: 'n', of: ({ n }: Setting) => formatCount(n) },
  { head: 'ε', of: ({ budget }: Setting) => String(budget.epsilon) },
] as const;

/** Comparison of measurements with expectations: means, ratios, numbers of plans. */
export function comparisonTables({ title, comparison }: ProblemResult): Html | null {
  if (comparison === undefined) return null;
  const { cells, ratios, rule } = comparison;
  const measured = cells.flatMap(({ excess, ...setting }) =>
    excess === null ? [] : [{ ...setting, ...excess }],
  );
  const planned = cells.flatMap(({ plan, ...setting }) => plan.map((number) => ({ ...setting, ...number })));
  const sources = [...new Set(cells.map(({ label: name, source }) => `${name}: ${source}`))];
  return html`${
    measured.length === 0
      ? null
      : table(
          `${title}: measured beside expected, mean excess risk`,
          [
            { head: 'optimizer', of: ({ label: name }) => name, words: true },
            ...settingColumns,
            {
              head: 'measured ± s.e.',
              of: ({ measured: mean, standardError }) => withError(mean, standardError),
            },
            { head: 'expected', of: ({ expected }) => formatNumber(expected, 4) },
            { head: 'measured / expected', of: ({ ratio, ratioError }) => withError(ratio, ratioError) },
            { head: 'apart', of: ({ score }) => scoreText(score) },
            { head: 'verdict', of: ({ agrees, isWide }) => verdict(agrees, isWide), words: true },
          ],
          measured,
        )
  }${
    ratios.length === 0
      ? null
      : table(
          `${title}: ratios of mean excess risks beside expected`,
          [
            { head: 'ratio', of: ({ of, to }: ComparedRatio) => `${of} / ${to}`, words: true },
            ...settingColumns,
            {
              head: 'measured ± s.e.',
              of: ({ measured: ratio, standardError }) =>
                ratio === null || standardError === null ? '–' : withError(ratio, standardError),
            },
            { head: 'expected', of: ({ expected }) => formatNumber(expected, 4) },
            { head: 'apart', of: ({ score }) => scoreText(score) },
            { head: 'verdict', of: ({ agrees, isWide }) => verdict(agrees, isWide), words: true },
          ],
          ratios,
        )
  }${
    planned.length === 0
      ? null
      : table(
          `${title}: numbers of the plans beside expected`,
          [
            { head: 'optimizer', of: ({ label: name }) => name, words: true },
            ...settingColumns,
            { head: 'number', of: ({ at }) => (at === 'utility.bound' ? 'bound' : at), words: true },
            {
              head: 'plan',
              of: ({ planned: number }) => (number === null ? 'none' : formatNumber(number, 5)),
            },
            { head: 'expected', of: ({ expected }) => formatNumber(expected, 5) },
            { head: 'plan / expected', of: ({ ratio }) => (ratio === null ? '–' : formatNumber(ratio, 5)) },
            { head: 'verdict', of: ({ agrees }) => verdict(agrees), words: true },
          ],
          planned,
        )
  }<p class="fine">${rule} Expected: ${sources.join('; ')}.</p>
`;
}

const withError = (value: number, error: number): string =>
  `${formatNumber(value, 4)} ± ${formatNumber(error, 2)}`;
const scoreText = (score: number | null): string => (score === null ? '–' : `${formatNumber(score, 2)} s.e.`);
const verdict = (agrees: boolean | null, isWide = false): Content => {
  if (agrees === null) return 'one run cannot tell';
  if (agrees) return isWide ? 'within, but wide' : 'within';
  return html`<strong class="alarm">outside</strong>`;
};

/**
 * One sentence with the number of comparisons that agree, and those that do not; `null` without expectations.
 */
export function comparisonFinding(problems: readonly ProblemResult[]): Content {
  const verdicts = problems.flatMap(({ title, comparison }) =>
    comparison === undefined
      ? []
      : verdictsOf(comparison).map(({ what, ...rest }) => ({ ...rest, what: `${what} on ${title}` })),
  );
  if (verdicts.length === 0) return null;
  const wrong = verdicts.filter(({ agrees }) => agrees === false);
  const wide = verdicts.filter(({ agrees, isWide }) => agrees === true && isWide).length;
  return wrong.length === 0
    ? html`All ${formatCount(verdicts.length)} comparisons with numbers computed beforehand agree${verdicts.some(({ agrees }) => agrees === null) ? ', as far as single runs can tell' : ''}${wide === 0 ? '' : `; ${formatCount(wide)} of them would agree with much else too, for the runs are few or vary much`}.`
    : html`<strong class="alarm">${formatCount(wrong.length)} of ${formatCount(verdicts.length)} comparisons with numbers computed beforehand disagree:</strong> ${wrong.map(({ what }) => what).join('; ')}.`;
}

function verdictsOf({ cells, ratios }: Comparison): readonly {
  readonly what: string;
  readonly agrees: boolean | null;
  readonly isWide: boolean;
}[] {
  return [
    ...cells.flatMap(({ label, excess, plan }) => [
      ...(excess === null
        ? []
        : [{ what: `the mean of ${label}`, agrees: excess.agrees, isWide: excess.isWide }]),
      ...plan.map(({ at, agrees }) => ({
        what: `the ${at === 'utility.bound' ? 'bound' : at} of ${label}`,
        agrees,
        isWide: false,
      })),
    ]),
    ...ratios.map(({ of, to, agrees, isWide }) => ({ what: `the ratio of ${of} to ${to}`, agrees, isWide })),
  ];
}
