import type { FusedSum, Vector } from '@lethe/core';
import {
  coordinateSpace,
  createArena,
  rowNorms,
  to32Bits,
  type CsrMatrix,
  type FusedCoordinates,
  type MatrixView,
} from '@lethe/numerics';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf } from '../curator/outcomes.js';
import {
  acceptedLabels,
  dimensionOf,
  fusedOf,
  gradientAt,
  labelEntries,
  norm,
  recordAt,
  withoutLabels,
} from './points.js';

/** Every width of a block or of its rest, and some beyond. */
const widths = [...Array.from({ length: 34 }, (_, i) => i + 1), 63, 64, 65, 100, 127, 128, 129, 257, 1030];
/** Entries of a point beyond which a width is left out. */
const mostEntries = 5000;
const rows = 5;
const mostColumns = Math.max(...widths);

/** Records of so many columns, of which a third of the entries and one record are zero; and points. */
interface Drawn {
  readonly columns: number;
  readonly X: MatrixView;
  /** The same in 32 bits, in memory of the kernels. */
  readonly single: MatrixView;
  readonly sparse: CsrMatrix;
  readonly labels: readonly number[];
  readonly points: readonly Vector[];
}

function drawn(subject: Subject<'loss'>, env: LawEnv, columns: number): Drawn {
  const random = env.random(`width ${columns}`);
  const data = random.gaussianInto(new Float64Array(rows * columns));
  for (let i = 0; i < data.length; i++)
    if (i % 3 === 1 || Math.floor(i / columns) === 2) data[i] = 0;
    // Numbers of 32 bits: rows of either precision have the same sums.
    else data[i] = to32Bits(data[i] / Math.sqrt(columns));
  const rowStarts = new Uint32Array(rows + 1);
  const indices: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) if (data[i * columns + j] !== 0) indices.push(j);
    rowStarts[i + 1] = indices.length;
  }
  const known = acceptedLabels(subject, 10);
  const dimension = dimensionOf(subject, columns);
  return {
    columns,
    X: { data, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    single: inSingles(data, columns),
    sparse: {
      rows,
      columns,
      rowStarts,
      columnIndices: Uint32Array.from(indices),
      values: data.filter((x) => x !== 0),
    },
    labels: Array.from({ length: rows }, (_, i) => known[i % known.length]),
    points: Array.from({ length: 4 }, () => random.gaussianInto(new Float64Array(dimension))),
  };
}

let memory: Float32Array | undefined;

