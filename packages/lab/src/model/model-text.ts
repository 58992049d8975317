import {
  mostNoise,
  trainingOf,
  type Certificate,
  type ColumnSchema,
  type LabelSchema,
  type Metrics,
  type Model,
  type Noise,
  type TrainingPlan,
} from '@lethe/train';
import { deltaText, formatCount, nounFor, roundOutward } from '../report/format.js';

const digits = 4;
/** As many values of a list are shown. */
const fewLevels = 12;
/** Lines `name  text` in two columns. */
export const rowsText = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('');
};

/** A number to four digits. */
export const numberText = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : 'unknown';

/** A noise of {@link TrainingPlan.noise} as a text. */
export function noiseText(noise: number): string {
  const of =
    noise < 1 ? `${Number((100 * noise).toPrecision(2))} % of` : `${Number(noise.toPrecision(2))} times`;
  return `${of} the largest gradient`;
}

const counted = (count: number, noun: string): string => `${formatCount(count)} ${nounFor(count, noun)}`;

/** What a label is, in words. */
export function labelText(label: LabelSchema): string {
  switch (label.type) {
    case 'classes':
      return `${label.column}: ${label.classes.join(', ')}`;
    case 'equals':
      return `whether ${label.column} is ${label.value}`;
    case 'above':
      return `whether ${label.column} is above ${label.threshold}`;
    case 'number':
      return `${label.column}, from ${label.lower} to ${label.upper}`;
    case 'count':
      return `${label.column}, a count up to ${label.upper}`;
  }
}

/** What a column holds, in words. */
export function columnText(column: ColumnSchema): string {
  switch (column.type) {
    case 'number':
      return `${column.lower} to ${column.upper}${column.transform === 'log1p' ? ', by its logarithm' : ''}`;
    case 'category':
      return `one of ${column.levels.length <= fewLevels ? column.levels.join(', ') : column.levels.length}`;
    case 'time':
      return column.parts.join(', ');
  }
}

/** A plan in words. */
export function planRows(plan: TrainingPlan): readonly (readonly [string, string])[] {
  const { records, heldOut, params, clip, budget, adjacency, owner, noise } = plan;
  const one = owner === undefined ? 'record' : 'owner';
  const whose = owner === undefined ? '' : ` by '${owner.column}', ${owner.most} records of each at most`;
  const { steps, rate } = params as { readonly steps?: unknown; readonly rate?: unknown };
  const own = Object.keys(params).length === 0 ? 'its schedule by default' : JSON.stringify(params);
  const batches =
    typeof steps === 'number' && typeof rate === 'number'
      ? `${counted(steps, 'step')} of about ${counted(Math.round(rate * (records - heldOut)), one)}`
      : own;
  return [
    [
      `${one}s`,
      `${formatCount(records)}${whose}; ${formatCount(records - heldOut)} train, ` +
        `${formatCount(heldOut)} are held out`,
    ],
    [
      'missing',
      'numbers count as the middle of their bounds, categories as none, or as the schema says; ' +
        'a record without a label counts among the records, and teaches nothing',
    ],
    ['method', `${plan.method} on the loss ${plan.loss.name}: ${batches}`],
    ['clip', clipText(clip, params['clipNorm'])],
    [
      'budget',
      `epsilon ${budget.epsilon} at delta ${deltaText(budget.delta)}, ${adjacency}: what is published ` +
        `tells little of ${owner === undefined ? 'any one record' : 'all that any one owner has'}`,
    ],
    ...(noise === null
      ? []
      : [
          [
            'noise',
            `${noiseText(noise)} in one mean that takes the whole budget; above ` +
              `${100 * mostNoise} % a model is likely mostly noise, by a rule of thumb`,
          ] as const,
        ]),
    ['certified', `epsilon at most ${roundOutward(plan.epsilon, 'upper', 6)} before anything is spent`],
  ];
}

/** @param told - Norm in use: of a quantile it is known once the training has paid for it. */
function clipText(clip: TrainingPlan['clip'], told: unknown): string {
  const norm = typeof told === 'number' ? `norm ${numberText(told)}, ` : '';
  switch (clip.by) {
    case 'number':
      return `each gradient is scaled down to norm ${numberText(clip.norm)}`;
    case 'quantile':
      return (
        `each gradient is scaled down to ${norm}a private ` +
        `${100 * clip.share} % quantile of norms, which is part of the budget`
      );
    case 'method':
      return 'as the method says';
  }
}

