import type { Bound, GradientTerms, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { dataOf, type Data, type Row } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { meanOf, multiplier, radius } from './probes.js';
import { ball, exactly, type KernelLossName } from './stand-ins/index.js';
import { openFixture, underEach } from './fixture.js';

const dimension = 3;
/**
 * Numbers without small integer relations: no residual of the test data cancels at these, nor in their sum.
 */
const numbers = [
  [1.37, -2.11, 0.53, -0.71, 1.93, 0.41, 0.83, -0.37, -1.61],
  [0.29, 0.17, 1.03, 0.67, -0.43, -1.19, 0.91, 1.27, -0.59],
] as const;
/** The label of a record, a function of the record. */
const labelOf = (row: Row | null): number => (row === null ? 0 : row[0]);
const inner = (a: ArrayLike<number>, b: Row): number => b.reduce((sum, x, j) => sum + x * a[j], 0);

/** A fake loss by its formulas. */
interface Formula {
  /** Weights for each column. */
  readonly outputs: number;
  readonly labelOf: (row: Row | null) => number;
  readonly gradient: (at: Vector, row: Row) => readonly number[];
}
/** A linear model of one output with this slope. */
const margin = (
  slope: (margin: number, label: number) => number,
  label: Formula['labelOf'] = labelOf,
): Formula => ({
  outputs: 1,
  labelOf: label,
  gradient(at, row) {
    const factor = slope(inner(at, row), label(row));
    return row.map((x) => factor * x);
  },
});
const sideOf = (row: Row | null): number => (labelOf(row) < 0 ? -1 : 1);
const classOf = (row: Row | null): number => (row === null || row[0] < 0 ? 0 : 1 + Number(row[1] < 0));

/** Fake losses whose gradients have a formula; each that brings a kernel is among them. */
const formulas: Readonly<Record<'plain' | 'linear' | KernelLossName, Formula>> = {
  plain: margin(() => 1),
  linear: margin(() => 1),
  square: margin((m, label) => m - label),
  logistic: margin((m, label) => -label / (1 + Math.exp(label * m)), sideOf),
  softmax: {
    outputs: 3,
    labelOf: classOf,
    gradient(at, row) {
      const outputs = [0, 1, 2].map((k) => inner(at.subarray(k * row.length), row));
      const top = Math.max(...outputs);
      const parts = outputs.map((each) => Math.exp(each - top));
      const total = parts.reduce((sum, each) => sum + each, 0);
      return parts.flatMap((part, k) => {
        const slope = part / total - Number(k === classOf(row));
        return row.map((x) => slope * x);
      });
    },
  },
};

/**
 * The mean by its definition: weighted gradients of each record
 * added, restricted to coordinates, and clipped once.
 */
function byDefinition(
  loss: keyof typeof formulas,
  rows: Data,
  { terms, coordinates }: GradientTerms,
  normaliser: number,
): readonly number[] {
  const sum: number[] = Array.from({ length: coordinates?.length ?? terms[0].at.length }, () => 0);
  for (const row of rows) {
    if (row === null) continue;
    const parts = terms.map(({ weight, at }) => ({ weight, gradient: formulas[loss].gradient(at, row) }));
    const whole = parts[0].gradient.map((_x, j) =>
      parts.reduce((total, { weight, gradient }) => total + weight * gradient[j], 0),
    );
    const one = coordinates === undefined ? whole : Array.from(coordinates, (j) => whole[j]);
    const length = normOf('l2', one);
    if (length < Infinity)
      one.forEach((x, j) => {
        sum[j] += length > radius ? x * (radius / length) : x;
      });
  }
  return sum.map((x) => x / normaliser);
}

export const meanValue = defineLaw({
  id: 'curator/mean-value',
  kind: 'curator',
  tier: 'search',
  statement:
    'The exact value is the mean by its definition: for every record of the batch the weighted gradients ' +
    'are added, restricted to the requested coordinates and clipped once as a whole; ' +
    'the results are summed and divided by the normaliser.',
  power: "an error above 10^−12 of a record's bound, in 40 data sets for each of 24 queries",
  cells: () =>
    underEach().flatMap(({ adjacency }) =>
      (Object.keys(formulas) as (keyof typeof formulas)[]).map((loss) => ({
        name: `${loss}, ${adjacency}`,
        adjacency,
        values: { loss },
      })),
    ),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const loss = defined(env.cell.values)['loss'] as keyof typeof formulas;
    const formula = formulas[loss];
    const points = numbers.map((each) => Float64Array.from(each.slice(0, formula.outputs * dimension)));
    const queries: readonly { readonly of: GradientTerms; readonly bound: Bound }[] = [
      [{ weight: 1, at: points[0] }],
      [
        { weight: 2, at: points[0] },
        { weight: -1, at: points[1] },
      ],
    ]
      .flatMap((terms) => [{ terms }, { terms, coordinates: Uint32Array.of(2, 0) }])
      .flatMap((of) =>
        (['ball', 'opaque-ball'] as const).map((name): { of: GradientTerms; bound: Bound } => ({
          of,
          bound: { by: 'clip', clip: ball(radius, name) },
        })),
      );
    return env.forAll(
      fc.oneof(dataOf({ dimension, rows: 5, scale: radius, nulls: true })),
      (rows): Violation | undefined => {
        const fixture = openFixture(subject, {
          rows,
          adjacency,
          dimension,
          loss,
          labels: rows.map(formula.labelOf),
        });
        for (const { of, bound } of queries) {
          const answer = exactly(
            fixture.ask<Vector>(meanOf(fixture.allRecords, 'silent', { of, at: points[0], bound })),
          );
          const wanted = byDefinition(loss, rows, of, rows.length);
          const wrong = Array.from(answer).findIndex((x, j) => !(Math.abs(x - wanted[j]) <= tolerance(rows)));
          if (wrong >= 0 || answer.length !== wanted.length)
            return {
              what: `the mean is not that of its definition, in entry ${wrong}`,
              measured: answer[wrong],
              allowed: wanted[wrong],
              input: { rows, terms: of.terms, coordinates: of.coordinates, bound },
            };
        }
        return undefined;
      },
      { runs: 40 },
    );
  },
});