/** Rows in memory of the kernels, until the next ones. */
function inSingles(values: Float64Array, columns: number): MatrixView {
  memory ??= createArena({ doubles: rows * mostColumns, shared: false }).allocateSingles(rows * mostColumns);
  memory.set(values);
  return { data: memory, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
}

/** Gradients of the records at a point, one after another. */
const gradientsAt = (
  subject: Subject<'loss'>,
  { X, columns, labels }: Drawn,
  at: Vector,
): readonly Vector[] =>
  labels.map((label, i) =>
    gradientAt(
      subject,
      at,
      recordAt(subject, { x: [...X.data.subarray(i * columns, (i + 1) * columns)], label }),
    ),
  );

/** The sum of vectors, each held to a norm. */
function clippedSum(vectors: readonly Vector[], radius: number): Vector {
  const sum = new Float64Array(vectors[0].length);
  for (const vector of vectors) {
    const by = Math.min(1, radius / norm(vector));
    // A vector of zeros has no direction.
    if (by > 0) for (let j = 0; j < sum.length; j++) sum[j] += by * vector[j];
  }
  return sum;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];

/** A violation unless two sums agree up to the rounding of margins. */
function differing(what: string, found: Vector, expected: Vector, size: number): Violation | undefined {
  const off = norm(found.map((entry, j) => entry - expected[j]));
  const worst = found.findIndex((entry, j) => !(Math.abs(entry - expected[j]) <= 1e-9 * size));
  return off <= 1e-9 * size
    ? undefined
    : { what: `${what} is ${found[worst]} in entry ${worst}; record by record it is ${expected[worst]}` };
}

/** Sums of gradients at one point, and of weighted ones at two, three and four. */
function sums(subject: Subject<'loss'>, kernel: FusedSum, given: Drawn): Violation | undefined {
  const { columns, X, single, sparse, labels, points } = given;
  const entries = Float64Array.from(labels.flatMap((label) => labelEntries(subject, label)));
  const gradients = points.map((at) => gradientsAt(subject, given, at));
  const norms = rowNorms(X, new Float64Array(rows));
  const weights = [1, -0.5, 2, -3];
  for (const count of kernel.clippedTerms === undefined ? [1] : [1, 2, 3, 4]) {
    const each = gradients[0].map((_, i) =>
      gradients[0][i].map((_entry, j) =>
        gradients.slice(0, count).reduce((sum, at, k) => sum + weights[k] * at[i][j], 0),
      ),
    );
    const sizes = each.map(norm);
    // Half of the records are clipped.
    const radius = median(sizes) || 1;
    const expected = clippedSum(each, radius).map((entry) => entry + 1);
    for (const [form, matrix] of [
      ['dense', X],
      ['dense 32-bit', single],
      ['sparse', sparse],
    ] as const) {
      const out = new Float64Array(expected.length).fill(1);
      const job = { X: matrix, labels: entries, norms, rows: { from: 0, to: rows }, radius, out };
      if (count === 1) kernel.clippedSum({ ...job, w: points[0].slice() });
      else
        kernel.clippedTerms?.({
          ...job,
          terms: weights.slice(0, count).map((weight, k) => ({ weight, at: points[k].slice() })),
        });
      const size = 1 + norm(expected) + sizes.reduce((sum, one) => sum + Math.min(one, radius), 0);
      const what = `of ${rows} ${form} records of ${columns} columns the fused sum at ${count} points`;
      const found = differing(what, out, expected, size);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Sums along some coordinates, at one point after another with the margins that the kernel keeps. */
function alongCoordinates(
  subject: Subject<'loss'>,
  kernel: FusedCoordinates,
  given: Drawn,
): Violation | undefined {
  const { columns, X, labels, points } = given;
  const space = coordinateSpace(X, rowNorms(X, new Float64Array(rows)), { coarse: kernel.coarse });
  const targets = space.columns.beside();
  if (!kernel.targetsInto(targets, Float64Array.from(labels), null)) return undefined;
  for (const [k, at] of points.entries()) {
    const chosen = Uint32Array.from({ length: Math.min(columns, 4 - k) }, (_, i) => columns - 1 - i);
    const each = gradientsAt(subject, given, at).map((gradient) =>
      Float64Array.from(chosen, (j) => gradient[j]),
    );
    const sizes = each.map(norm);
    const radius = median(sizes) || 1;
    const found = kernel.gradient(space, {
      rows: { from: 0, to: rows },
      w: at.slice(),
      coordinates: chosen,
      targets,
      radius,
    });
    const what = `of ${rows} records of ${columns} columns the sum along ${chosen.length} coordinates`;
    const wrong = differing(what, found, clippedSum(each, radius), 1 + sizes.reduce((a, b) => a + b, 0));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Fused sums are the plain ones at every width of a record. */
export const fusedWidths = defineLaw<'loss'>({
  id: 'loss/fused-widths',
  kind: 'loss',
  tier: 'exact',
  elsewhere: 2,
  statement:
    'fused sums, of one point and of up to four, and along coordinates, are those of gradientInto for any ' +
    'number of columns, in rows of 64 and of 32 bits, with records of zeros and records that are clipped ' +
    'among them',
  power:
    'an entry off by one part in 10⁷ at any of 1 to 34 columns, or near 64, 100, 128, 257 or 1 030, while ' +
    `a point has at most ${mostEntries} entries`,
  exempt: (subject) =>
    withoutLabels(subject) ?? (fusedOf(subject) === undefined ? 'it brings no fused sum' : undefined),
  check(subject, env) {
    const kernel = fusedOf(subject);
    if (kernel === undefined) return holds(0);
    let tried = 0;
    for (const columns of widths) {
      const dimension = outcomeOf(() => dimensionOf(subject, columns));
      if ('refused' in dimension || dimension.value > mostEntries) continue;
      tried++;
      const given = drawn(subject, env, columns);
      const found =
        sums(subject, kernel, given) ??
        (kernel.coordinates === undefined || subject.plugin.linear === null
          ? undefined
          : alongCoordinates(subject, kernel.coordinates, given));
      if (found !== undefined) return fails(tried, found);
    }
    return holds(tried);
  },
});
