import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { gradientAt, norm, points, recordAt, valueAt, withoutLabels } from './points.js';

/** The form of a model of several outputs equals its loss. */
export const outputsForm = defineLaw<'loss'>({
  id: 'loss/outputs-form',
  kind: 'loss',
  tier: 'search',
  statement:
    'for a linear model of several outputs, value is multiOutput.value at the outputs and gradientInto is ' +
    'slopesInto times the features; slopesInto writes the same into the outputs themselves',
  power: 'a difference of 10⁻⁶ of the size, at 150 points over many scales; any by where slopes are written',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.multiOutput === null ? 'it is no linear model of several outputs' : undefined),
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const { plugin, params } = subject;
        const form = defined(plugin.multiOutput);
        const record = recordAt(subject, at);
        const { length } = at.x;
        const outputs = Float64Array.from({ length: form.outputs(params) }, (_, k) =>
          at.x.reduce((sum, x, j) => sum + at.w[k * length + j] * x, 0),
        );
        const slopes = new Float64Array(outputs.length);
        const given = outputs.slice();
        form.slopesInto(params, slopes, given, record);
        const over = outputs.slice();
        form.slopesInto(params, over, over, record);
        if (given.join() !== outputs.join())
          return { what: 'slopesInto modifies the outputs that it is given', input: at };
        if (over.join() !== slopes.join())
          return {
            what:
              `slopesInto writes [${over.join(', ')}] over the outputs, ` +
              `and [${slopes.join(', ')}] elsewhere`,
            input: at,
          };
        const size = 1 + norm(outputs);
        const gradient = gradientAt(subject, at.w, record);
        const off = Math.max(
          ...gradient.map((entry, i) => Math.abs(entry - slopes[Math.floor(i / length)] * at.x[i % length])),
        );
        const allowed = 1e-6 * (norm(slopes) + size) * norm(at.x) + 1e-300;
        if (!(off <= allowed))
          return {
            what: `the gradient is [${gradient.join(', ')}]; the slopes times the features differ from it`,
            measured: off,
            allowed,
            input: at,
          };
        const [value, same] = [valueAt(subject, at.w, record), form.value(params, outputs, record)];
        return Math.abs(value - same) <= 1e-6 * (size * size + Math.abs(value))
          ? undefined
          : {
              what: `the loss is ${value}; multiOutput.value at the outputs is ${same}`,
              measured: value,
              allowed: same,
              input: at,
            };
      },
      { runs: 150 },
    ),
});
