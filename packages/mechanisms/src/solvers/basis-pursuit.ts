import { exponentOf, type MatrixView } from '@lethe/numerics';
import { InvalidParameter, type Vector } from '@lethe/core';
import { nearBasisPursuit } from './near-basis-pursuit.js';
import { dot, pivotingBasis, type Columns, type PivotingBasis } from './pivoting-basis.js';
import { sifted, type Vertex } from './sifting.js';

/** `min ‖x‖₁` subject to `matrix · x = target`. */
export interface BasisPursuitProblem {
  /**
   * Of full row rank, with at least as many columns as rows;
   * entries are 0 or between 1e-100 and 1e100 in size.
   */
  readonly matrix: MatrixView;
  /** One entry per row. */
  readonly target: Vector;
  /** Gap, relative to `‖x‖₁`, that is good enough; 1e-12 to 1. @defaultValue 1e-9 */
  readonly tolerance?: number;
  /** Most exchanges of a column, after those that find the first basis. @defaultValue 50 × rows + 1000 */
  readonly iterations?: number;
}

/** A point of the right image, and the certificate of how short it is. */
export interface BasisPursuitSolution {
  /** At most as many entries differ from zero as there are rows. */
  readonly point: Vector;
  /**
   * `λ` with `‖matrixᵀ λ‖∞ ≤ 1`: no `x` with `matrix · x = target` has a smaller ℓ1 norm than `⟨target, λ⟩`.
   */
  readonly dual: Vector;
  /** `‖point‖₁ − ⟨target, dual⟩`, at least 0: by how much the norm may exceed the least. */
  readonly gap: number;
  /** `‖matrix · point − target‖∞`, what rounding has left. */
  readonly residual: number;
  /** Exchanges made after the first basis. */
  readonly iterations: number;
  /**
   * Whether gap and residual are within the tolerance. False when iterations ran out or the matrix is too
   * ill-conditioned: the rest is still true.
   */
  readonly met: boolean;
}

/**
 * Basis pursuit by exchange of columns: the primal simplex method on the linear programme, in the form of
 * Barrodale and Roberts, where a coefficient that becomes zero may change its sign and go on as long as the
 * norm falls. Every basis is feasible, whatever its signs, so there is no first phase; the answer is a
 * vertex, exact up to rounding. The first basis is found by a hundred steps of an alternating direction
 * method where there are many rows; O(rows · columns + rows²) each exchange, of which about half as many as
 * rows are usual then. Where columns are many more than rows, few of them are exchanged at a time, and those
 * whose dual constraints are broken most join them: O(rows · columns) for each of some ten rounds.
 *
 * A change of the target by 1e-11 of its size keeps ties from cycling while columns are exchanged; point,
 * dual and gap are those of the target itself.
 *
 * @throws {InvalidParameter} for shapes that do not fit, entries that are not finite or beyond the sizes
 * given, a matrix whose rows are dependent to working precision,
 * and a tolerance or number of iterations out of range.
 * @see Barrodale & Roberts 1973; Chen, Donoho & Saunders 1998.
 */
export function basisPursuit({
  matrix,
  target,
  tolerance = 1e-9,
  iterations: most = 50 * matrix.rows + 1000,
}: BasisPursuitProblem): BasisPursuitSolution {
  const columns = columnsOf(matrix);
  assertProblem(columns, target, tolerance, most);
  const { rows, columns: count } = columns;
  const largest = target.reduce((size, x) => Math.max(size, Math.abs(x)), 0);
  if (largest === 0)
    return {
      point: new Float64Array(count),
      dual: new Float64Array(rows),
      gap: 0,
      residual: 0,
      iterations: 0,
      met: true,
    };
  // In units in which the target is about 1.
  const half = Math.trunc(exponentOf(largest) / 2);
  const rest = exponentOf(largest) - half;
  const unit = 2 ** half * 2 ** rest;
  const scaled = target.map((x) => x * 2 ** -half * 2 ** -rest);
  const among = (chosen: Columns, budget: number): Vertex => vertex(chosen, scaled, tolerance / 4, budget);
  const { iterations, ...found } =
    count > manyColumns * rows
      ? sifted(columns, scaled, { solve: among, slack: tolerance / 4, most })
      : among(columns, most);
  const met = found.gap <= tolerance * norm1(found.point) && found.residual <= tolerance;
  return {
    ...found,
    point: found.point.map((x) => x * unit),
    gap: found.gap * unit,
    residual: found.residual * unit,
    iterations,
    met,
  };
}

/** With more columns for each row, it pays to look at few of them at a time. */
const manyColumns = 60;

