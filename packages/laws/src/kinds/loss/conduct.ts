import { coordinateFact, type RecordView } from '@lethe/core';
import { type Violation, fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { onAxis } from '../../arbitraries/vectors.js';
import {
  acceptedLabels,
  columns,
  dimensionOf,
  gradientAt,
  labelEntries,
  margins,
  points,
  recordAt,
  valueAt,
  withoutLabels,
} from './points.js';

/** Finite records give finite numbers. */
export const finite = defineLaw<'loss'>({
  id: 'loss/finite',
  kind: 'loss',
  tier: 'search',
  statement:
    'at finite points value and gradient of a finite record are finite, ' +
    'at margins from −10⁴ to 10⁴ and sizes up to 10¹²',
  power: 'any of 300 points; an exponential that overflows is found at once',
  exempt: withoutLabels,
  check: (subject, env) =>
    env.forAll(
      points(subject, 16),
      (at): Violation | undefined => {
        const record = recordAt(subject, at);
        const value = valueAt(subject, at.w, record);
        if (!Number.isFinite(value)) return { what: `the loss is ${value}`, measured: value, input: at };
        const gradient = gradientAt(subject, at.w, record);
        const bad = gradient.findIndex((entry) => !Number.isFinite(entry));
        return bad < 0
          ? undefined
          : {
              what: `coordinate ${bad} of the gradient is ${gradient[bad]}`,
              measured: gradient[bad],
              input: at,
            };
      },
      { runs: 300, examples: margins(subject) },
    ),
});

/** A loss is a function, and writes only to the given array. */
export const inPlace = defineLaw<'loss'>({
  id: 'loss/in-place',
  kind: 'loss',
  tier: 'search',
  statement:
    'gradientInto writes every entry of out and nothing else; asked again, ' +
    'also after other records, value and gradient are the same to the last bit',
  power: 'any bit, at 150 pairs of points',
  exempt: withoutLabels,
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const { plugin, params } = subject;
        const dimension = dimensionOf(subject);
        const w = Float64Array.from(at.w);
        const record = recordAt(subject, at);
        const zero = new Float64Array(dimension);
        const full = new Float64Array(dimension).fill(7);
        const value = plugin.value(params, w, record);
        plugin.gradientInto(params, zero, w, record);
        plugin.gradientInto(params, full, w, record);
        if (!sameBits(zero, full))
          return {
            what:
              `the gradient written over zeros is [${zero.join(', ')}], over sevens ` +
              `[${full.join(', ')}]: it depends on what was there`,
            input: at,
          };
        if (
          !sameBits(w, Float64Array.from(at.w)) ||
          !sameBits(record.features, Float64Array.from(at.x)) ||
          !sameBits(
            record.labels ?? Float64Array.of(record.label),
            Float64Array.from(labelEntries(subject, at.label)),
          )
        )
          return { what: 'it changes the point or the record', input: at };
        gradientAt(
          subject,
          at.w.toReversed(),
          recordAt(subject, { x: at.x.toReversed(), label: acceptedLabels(subject)[0] }),
        );
        return sameBits(gradientAt(subject, at.w, record), zero) &&
          Object.is(valueAt(subject, at.w, record), value)
          ? undefined
          : {
              what: 'asked again after another record it answers otherwise: it remembers something',
              input: at,
            };
      },
      { runs: 150, examples: margins(subject) },
    ),
});

/** A record whose label has this entry throughout. */
function labelled(subject: Subject<'loss'>, label: number): RecordView {
  const record = recordAt(subject, { x: onAxis(columns, 0, 1), label: acceptedLabels(subject)[0] ?? 0 });
  return {
    ...record,
    label,
    ...(record.labels === undefined ? {} : { labels: record.labels.map(() => label) }),
  };
}

const notLabels = [NaN, Infinity, -Infinity];

