import type { FusedSum, Vector } from '@lethe/core';
import {
  arenaOf,
  createArena,
  defined,
  rowNorms,
  sparseInArena,
  to32Bits,
  type CsrMatrix,
  type Matrix,
  type Numbers,
  type Rows,
} from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import {
  accepts,
  acceptedLabels,
  columns,
  dimensionOf,
  fusedOf,
  gradientAt,
  isWithinReach,
  labelEntries,
  norm,
  points,
  recordAt,
  withoutLabels,
  type At,
} from './points.js';

/** Records to be repeated so that there are more than kernels take at once. */
interface Batch {
  readonly records: readonly At[];
  readonly radius: number;
  readonly repeats: number;
  /** Whether features are numbers of 32 bits, in dense rows that are kept so. */
  readonly isSingle: boolean;
}

/** The fused sum is the plain one. */
export const fused = defineLaw<'loss'>({
  id: 'loss/fused',
  kind: 'loss',
  tier: 'search',
  statement:
    'a fused sum is what gradientInto gives record by record, each projected onto the ball, up to ' +
    'rounding: for dense rows of 64 and of 32 bits and sparse rows, in an arena and outside, for ranges ' +
    'and lists with repeats; a kernel of several points takes each record’s weighted sum once; what was ' +
    'there is added to; a record of zeros and one that overflows add exactly nothing',
  power: 'a factor off by one part in 10⁹, or a record left out or taken twice, of up to 2 000 records',
  exempt: (subject) =>
    withoutLabels(subject) ?? (fusedOf(subject) === undefined ? 'it brings no fused sum' : undefined),
  check: (subject, env) =>
    env.forAll(
      fc.record({
        records: fc.array(points(subject), { minLength: 1, maxLength: 6 }),
        radius: fc.constantFrom(1e-3, 0.5, 2, 1e3, Infinity),
        repeats: fc.constantFrom(1, 1, 1, 2, 350),
        isSingle: fc.constantFrom(false, false, true),
      }),
      (batch) => compared(subject, batch),
      { runs: 60 },
    ),
});

const rowsOf = (count: number): readonly Rows[] => [
  { from: 0, to: count },
  { from: Math.floor(count / 2), to: count },
  Uint32Array.from({ length: count }, (_, i) => (i * 7 + (i % 3)) % count),
];

/** What is asked of a kernel: gradients at points, with their weights. */
type Terms = readonly { readonly weight: number; readonly at: readonly number[] }[];

/** One gradient; and where the kernel takes more, a weighted one, and a difference of two. */
const asked = (kernel: FusedSum, w: readonly number[]): readonly Terms[] => [
  [{ weight: 1, at: w }],
  ...(kernel.clippedTerms === undefined
    ? []
    : [
        [{ weight: -2, at: w }],
        [
          { weight: 3, at: w },
          { weight: -2, at: w.map((entry) => entry / 2) },
        ],
      ]),
];

function compared(subject: Subject<'loss'>, batch: Batch): Violation | undefined {
  const kernel = defined(fusedOf(subject));
  const { w } = batch.records[0];
  for (const terms of asked(kernel, w)) {
    const found = comparedAt(subject, batch, terms);
    if (found !== undefined) return found;
  }
  return silentOnes(subject, w, batch.radius);
}

function comparedAt(
  subject: Subject<'loss'>,
  { records: given, radius, repeats, isSingle }: Batch,
  terms: Terms,
): Violation | undefined {
  const kernel = defined(fusedOf(subject));
  const drawn = isSingle ? given.map((record) => ({ ...record, x: record.x.map(to32Bits) })) : given;
  const { w } = drawn[0];
  const own = drawn.filter((record) => isWithinReach(subject, { ...record, w }));
  const silent: At = { ...own[0], x: Array.from({ length: columns }, () => 0) };
  const once = [own[0], silent, ...own];
  const records = Array.from({ length: repeats * once.length }, (_, i) => once[i % once.length]);
  const labels = Float64Array.from(records.flatMap(({ label }) => labelEntries(subject, label)));
  const values = Float64Array.from(records.flatMap(({ x }) => x));
  const clipped = once.map((record) => projected(sumOf(subject, terms, record), radius));
  const sizes = once.map((record, i) => {
    const [{ weight }] = terms;
    const off =
      terms.length === 1 && weight === 1
        ? wobble(subject, w, record, radius)
        : terms.reduce(
            (sum, term) => sum + Math.abs(term.weight) * wobble(subject, term.at, record, Infinity),
            0,
          );
    return norm(clipped[i]) + off;
  });
  for (const [form, X, place] of formsOf(values, {
    rows: records.length,
    labels: labels.length,
    isSingle,
  })) {
    const norms = place(new Float64Array(records.length));
    rowNorms(X, norms);
    const placed = place(labels);
    for (const rows of rowsOf(records.length)) {
      const chosen =
        rows instanceof Uint32Array
          ? [...rows]
          : Array.from({ length: rows.to - rows.from }, (_, i) => rows.from + i);
      const out = new Float64Array(dimensionOf(subject)).fill(1);
      const job = { X, labels: placed, norms, rows, radius, out };
      const taken = terms.map(({ weight, at }) => ({ weight, at: Float64Array.from(at) }));
      if (taken.length === 1 && taken[0].weight === 1) kernel.clippedSum({ ...job, w: taken[0].at });
      else defined(kernel.clippedTerms)({ ...job, terms: taken });
      const expected = new Float64Array(out.length).fill(1);
      let allowed = 2 ** -40;
      for (const row of chosen) {
        clipped[row % once.length].forEach((entry, j) => {
          expected[j] += entry;
        });
        allowed +=
          2 ** -32 * norm(clipped[row % once.length]) +
          sizes[row % once.length] -
          norm(clipped[row % once.length]);
      }
      const off = norm(out.map((entry, j) => entry - expected[j]));
      if (!(off <= allowed))
        return {
          what:
            `of ${chosen.length} ${form} records the fused sum, added to ones, ` +
            `is [${out.join(', ')}]; record by record it is [${expected.join(', ')}]`,
          measured: off,
          allowed,
          input: { terms, radius, records: once },
        };
    }
  }
  return undefined;
}

