import type { Environment } from '../experiment/environment.js';
import type { EvaluationResult, ProblemResult, ReleaseResult, Result } from '../experiment/results.js';
import {
  isHard,
  type SampledSpec,
  labelOf,
  paramsOn,
  type ComparedSpec,
  type OptimizerSpec,
  type ProblemSpec,
} from '../experiment/schema.js';
import type { TrustSpec } from '../experiment/optimizer-schema.js';
import { moduleText } from '../plugins/module-text.js';
import { html, joined, jsonNumber, type Content, type Html } from './escape.js';
import { formatCount, formatNumber } from './format.js';
import { table } from './tables.js';

/** Terms and what they come to, as a definition list. */
export const terms = (entries: readonly (readonly [Content, Content])[]): Html =>
  html`<dl class="terms">${entries.map(([term, meaning]) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`)}</dl>`;

const code = (value: unknown): Html => html`<code>${JSON.stringify(value, jsonNumber)}</code>`;
const listed = (values: readonly (string | number)[]): string => values.join(', ');

/** Description of the experiment. */
export function parameters({ experiment }: EvaluationResult | ReleaseResult): Html {
  const problems = experiment.kind === 'evaluation' ? experiment.problems : [experiment.problem];
  const optimizers = experiment.kind === 'evaluation' ? experiment.optimizers : [experiment.optimizer];
  const budgets = experiment.kind === 'evaluation' ? experiment.budgets : [experiment.budget];
  const runs: readonly (readonly [Content, Content])[] =
    experiment.kind === 'evaluation'
      ? [
          ['records', experiment.sizes === undefined ? 'all' : listed(experiment.sizes.map(formatCount))],
          ['seeds', `${formatCount(experiment.seeds.count)}, from ${experiment.seeds.first} on`],
          [
            'lower bound',
            experiment.lowerBound === undefined
              ? 'none'
              : html`${experiment.lowerBound.name} ${code(experiment.lowerBound.params)}`,
          ],
        ]
      : [
          ['records', experiment.size === undefined ? 'all' : formatCount(experiment.size)],
          [
            'limit of the data set',
            experiment.limit === undefined
              ? 'none'
              : `ε = ${experiment.limit.epsilon} at δ = ${formatNumber(experiment.limit.delta)}`,
          ],
        ];
  return html`${terms([
    ['neighbouring data sets', experiment.adjacency],
    [
      'budgets',
      joined(
        budgets.map(({ epsilon, delta }) => html`ε = ${epsilon} at δ = ${formatNumber(delta)}`),
        '; ',
      ),
    ],
    ...runs,
    ...optimizers.map(
      (optimizer) => [html`optimizer ${labelOf(optimizer)}`, optimizerText(optimizer, problems)] as const,
    ),
    ...problems.map((problem) => [html`problem ${problem.name}`, problemText(problem)] as const),
  ])}`;
}

function optimizerText(
  optimizer: OptimizerSpec & Partial<Pick<ComparedSpec, 'trust' | 'problems'>>,
  problems: readonly ProblemSpec[],
): Content {
  const special = problems.filter(({ name }) => Object.hasOwn(optimizer.paramsFor, name));
  const { trust = 'central' } = optimizer;
  return [
    html`${optimizer.name} ${code(optimizer.params)}`,
    trust === 'central' ? null : modelText(trust),
    ...special.map(({ name }) => html`; on ${name} ${code(paramsOn(optimizer, name))}`),
    optimizer.problems === undefined ? null : `; compared on ${listed(optimizer.problems)} only`,
  ];
}

function modelText(trust: Exclude<TrustSpec, 'central'>): string {
  if (trust.model === 'shuffle')
    return (
      ' in the shuffle model' +
      (trust.honestUsers === undefined ? '' : `, ${formatCount(trust.honestUsers)} honest users`)
    );
  const on = ` on ${formatCount(trust.silos)} silos`;
  const layout =
    (trust.shares === undefined ? '' : ` of ${trust.shares.join(' : ')} of the records`) +
    (trust.split === 'by-label' ? ', split by label' : '');
  if (trust.model === 'secure-aggregation')
    return `${on}${layout}, in secure sums, ${trust.corrupted} corrupted`;
  const { weights } = trust;
  const counted = weights === 'records' ? 'their numbers of records' : weights?.join(' : ');
  return (
    `${on}${layout}, with ${trust.server === 'trusted' ? 'a trusted' : 'an untrusted'} server` +
    (counted === undefined ? '' : `, weights ${counted}`)
  );
}

function problemText(spec: ProblemSpec): Content {
  if (isHard(spec))
    return html`an instance of the lower bound ${spec.data.hard.name} ${code(spec.data.hard.params)}, drawn anew for every seed; loss and domain are its own`;
  const { data, loss, domain, record, regulariser } = spec;
  const source = sourceText(data, spec.risk);
  const bounds = Object.keys(record).length === 0 ? null : html`; records within ${code(record)}`;
  return html`${source}; loss ${loss.name} ${code(loss.params)}${regulariser === undefined ? null : html` plus ${regulariser.name} ${code(regulariser.params)}`}; iterates in ${domain.name} ${code(domain.params)}${bounds}`;
}

function sourceText(data: SampledSpec['data'], risk: SampledSpec['risk']): Html {
  if ('generateSparse' in data) return html`generated ${code(data.generateSparse)}`;
  if ('generate' in data)
    return html`generated ${code(data.generate)}${risk === 'population' ? ', every seed anew; risks are those of the law' : ''}`;
  return html`${data.file ?? data.package ?? ''}`;
}

/** Facts that plans read, with their provenance. */
export function factTable(title: string, facts: ProblemResult['facts']): Html | null {
  const rows = summarised(facts);
  if (rows.length === 0) return null;
  return table(
    `${title}: facts the plan may read`,
    [
      { head: 'fact', of: ([name]) => html`<code>${name}</code>`, words: true },
      {
        head: 'value',
        of: ([, { value, largest }]) =>
          largest === undefined
            ? formatNumber(value, 4)
            : `${formatNumber(value, 4)} to ${formatNumber(largest, 4)}`,
      },
      {
        head: 'holds for',
        of: ([, { scope }]) => (scope === 'every-record' ? 'every record' : 'the population'),
        words: true,
      },
      { head: 'known', of: ([, { provenance, why }]) => html`${provenance}: ${why}`, words: true },
    ],
    rows,
  );
}

type Row = readonly [string, ProblemResult['facts'][string] & { readonly largest?: number }];

/** Merges facts of coordinates that differ only in their value. */
function summarised(facts: ProblemResult['facts']): readonly Row[] {
  const families = new Map<string, [Row, ...Row[]]>();
  for (const row of Object.entries(facts)) {
    const [name, { scope, why }] = row;
    const key = JSON.stringify([name.replace(/\.\d+$/u, ''), scope, why]);
    const family = families.get(key);
    if (family === undefined) families.set(key, [row]);
    else family.push(row);
  }
  return [...families.values()].flatMap((family): readonly Row[] => {
    if (family.length < 8) return family;
    const values = family.map(([, { value }]) => value);
    const [first, fact] = family[0];
    const [last] = family[family.length - 1];
    return [
      [
        `${first} … ${last.slice(last.lastIndexOf('.'))}`,
        {
          ...fact,
          value: values.reduce((a, b) => Math.min(a, b)),
          largest: values.reduce((a, b) => Math.max(a, b)),
        },
      ],
    ];
  });
}

/** The command, the experiment as a file, and the versions. */
export function runAgain({ experiment, command, environment }: Result): Html {
  return html`<pre class="command"><code>${command}</code></pre>