/** The rule for labels is a rule. */
export const labels = defineLaw<'loss'>({
  id: 'loss/labels',
  kind: 'loss',
  tier: 'exact',
  statement:
    'labels that are no finite numbers are refused; a label is accepted or not whoever asks how often; ' +
    'the rule can be shown; an accepted label has a loss',
  power: 'certain for three labels that are none and thirteen usual ones',
  check(subject) {
    const {
      plugin: { labels: rule },
      params,
    } = subject;
    const asked = (label: number): unknown => rule.accepts(label, params);
    if (typeof rule.rule !== 'string' || rule.rule.trim() === '')
      return fails(1, { what: 'the rule for labels is an empty text; a data owner must be able to read it' });
    for (const [i, label] of notLabels.entries())
      if (asked(label) !== false)
        return fails(i + 1, {
          what: `the label ${label} is accepted; by the rule '${rule.rule}' data owners could attach it`,
          input: label,
        });
    const tried = [
      ...Array.from({ length: 41 }, (_, i) => (i - 20) / 4),
      1e-300,
      1e300,
      -1e300,
      1 + 2 ** -52,
      -0,
    ];
    for (const [i, label] of tried.entries()) {
      const accepted = asked(label);
      if (typeof accepted !== 'boolean' || asked(label) !== accepted)
        return fails(i + 4, {
          what:
            `whether the label ${label} is accepted is ${String(accepted)} once and ` +
            `${String(asked(label))} then`,
          input: label,
        });
      if (
        accepted &&
        Math.abs(label) < 1e100 &&
        Number.isNaN(valueAt(subject, onAxis(dimensionOf(subject), 0, 1), labelled(subject, label)))
      )
        return fails(i + 4, {
          what: `the label ${label} is accepted, but the loss is NaN there`,
          input: label,
        });
    }
    return holds(tried.length);
  },
});

/** The null record is silent. */
export const nullRecord = defineLaw<'loss'>({
  id: 'loss/null-record',
  kind: 'loss',
  tier: 'search',
  invariant: 'I-9',
  statement: 'where null records are declared, the gradient of a record of zeros is zero at every point',
  power: 'any entry that is not zero, at 150 points',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.capabilities.nullRecord === true
      ? undefined
      : 'it does not declare the capability nullRecord'),
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        for (const label of [0, at.label]) {
          const gradient = gradientAt(subject, at.w, {
            ...recordAt(subject, { x: at.x.map(() => 0), label: at.label }),
            ...(label === 0 ? { label, labels: new Float64Array(labelEntries(subject, 0).length) } : {}),
          });
          if (gradient.some((entry) => entry !== 0))
            return {
              what:
                `the gradient of a record of zeros with label ${label} is [${gradient.join(', ')}]; ` +
                'a null record contributes nothing',
              input: { w: at.w, label },
            };
        }
        return undefined;
      },
      { runs: 150 },
    ),
});

/** General claims hold for the particular forms. */
export const capabilities = defineLaw<'loss'>({
  id: 'loss/capabilities',
  kind: 'loss',
  tier: 'exact',
  statement:
    'a loss that is said to be Lipschitz or smooth, in general or by coordinate, ' +
    'states the constant of bounded records, for any iterates, and one that is so where all is bounded ' +
    'for bounded ones; one is linear exactly when it has a linear form',
  power: 'certain for each of five capabilities',
  check(subject) {
    const { plugin, params } = subject;
    const { capabilities: has } = plugin;
    const records = { columns, featureNorm: 1, featureBounds: [1, 1, 1], labelBound: 1 };
    const free = plugin.facts(params, records);
    const facts = plugin.facts(params, { ...records, iterateNorm: 1 });
    const dimension = dimensionOf(subject);
    // A fact about coordinates is one list, or a fact for each of them.
    const isStated = (stated: typeof facts, name: string): boolean =>
      stated[name] !== undefined ||
      Array.from({ length: dimension }, (_, j) => coordinateFact(stated, name, j)).every(
        (fact) => fact !== undefined,
      );
    const wanted = [
      [has.lipschitz, 'lipschitz', ['lipschitz']],
      [has.smooth, 'smooth', ['smoothness']],
      [has.coordinateLipschitz, 'coordinateLipschitz', ['coordinateLipschitz']],
      [has.coordinateSmooth, 'coordinateSmooth', ['coordinateSmoothness']],
    ] as const;
    for (const [said, name, names] of wanted) {
      let missing: string | undefined;
      if (said === true) missing = names.find((fact) => !isStated(free, fact));
      else if (said === 'bounded') missing = names.find((fact) => !isStated(facts, fact));
      else missing = undefined;
      const iterates = said === 'bounded' ? ', and iterates with ‖w‖ ≤ 1' : '';
      if (missing !== undefined)
        return fails(1, {
          what:
            `it is said to be ${name}${said === 'bounded' ? ' where all is bounded' : ''}, ` +
            `but states no '${missing}' for records with ‖x‖ ≤ 1, |x_j| ≤ 1, |y| ≤ 1${iterates}`,
          input: records,
        });
    }
    if (has.linear !== undefined && has.linear !== (plugin.linear !== null))
      return fails(1, {
        what:
          `capabilities.linear is ${has.linear}, and it has ` +
          `${plugin.linear === null ? 'no' : 'a'} linear form`,
      });
    return holds(5);
  },
});