/** The weighted sum of a record's gradients. */
const sumOf = (subject: Subject<'loss'>, terms: Terms, record: At): Vector =>
  terms
    .map(({ weight, at }) =>
      gradientAt(subject, at, recordAt(subject, record)).map((entry) => weight * entry),
    )
    .reduce((sum, one) => sum.map((entry, j) => entry + one[j]));

/** A record of zeros, and one whose gradient overflows. */
function silentOnes(subject: Subject<'loss'>, w: readonly number[], radius: number): Violation | undefined {
  const label = labelEntries(
    subject,
    [1, 0, -1].find((one) => accepts(subject, one)) ?? acceptedLabels(subject)[0],
  );
  for (const size of [0, 1e300]) {
    const X = {
      data: new Float64Array(columns).fill(size),
      rows: 1,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    };
    const out = new Float64Array(dimensionOf(subject)).fill(3);
    const at =
      size === 0
        ? Float64Array.from(w)
        : new Float64Array(w.length).map((_, j) => (j < columns ? 1e300 : -1e300));
    defined(fusedOf(subject)).clippedSum({
      X,
      labels: Float64Array.from(label),
      norms: rowNorms(X, new Float64Array(1)),
      w: at,
      rows: { from: 0, to: 1 },
      radius,
      out,
    });
    if (out.some((entry) => entry !== 3))
      return {
        what:
          `a record ${size === 0 ? 'of zeros' : 'whose gradient is not finite'} changes the sum from ` +
          `threes to [${out.join(', ')}]`,
        input: { w: [...at], size },
      };
  }
  return undefined;
}

/** Vectors beside a matrix, in its memory or outside. */
type Place = (vector: Float64Array) => Float64Array;

function formsOf(
  values: Float64Array,
  { rows, labels, isSingle }: { readonly rows: number; readonly labels: number; readonly isSingle: boolean },
): readonly (readonly [string, Matrix, Place])[] {
  const dense = { rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
  const arena = createArena({ doubles: values.length + rows + labels + 65_536 });
  const within: Place = (vector) => {
    const placed = arena.allocate(vector.length);
    placed.set(vector);
    return placed;
  };
  const sparse: CsrMatrix = {
    rows,
    columns,
    rowStarts: Uint32Array.from({ length: rows + 1 }, (_, i) => i * columns),
    columnIndices: Uint32Array.from(values, (_, k) => k % columns),
    values,
  };
  const held = sparseInArena(sparse);
  const numbers: Numbers = isSingle ? Float32Array.from(values) : values;
  const inside = isSingle ? arena.allocateSingles(values.length) : arena.allocate(values.length);
  inside.set(numbers);
  const bits = isSingle ? ' of 32 bits' : '';
  return [
    [`dense${bits}`, { ...dense, data: inside }, within],
    [`plain${bits}`, { ...dense, data: numbers }, (vector) => vector],
    ['sparse', sparse, (vector) => vector],
    ['sparse, in an arena,', held, (vector) => placedBeside(held, vector)],
  ];
}

function placedBeside({ values }: CsrMatrix, vector: Float64Array): Float64Array {
  const placed = defined(arenaOf(values)).allocate(vector.length);
  placed.set(vector);
  return placed;
}

function projected(gradient: Vector, radius: number): Vector {
  const size = norm(gradient);
  const by = size <= radius ? 1 : radius / size;
  return gradient.map((entry) => entry * by);
}

/** Effect of the summation order of margins on a clipped gradient. */
function wobble(subject: Subject<'loss'>, w: readonly number[], record: At, radius: number): number {
  const at = (by: number): Vector =>
    projected(
      gradientAt(
        subject,
        w.map((entry) => entry * by),
        recordAt(subject, record),
      ),
      radius,
    );
  const here = at(1);
  return (
    2 *
      Math.max(...[1 + 2 ** -40, 1 - 2 ** -40].map((by) => norm(at(by).map((entry, j) => entry - here[j])))) +
    2 ** -44 * norm(w) * norm(record.x) ** 2 +
    2 ** -40 * norm(record.x)
  );
}