/**
 * Rounding of margins and residuals before a bound of
 * {@link radius}: relative to the largest gradient before clipping.
 */
const tolerance = (rows: Data): number =>
  1e-12 *
  rows.reduce((most, row) => Math.max(most, row === null ? 0 : Math.min(1e6, 1 + normOf('l2', row))), 1);

/** Entries of a gradient: around powers of two, by which loops and kernels are unrolled. */
const widths = [31, 33, 130];
/**
 * Columns of sparse records whose point and answer are long: those are copied, summed, noised and rounded
 * block by block, by code of their own. The last block is not whole.
 */
const longWidth = 4099;
/** Record `i` of five, zero but for its first and last entry and those beside the ends of blocks. */
const longRow = (i: number): readonly number[] => {
  const row = Array.from({ length: longWidth }, () => 0);
  for (const j of [0, 7 + i, 2047, 2048 + i, 4095, 4096, longWidth - 1])
    row[j] = Math.sin(1 + 2 * i + 3 * j) / 2;
  return row;
};
/** Noise so small that it does not hide what is added to an answer, and more than it ever is. */
const faint = 2 ** -30;
const faintest = 1e-8;

export const wideMean = defineLaw({
  id: 'curator/wide-mean',
  kind: 'curator',
  tier: 'exact',
  statement:
    'The exact value is the mean by its definition in every entry, however many there are, and for any of ' +
    'them that are asked for; of dense records, and of sparse ones with long points, asked twice.',
  power:
    "an error above 10^−12 of a record's bound in one of 31, 33, 130 or 4099 entries, and one of 10⁻⁸ that " +
    'does not grow with the answer',
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    let tried = 0;
    for (const { width, loss, sparse } of [
      ...widths.flatMap((each) =>
        (['plain', 'linear'] as const).map((name) => ({ width: each, loss: name, sparse: false })),
      ),
      { width: longWidth, loss: 'square' as const, sparse: true },
    ]) {
      const rows = Array.from({ length: 5 }, (_, i) =>
        sparse
          ? longRow(i)
          : Array.from({ length: width }, (_other, j) => Math.sin(1 + 2 * i + 3 * j) / Math.sqrt(width)),
      );
      const at = Float64Array.from({ length: width }, (_, j) => Math.cos(j));
      const labels = rows.map(labelOf);
      const fixture = openFixture(subject, { rows, adjacency, dimension: width, loss, labels, sparse });
      for (const coordinates of sparse
        ? [undefined, undefined]
        : [undefined, Uint32Array.of(width - 1, 0, width - 2)]) {
        const of = { terms: [{ weight: 1, at }], ...(coordinates === undefined ? {} : { coordinates }) };
        const bound: Bound = { by: 'clip', clip: ball(radius) };
        const wanted = byDefinition(loss, rows, of, rows.length);
        for (const [name, most] of [
          ['silent', tolerance(rows)],
          ['gaussian', faintest],
        ] as const) {
          const target = { noiseMultiplier: name === 'silent' ? multiplier : faint };
          const query = meanOf(fixture.allRecords, name, { of, at, bound, target });
          const told = fixture.ask<Vector>(query);
          const answer = name === 'silent' ? exactly(told) : told;
          tried++;
          const wrong = wanted.findIndex((x, j) => !(Math.abs(answer[j] - x) <= most));
          if (wrong >= 0 || answer.length !== wanted.length)
            return fails(tried, {
              what: `the mean of ${width} entries is not that of its definition, in entry ${wrong}`,
              measured: answer[wrong],
              allowed: wanted[wrong],
              input: { width, loss, coordinates },
            });
        }
      }
    }
    return holds(tried);
  },
});