/** A vertex at which no dual constraint of these columns is broken by more than `slack`. */
function vertex(columns: Columns, target: Vector, slack: number, most: number): Vertex {
  const basis = firstBasis(columns, target);
  const signs = new Float64Array(columns.rows);
  const iterations = exchange(
    columns,
    basis,
    target.map((x, i) => x + 1e-11 * (1 + ((i * 0.6180339887498949) % 1))),
    signs,
    slack,
    most,
  );
  basis.refresh();
  return { ...certified(columns, basis, target, signs), iterations };
}

const norm1 = (vector: Vector): number => vector.reduce((sum, x) => sum + Math.abs(x), 0);

/** Column after column; the data themselves where they lie so. */
function columnsOf({ data, rows, columns, offset, rowStride, columnStride }: MatrixView): Columns {
  if (!(Number.isSafeInteger(rows) && Number.isSafeInteger(columns) && rows > 0 && columns >= rows)) {
    throw new InvalidParameter(
      `the matrix is ${rows} by ${columns}; give at least one row, and at least as many columns as rows`,
      { rows, columns },
    );
  }
  const last = offset + (rows - 1) * rowStride + (columns - 1) * columnStride;
  if (!(offset >= 0 && last < data.length && rowStride > 0 && columnStride > 0))
    throw new InvalidParameter(
      `a ${rows} by ${columns} matrix with these strides does not fit in ${data.length} numbers`,
      { rows, columns, offset, rowStride, columnStride },
    );
  if (rowStride === 1 && columnStride === rows && data instanceof Float64Array)
    return { data: data.subarray(offset, offset + rows * columns), rows, columns };
  return {
    data: Float64Array.from(
      { length: rows * columns },
      (_, at) => data[offset + (at % rows) * rowStride + Math.floor(at / rows) * columnStride],
    ),
    rows,
    columns,
  };
}

function assertProblem({ data, rows }: Columns, target: Vector, tolerance: number, iterations: number): void {
  const bad = data.findIndex((x) => !(x === 0 || (Math.abs(x) >= 1e-100 && Math.abs(x) <= 1e100)));
  if (bad >= 0)
    throw new InvalidParameter(
      `the matrix has the entry ${data[bad]} in row ${bad % rows}, column ${Math.floor(bad / rows)}; ` +
        'entries must be 0 or from 1e-100 to 1e100 in size',
      { row: bad % rows, column: Math.floor(bad / rows) },
    );
  if (target.length !== rows)
    throw new InvalidParameter(
      `the target has ${target.length} entries and the matrix ${rows} rows; give one entry per row`,
      { length: target.length, rows },
    );
  const off = target.findIndex((x) => !Number.isFinite(x));
  if (off >= 0)
    throw new InvalidParameter(`the target's entry ${off} is ${target[off]}; give finite entries`, {
      index: off,
    });
  if (!(tolerance >= 1e-12 && tolerance <= 1))
    throw new InvalidParameter(`the tolerance is ${tolerance}; it must be from 1e-12 to 1`, { tolerance });
  if (!Number.isSafeInteger(iterations) || iterations < 0)
    throw new InvalidParameter(`${iterations} iterations were allowed; give a whole number of at least 0`, {
      iterations,
    });
}

/** With fewer, exchanges cost less than a good start. */
const fewRows = 24;

/**
 * Columns that are likely to be in the solution come first, then those that agree most with the target; one
 * that is nearly dependent on those before it waits for a second round.
 */
function firstBasis(columns: Columns, target: Vector): PivotingBasis {
  const { data, rows, columns: count } = columns;
  const agreement = Float64Array.from({ length: count }, (_, j) => {
    let square = 0;
    for (let i = j * rows; i < (j + 1) * rows; i++) square += data[i] * data[i];
    return square === 0 ? -1 : Math.abs(dot(columns, j, target)) / Math.sqrt(square);
  });
  const near = rows < fewRows ? agreement : nearBasisPursuit(columns, target, 100).map(Math.abs);
  const order = Array.from({ length: count }, (_, j) => j).toSorted(
    (a, b) => near[b] - near[a] || agreement[b] - agreement[a],
  );
  const basis = pivotingBasis(columns);
  const coefficients = new Float64Array(rows);
  const taken = new Uint8Array(count);
  let missing = rows;
  for (const least of [1e-2, 1e-10]) {
    for (const j of order) {
      if (missing === 0) return basis;
      if (taken[j] === 1 || agreement[j] < 0) continue;
      basis.coefficientsInto(coefficients, j);
      let at = -1;
      let largest = 0;
      for (let i = 0; i < rows; i++) {
        largest = Math.max(largest, Math.abs(coefficients[i]));
        if (basis.members[i] < 0 && (at < 0 || Math.abs(coefficients[i]) > Math.abs(coefficients[at])))
          at = i;
      }
      if (!(Math.abs(coefficients[at]) > least * largest)) continue;
      basis.replace(at, j, coefficients);
      taken[j] = 1;
      missing--;
    }
  }
  if (missing === 0) return basis;
  throw new InvalidParameter(
    `the matrix has rank ${rows - missing} to working precision and ${rows} rows; ` +
      'remove rows that depend on others',
    { rank: rows - missing, rows },
  );
}

