import { defined, l2Ball } from '@lethe/numerics';
import fc from 'fast-check';
import type { LabelledRows } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { vectorOf } from '../../arbitraries/vectors.js';
import type { Subject } from '../../law/subject.js';
import {
  acceptedLabels,
  columns,
  dimensionOf,
  labelEntries,
  norm,
  recordAt,
  valueAt,
  withoutLabels,
} from './points.js';

/** A reference optimum is at least as good as declared. */
export const optimum = defineLaw<'loss'>({
  id: 'loss/optimum',
  kind: 'loss',
  tier: 'search',
  statement:
    'the optimum a loss declares is in the domain, has the risk it says, ' +
    'and where its gap is certified no point of the domain is lower by more than the gap',
  power: 'a point lower than that among 20 near the optimum and anywhere in the ball, for 25 sets of records',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.optimum === undefined ? 'it declares no optimum of its own' : undefined),
  check(subject, env) {
    const labels = acceptedLabels(subject, 10);
    const dimension = dimensionOf(subject);
    const record = fc.record(
      {
        x: vectorOf({ dimension: columns, scale: 1 }),
        label: fc.constantFrom(...(labels.length > 0 ? labels : acceptedLabels(subject))),
      },
      { noNullPrototype: true },
    );
    const others = fc.array(fc.tuple(vectorOf({ dimension, scale: 1 }), fc.integer({ min: 0, max: 12 })), {
      minLength: 20,
      maxLength: 20,
    });
    return env.forAll(
      fc.tuple(fc.array(record, { minLength: 1, maxLength: 8 }), others, fc.constantFrom(0.5, 3)),
      ([records, directions, radius]) => {
        const usable = records.filter(({ x }) => norm(x) < 1e3);
        return usable.length === 0 ? undefined : lower(subject, usable, directions, radius);
      },
      { runs: 25 },
    );
  },
});

type Records = readonly { readonly x: readonly number[]; readonly label: number }[];

function lower(
  subject: Subject<'loss'>,
  records: Records,
  directions: readonly (readonly [readonly number[], number])[],
  radius: number,
): Violation | undefined {
  const { plugin, params } = subject;
  const domain = l2Ball({ dimension: dimensionOf(subject), radius });
  const data: LabelledRows = {
    features: Float64Array.from(records.flatMap(({ x }) => x)),
    rows: records.length,
    columns,
    labels: Float64Array.from(records.flatMap(({ label }) => labelEntries(subject, label))),
  };
  const riskAt = (w: ArrayLike<number>): number =>
    records.reduce((sum, record) => sum + valueAt(subject, w, recordAt(subject, record)) / records.length, 0);
  const { point, risk, gap, certified } = defined(plugin.optimum)(params, data, domain, {});
  const input = { records, radius };
  const rounding = 1e-9 * (1 + Math.abs(risk));
  if (!domain.contains(point, 1e-9))
    return { what: `its optimum [${point.join(', ')}] is outside the ball of radius ${radius}`, input };
  if (!(Math.abs(riskAt(point) - risk) <= rounding))
    return {
      what: `it says that the risk of its optimum is ${risk}; it is ${riskAt(point)}`,
      measured: Math.abs(riskAt(point) - risk),
      allowed: rounding,
      input,
    };
  if (certified !== 'gap') return undefined;
  for (const [direction, power] of directions) {
    const other = domain.projectInto(
      new Float64Array(point.length),
      point.map((entry, j) => entry + 2 ** -power * radius * direction[j]),
    );
    const value = riskAt(other);
    if (!(value >= risk - gap - rounding))
      return {
        what:
          `at [${other.join(', ')}] the risk is ${value}; its optimum has ${risk}, ` +
          `at most ${gap} above the least`,
        measured: risk - value,
        allowed: gap,
        input,
      };
  }
  return undefined;
}