const holdsWords: Readonly<Record<Certificate['dataset']['holds'], string>> = {
  'one training': '',
  'fixed in advance': ', if no run was chosen after the answers of another',
  limit: '; the limit of the ledger holds however runs were chosen',
};

const assumptionWords: Readonly<Record<string, string>> = {
  'real-arithmetic': 'noise is drawn in floating point and rounded to a public grid (real-arithmetic)',
  'trusted-server':
    'the server does what it promises: it adds the noise, and shows nobody a sum without it (trusted-server)',
  'honest-silos': 'no more silos side with the server than the plan counts on (honest-silos)',
  computational: 'nobody breaks the cryptography of keys and masks (computational)',
};
/** What a certificate takes for granted, in words. */
export const assumptionsText = (assumptions: readonly string[]): string =>
  assumptions.length === 0 ? 'nothing' : assumptions.map((one) => assumptionWords[one] ?? one).join('; ');

/** A certificate in words. */
export function certificateRows(certificate: Certificate): readonly (readonly [string, string])[] {
  const { epsilon, delta, adjacency, method, assumptions, label, dataset, parts, unit } = certificate;
  return [
    [
      'privacy',
      label === 'private' ? 'private' : 'SIMULATION: its noise can be drawn again, so it protects nobody',
    ],
    [
      'epsilon',
      `at most ${roundOutward(epsilon.upper, 'upper', digits)} at delta ${deltaText(delta)}, ` +
        `${adjacency} (${method})`,
    ],
    ['protects', unit === 'owner' ? 'all records of any one owner together' : 'any one record'],
    ['spent on', parts.map(({ what }) => what).join('; ')],
    ['assumes', assumptionsText(assumptions)],
    ['public', certificate.public.join('; ')],
    [
      'records',
      `have spent epsilon at most ${roundOutward(dataset.epsilon.upper, 'upper', digits)} in all, over ` +
        `${counted(new Set(dataset.runs.map(trainingOf)).size, 'run')}${holdsWords[dataset.holds]}`,
    ],
  ];
}

/** A number, and the standard deviation of the noise in it where there is any. */
export const withNoise = (value: number, spread: number | undefined): string =>
  numberText(value) + (spread === undefined ? '' : ` ± ${Number(spread.toPrecision(2))}`);

/** Measures in words, with what the noise of a private evaluation adds; `null` for an exact one. */
export function metricRows(metrics: Metrics, noise: Noise | null): readonly (readonly [string, string])[] {
  const shown = (value: number, spread: number | undefined): string => {
    if (noise === null) return numberText(value);
    return spread === undefined ? 'hidden by the noise' : withNoise(value, spread);
  };
  const one = (
    name: string,
    value: number | undefined,
    spread?: number,
  ): readonly (readonly [string, string])[] => (value === undefined ? [] : [[name, shown(value, spread)]]);
  return [
    ...one('loss', metrics.loss, noise?.loss),
    ...one('accuracy', metrics.accuracy, noise?.accuracy),
    ...one('always the most frequent class', metrics.baseline, noise?.baseline),
    ...one('AUC', metrics.auc, noise?.auc),
    ...one('calibration error', metrics.calibrationError, noise?.calibrationError),
    ...one('R²', metrics.r2, noise?.r2),
    ...one('root mean squared error', metrics.rmse, noise?.rmse),
    ...one('mean absolute error', metrics.mae, noise?.mae),
  ];
}

/** Weights by feature, `[name, weights of each output]`. */
export const weightRows = ({
  featureNames,
  weights,
  classes,
  task,
}: Model): readonly (readonly [string, string])[] => [
  ...(task === 'classes' ? [['', classes.map((one) => String(one).padStart(10)).join(' ')] as const] : []),
  ...featureNames.map((name, j) => {
    const all = Array.from({ length: weights.shape[0] }, (_, k) => weights.get(k, j).toFixed(4).padStart(10));
    return [name, all.join(' ')] as const;
  }),
];