/**
 * Exchanges columns until no dual constraint is broken by more than `slack`; writes the signs of the
 * coefficients. Returns how many it exchanged.
 */
function exchange(
  columns: Columns,
  basis: PivotingBasis,
  target: Vector,
  signs: Vector,
  slack: number,
  most: number,
): number {
  const { rows } = columns;
  const x = basis.solveInto(new Float64Array(rows), target);
  const dual = new Float64Array(rows);
  const direction = new Float64Array(rows);
  const setSigns = (): void => {
    for (let i = 0; i < rows; i++) signs[i] = x[i] < 0 ? -1 : 1;
  };
  setSigns();
  const refreshed = Math.max(128, rows);
  for (let count = 0; count < most; count++) {
    const { column, cost } = steepest(columns, basis.solveTransposedInto(dual, signs));
    if (Math.abs(cost) <= 1 + slack) return count;
    basis.coefficientsInto(direction, column);
    const sign = Math.sign(cost);
    const { leaving, step } = lineSearch(x, signs, direction, sign, 1 - Math.abs(cost));
    if (leaving < 0) return count;
    for (let i = 0; i < rows; i++) x[i] -= step * sign * direction[i];
    basis.replace(leaving, column, direction);
    x[leaving] = step * sign;
    signs[leaving] = sign;
    if (count % refreshed === refreshed - 1 && basis.refresh()) {
      basis.solveInto(x, target);
      setSigns();
    }
  }
  return most;
}

/** The column whose dual constraint is broken most. */
function steepest(columns: Columns, dual: Vector): { readonly column: number; readonly cost: number } {
  let column = 0;
  let cost = 0;
  for (let j = 0; j < columns.columns; j++) {
    const here = dot(columns, j, dual);
    if (Math.abs(here) > Math.abs(cost)) {
      column = j;
      cost = here;
    }
  }
  return { column, cost };
}

/**
 * How far to go along `x − t · sign · direction`: past every coefficient that becomes zero, whose sign turns,
 * as long as the norm still falls. The one at which it stops falling leaves; −1 when no coefficient does, by
 * rounding alone.
 */
function lineSearch(
  x: Vector,
  signs: Vector,
  direction: Vector,
  sign: number,
  fall: number,
): { readonly leaving: number; readonly step: number } {
  const size = direction.reduce((largest, w) => Math.max(largest, Math.abs(w)), 0);
  const met: { readonly at: number; readonly step: number }[] = [];
  for (let i = 0; i < x.length; i++) {
    const towardsZero = sign * direction[i] * signs[i];
    if (towardsZero > 1e-12 * size) met.push({ at: i, step: Math.max(0, (x[i] * signs[i]) / towardsZero) });
  }
  met.sort((a, b) => a.step - b.step);
  let slope = fall;
  for (const { at, step } of met) {
    slope += 2 * Math.abs(direction[at]);
    if (slope >= 0) return { leaving: at, step };
    signs[at] = -signs[at];
  }
  return { leaving: -1, step: 0 };
}

/** The vertex of the basis for the target itself, refined once, with a dual point that is feasible. */
function certified(
  columns: Columns,
  basis: PivotingBasis,
  target: Vector,
  signs: Vector,
): Pick<BasisPursuitSolution, 'point' | 'dual' | 'gap' | 'residual'> {
  const { data, rows, columns: count } = columns;
  const x = basis.solveInto(new Float64Array(rows), target);
  const left = new Float64Array(rows);
  const correction = new Float64Array(rows);
  const residual = (): Vector => {
    left.set(target);
    for (let k = 0; k < rows; k++)
      for (let i = 0, at = basis.members[k] * rows; i < rows; i++) left[i] -= data[at + i] * x[k];
    return left;
  };
  basis.solveInto(correction, residual());
  for (let k = 0; k < rows; k++) x[k] += correction[k];
  const point = new Float64Array(count);
  for (let k = 0; k < rows; k++) point[basis.members[k]] = x[k];
  const dual = basis.solveTransposedInto(new Float64Array(rows), signs);
  const excess = Math.max(1, Math.abs(steepest(columns, dual).cost) * (1 + 2 ** -50 * rows));
  for (let i = 0; i < rows; i++) dual[i] /= excess;
  const bound = target.reduce((sum, b, i) => sum + b * dual[i], 0);
  return {
    point,
    dual,
    gap: Math.max(0, norm1(point) - bound),
    residual: residual().reduce((largest, r) => Math.max(largest, Math.abs(r)), 0),
  };
}