<p class="quiet">${madeWith(environment)}${experiment.kind === 'release' ? ' A release draws fresh noise and is charged again.' : ' The same seeds give the same numbers.'}</p>
<details><summary>The experiment as a file</summary><p>To run it where the original file is not, save this as <code>${experiment.name}.json</code>${isSelfContained(experiment) ? '' : ', in a folder from which its paths lead to the records'}, install <code>npm i @lethe/lab zod${packagesOf(experiment)}</code> and run <code>npx lethe run ${experiment.name}.json</code>.</p>
<pre class="file" tabindex="0"><code>${JSON.stringify(experiment, jsonNumber, 2)}</code></pre></details>
`;
}

const sourcesOf = (experiment: Result['experiment']): readonly ProblemSpec['data'][] => {
  if (experiment.kind === 'evaluation') return experiment.problems.map(({ data }) => data);
  return experiment.kind === 'release' ? [experiment.problem.data] : [];
};
/** Whether an experiment reads no file of its own folder. */
const isSelfContained = (experiment: Result['experiment']): boolean =>
  sourcesOf(experiment).every((data) => !('file' in data) || data.file === undefined);
/** The npm packages that hold its records, each after a space. */
const packagesOf = (experiment: Result['experiment']): string =>
  [
    ...new Set(
      sourcesOf(experiment).flatMap((data) =>
        'package' in data && data.package !== undefined
          ? [
              data.package
                .split('/')
                .slice(0, data.package.startsWith('@') ? 2 : 1)
                .join('/'),
            ]
          : [],
      ),
    ),
  ]
    .map((name) => ` ${name}`)
    .join('');

/** Versions and modules of plugins, one sentence each. */
export function madeWith({ lethe, node, platform, plugins = [] }: Environment): string {
  const versions = `Made with Lethe ${lethe}, Node ${node} on ${platform}.`;
  return [versions, ...plugins.map((one) => `Plugins of ${moduleText(one)}.`)].join(' ');
}
