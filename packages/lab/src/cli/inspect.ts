import {
  certificateRows,
  columnText,
  labelText,
  planRows,
  rowsText,
  weightRows,
} from '../model/model-text.js';
import { readModel } from '../model/read-model.js';
import { toJson } from './accounting.js';
import type { Action } from './command.js';

export const inspectModel: Action = async (parsed, { out }) => {
  const [path] = parsed.positionals;
  const model = readModel(path);
  const { schema, lethe, split } = model.file;
  if (parsed.flag('json')) {
    out(`${toJson(model, 2)}\n`);
    return 0;
  }
  out(
    [
      `${path}: a model by Lethe ${lethe}\n\n`,
      'Predicts\n',
      rowsText([
        ['label', labelText(schema.label)],
        ...Object.entries(schema.columns).map(([name, column]) => [name, columnText(column)] as const),
      ]),
      '\nWeights, of features mapped from their bounds to [-1, 1]\n',
      rowsText(weightRows(model)),
      '\nTraining\n',
      rowsText([...planRows(model.plan), ['split', `by the public key '${split.key}'`]]),
      '\nCertificate\n',
      rowsText(certificateRows(model.certificate)),
    ].join(''),
  );
  return 0;
};
