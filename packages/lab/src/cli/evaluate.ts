import { eventKindsOf } from '@lethe/core';
import { readTable } from '@lethe/losses/node';
import {
  evaluateModel,
  readingOf,
  type Evaluation,
  type LabelSchema,
  type Metrics,
  type Noise,
} from '@lethe/train';
import { findLedger, openDataLedger } from '../model/data-ledger.js';
import { certificateRows, labelText, metricRows, numberText, rowsText } from '../model/model-text.js';
import { readModel } from '../model/read-model.js';
import { pluginsGiven } from '../plugins/option.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { deltaText, formatCount, roundOutward } from '../report/format.js';
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
  const reading = readingOf(model.file.schema, true);
  const assertUnchanged = unchangedFile(data);
  const table = await readTable(data, reading);
  const shared = { data: table, heldOut: parsed.flag('held-out'), plugins };
  const epsilon = parsed.number('epsilon');
  const show = (evaluation: Evaluation): number => {
    out(parsed.flag('json') ? `${toJson(evaluation)}\n` : textOf(evaluation, model.file.schema.label));
    return 0;
  };
  if (epsilon === undefined) return show(await evaluateModel(model, shared));
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
        await evaluateModel(model, {
          ...shared,
          budget: { epsilon, delta },
          ledger,
          identity: place.identity,
          signal,
        }),
      );
    } finally {
      close();
    }
  } finally {
    letGo();
  }
};

/** Noise of an accuracy beyond which it says nothing: a guess has an accuracy of .5. */
const mostNoise = 0.5;
/** Mean error of the middle of a label's bounds, for labels that are spread evenly between them. */
function errorOfMiddle(label: LabelSchema): number {
  if (label.type === 'number') return (label.upper - label.lower) / 4;
  return label.type === 'count' ? label.upper / 4 : 1;
}
/** Whether the noise hides what is measured: an accuracy, or errors of numbers and counts. */
const isHidden = ({ accuracy = 0, mae = 0 }: Noise, metrics: Metrics, label: LabelSchema): boolean =>
  accuracy > mostNoise || mae > Math.min(metrics.mae ?? Infinity, errorOfMiddle(label));
const tooNoisy =
  '\nThe noise is larger than what it measures: evaluate on more records, or with a larger --epsilon\n';

function textOf({ privacy, records, metrics, noise, certificate }: Evaluation, label: LabelSchema): string {
  const head =
    privacy === 'not private'
      ? 'NOT PRIVATE: computed from the records themselves; give --epsilon for a private evaluation'
      : privacy;
  const bins = metrics.calibration ?? [];
  return [
    `${labelText(label)}, on ${formatCount(records)} records\n${head}\n\n`,
    rowsText(metricRows(metrics, noise)),
    ...(noise !== null && isHidden(noise, metrics, label) ? [tooNoisy] : []),
    ...(bins.length === 0
      ? []
      : [
          '\nPredicted probability, and share of records that are so\n',
          rowsText(
            bins.map(({ from, to, weight, predicted, observed }) => [
              `${from} to ${to}`,
              `${numberText(predicted).padEnd(8)} ${numberText(observed).padEnd(8)} ` +
                `(${numberText(100 * weight)} % of the records)`,
            ]),
          ),
        ]),
    ...(certificate === null
      ? []
      : ['\nCertificate of this evaluation\n', rowsText(certificateRows(certificate))]),
  ].join('');
}
