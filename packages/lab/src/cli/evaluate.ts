import { eventKindsOf } from '@lethe/core';
import {
  evaluateModel,
  readingOf,
  type Evaluation,
  type EvaluationOptions,
  type LabelSchema,
  type Metrics,
  type Noise,
} from '@lethe/train';
import { findLedger, openDataLedger } from '../model/data-ledger.js';
import { fileForm } from '../model/file-form.js';
import {
  certificateRows,
  labelText,
  metricRows,
  numberText,
  rowsText,
  withNoise,
} from '../model/model-text.js';
import { adviseForModel, modelRecords } from '../model/model-records.js';
import { readModel } from '../model/read-model.js';
import { pluginsGiven } from '../plugins/option.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { deltaText, formatCount, roundOutward } from '../report/format.js';
import { inPlainWords } from '../run/refused-by-limit.js';
import { unchangedFile } from '../run/unchanged-file.js';
import { toJson } from './accounting.js';
import { isAgreed } from './confirm.js';
import type { Action } from './command.js';

export const evaluateRecords: Action = async (parsed, context) => {
  const { out, error, prompt, signal, hold } = context;
  const [modelPath, data] = parsed.positionals;
  const model = readModel(modelPath);
  const loaded = await pluginsGiven(parsed);
  const plugins = loaded.flatMap((one) => one.plugins);
  const kinds = eventKindsOf(withPlugins(shipped, loaded));
  const form = fileForm(data, parsed.string('delimiter'));
  const reading = { ...readingOf(model.file.schema, true), ...form };
  const assertUnchanged = unchangedFile(data);
  const table = await modelRecords(data, reading, model.file.schema.label.column);
  const shared = { data: table, heldOut: parsed.flag('held-out'), plugins };
  const epsilon = parsed.number('epsilon');
  const show = (evaluation: Evaluation): number => {
    out(parsed.flag('json') ? `${toJson(evaluation)}\n` : textOf(evaluation, model.file.schema.label));
    return 0;
  };
  const evaluated = (options: EvaluationOptions): Promise<Evaluation> =>
    evaluateModel(model, options).catch((failure: unknown) => {
      throw adviseForModel(failure, data);
    });
  if (epsilon === undefined) return show(await evaluated(shared));
  const delta = parsed.number('delta') ?? model.plan.budget.delta;
  const place = await findLedger({
    data,
    assertUnchanged,
    reading,
    ledger: parsed.string('ledger'),
    delta,
    kinds,
    resumes: false,
    mayForget: parsed.flag('new-ledger'),
    warn: (text) => error(`warning: ${text}\n`),
  });
  const spent = place.account?.spent.upper ?? 0;
  error(
    `A private evaluation on ${data} spends epsilon ${epsilon} at delta ${deltaText(delta)}; its ledger ` +
      `${place.place.path} has ` +
      `spent ${spent === 0 ? 'nothing' : `at most ${roundOutward(spent, 'upper')}`} so far.\n`,
  );
  if (!(await isAgreed('Evaluate, and spend it?', { yes: parsed.flag('yes'), prompt }))) {
    error('Nothing was spent.\n');
    return 1;
  }
  const letGo = hold();
  try {
    const { ledger, close } = openDataLedger(place, {
      adjacency: model.plan.adjacency,
      limit: undefined,
      kinds,
    });
    try {
      return show(
        await evaluated({
          ...shared,
          budget: { epsilon, delta },
          ledger,
          identity: place.identity,
          signal,
        }).catch((failure: unknown) => {
          throw inPlainWords(failure, { path: place.place.path, ledger, kinds, smaller: '--epsilon' });
        }),
      );
    } finally {
      close();
    }
  } finally {
    letGo();
  }
};

/** Noise of an accuracy or AUC beyond which it says nothing: a guess has .5. */
const mostNoise = 0.5;
/** Mean error of the middle of a label's bounds, for labels that are spread evenly between them. */
function errorOfMiddle(label: LabelSchema): number {
  if (label.type === 'number') return (label.upper - label.lower) / 4;
  return label.type === 'count' ? label.upper / 4 : 1;
}
/** Whether the noise hides what is measured: an accuracy, or errors of numbers and counts. */
const isHidden = ({ accuracy = 0, auc = 0, mae = 0 }: Noise, metrics: Metrics, label: LabelSchema): boolean =>
  Math.max(accuracy, auc) > mostNoise || mae > Math.min(metrics.mae ?? Infinity, errorOfMiddle(label));
const tooNoisy =
  '\nThe noise is larger than what it measures: evaluate on more records, or with a larger --epsilon\n';

function textOf({ privacy, records, metrics, noise, certificate }: Evaluation, label: LabelSchema): string {
  const head =
    privacy === 'not private'
      ? 'NOT PRIVATE: computed from the records themselves; give --epsilon for a private evaluation'
      : privacy;
  const bins = metrics.calibration ?? [];
  const whose = certificate?.unit === 'owner' ? 'owners' : 'records';
  return [
    `${labelText(label)}, on ${formatCount(records)} ${whose}\n${head}\n\n`,
    rowsText(metricRows(metrics, noise)),
    ...(noise === null ? [] : ['\n  ± is one standard deviation of the noise\n']),
    ...(noise !== null && isHidden(noise, metrics, label) ? [tooNoisy] : []),
    ...(bins.length === 0
      ? []
      : [
          `\nRange of predicted probabilities, ${noise === null ? 'their mean' : 'its middle'}, the share ` +
            `of its ${whose} for which it came true, and its share of all ${whose}` +
            `${noise === null ? '' : '; ranges with too few records for the noise are left out'}\n`,
          rowsText(
            bins.map(({ from, to, weight, predicted, observed, noise: spread }) => [
              `${from} to ${to}`,
              [
                numberText(predicted).padEnd(8),
                withNoise(observed, spread).padEnd(spread === undefined ? 8 : 16),
                `(${numberText(100 * weight)} % of the ${whose})`,
              ].join(' '),
            ]),
          ),
        ]),
    ...(certificate === null
      ? []
      : ['\nCertificate of this evaluation\n', rowsText(certificateRows(certificate))]),
  ].join('');
}
