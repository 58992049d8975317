import type { Adjacency, Norm, RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import {
  differenceOf,
  neighbourExamples,
  neighbours,
  type Difference,
  type Neighbours,
} from '../arbitraries/neighbours.js';
import { onAxis, type Data, type DataShape, type Row } from '../arbitraries/vectors.js';
import { hillClimb, type Move } from './hill-climb.js';
import { distance, normOf } from './norms.js';

/** A query, its neighbours, and the norm for its answers. */
export interface SensitivitySearch extends Omit<DataShape, 'norm'> {
  readonly adjacency: Adjacency;
  /** The value before noise. Must depend on the data alone; null records are `null`. */
  readonly query: (data: Data) => ArrayLike<number>;
  /** Norm for answers. */
  readonly norm: Norm;
  /** Norm that `scale` bounds on records. @defaultValue the norm of the answers */
  readonly recordNorm?: Norm;
  /** Neighbours to try before any search. @defaultValue {@link neighbourExamples} */
  readonly examples?: readonly Neighbours[];
  readonly starts?: number;
  readonly evaluations?: number;
  readonly random: RandomSource;
}

/** The two answers with the largest distance found. */
export interface FoundSensitivity extends Neighbours {
  /** `‖q(here) − q(there)‖`; infinite when an answer is not finite or its length depends on the data. */
  readonly sensitivity: number;
  readonly evaluations: number;
}

/**
 * Searches for neighbours with distant answers: examples first, then hill climbs. The result is a lower bound
 * on the sensitivity. Queries with a threshold from the batch
 * need many records: give at least 5 rows, better 8.
 */
export function sensitivitySearch(search: SensitivitySearch): FoundSensitivity {
  const {
    adjacency,
    query,
    norm,
    recordNorm = norm,
    starts,
    evaluations,
    random,
    rows,
    dimension,
    scale,
  } = search;
  const fewest = search.fewest ?? 1;
  const shape: DataShape = {
    dimension,
    scale,
    rows,
    fewest,
    norm: recordNorm,
    nulls: search.nulls ?? adjacency === 'zero-out',
  };
  const larger = Math.max(1, adjacency === 'add-remove' ? fewest + 1 : fewest);
  const apart = ({ here, there }: Neighbours): number => distance(norm, query(here), query(there));
  const examples = (search.examples ?? neighbourExamples(adjacency, shape)).map((pair) =>
    differenceIn(adjacency, pair),
  );
  const summit = defined(
    hillClimb<Difference>({
      inputs: differenceOf({ ...shape, fewest: larger }),
      examples,
      moves: movesOf(shape, larger),
      random,
      objective: (difference) => apart(neighbours(adjacency, difference)),
      ...(starts === undefined ? {} : { starts }),
      ...(evaluations === undefined ? {} : { evaluations }),
    }),
  );
  return {
    ...neighbours(adjacency, summit.input),
    sensitivity: summit.value,
    evaluations: summit.evaluations,
  };
}

/** The difference of two neighbours, the larger one or the one without the null record first. */
function differenceIn(adjacency: Adjacency, { here, there, at }: Neighbours): Difference {
  const [full, rest] = here.length < there.length || here[at] === null ? [there, here] : [here, there];
  const record = full[at] as Row;
  return {
    common: full.toSpliced(at, 1),
    at,
    record,
    other: adjacency === 'replace-one' ? (rest[at] as Row) : record,
  };
}

type RowMove = (row: Row, random: RandomSource) => Row;

function movesOf(
  { dimension, scale, rows, norm = 'l2' }: DataShape,
  fewest: number,
): readonly Move<Difference>[] {
  /** Far above the scale, and far from overflow in squares of sums. */
  const most = Math.max(1e140, scale * 1e13);
  const clamp = (x: number): number => Math.max(-most, Math.min(most, x)) + 0;
  const gaussian = (random: RandomSource, count: number): Float64Array =>
    random.gaussianInto(new Float64Array(count));
  const rescaled = (row: Row, by: number): Row => row.map((x) => clamp(x * by));
  const scaleBy: RowMove = (row, random) => rescaled(row, 2 ** gaussian(random, 1)[0]);
  /** Steps from 0.3 of the norm down to a hundredth of that: coarse and fine. */
  const perturb: RowMove = (row, random) => {
    const step =
      (0.3 * 2 ** -random.integer(8) * (Math.min(normOf(norm, row), 1e300) || scale)) / Math.sqrt(dimension);
    const by = gaussian(random, dimension);
    return row.map((x, j) => clamp(x + step * by[j]));
  };
  const negate = (row: Row): Row => rescaled(row, -1);
  const toBoundary: RowMove = (row) => {
    const size = normOf(norm, row);
    return size > 0 && size < Infinity ? rescaled(row, scale / size) : row;
  };
  const special: RowMove = (row, random) => {
    const axis = onAxis(dimension, random.integer(dimension), random.integer(2) === 0 ? scale : -scale);
    return rescaled(axis, [0, 1, 1e12, 1e-12][random.integer(4)]);
  };
  const alter =
    (move: RowMove): Move<Difference> =>
    (difference, random) => {
      const which = random.integer(3);
      if (which === 0) return { ...difference, record: move(difference.record, random) };
      if (which === 1) return { ...difference, other: move(difference.other, random) };
      const { common } = difference;
      if (common.length === 0) return null;
      const at = random.integer(common.length);
      const row = common[at];
      return row === null ? null : { ...difference, common: common.with(at, move(row, random)) };
    };
  const alterAll =
    (move: RowMove): Move<Difference> =>
    (difference, random) => {
      const seed = random.fork(random.bits53());
      const change = (row: Row): Row => move(row, seed.fork('same'));
      return {
        ...difference,
        record: change(difference.record),
        other: change(difference.other),
        common: difference.common.map((row) => row && change(row)),
      };
    };
  const swap: Move<Difference> = ({ common, record, ...rest }, random) => {
    if (common.length === 0) return null;
    const at = random.integer(common.length);
    const row = common[at];
    return row === null ? null : { ...rest, record: row, common: common.with(at, record) };
  };
  const duplicate: Move<Difference> = (difference, random) => {
    const { common, record, other } = difference;
    if (common.length === 0) return null;
    const row = [record, other, common[random.integer(common.length)]][random.integer(3)];
    return random.integer(2) === 0
      ? { ...difference, common: common.with(random.integer(common.length), row) }
      : { ...difference, common: common.map(() => row) };
  };
  const opposite: Move<Difference> = (difference) => ({ ...difference, other: negate(difference.record) });
  const grow: Move<Difference> = (difference, random) => {
    const { common, record } = difference;
    return common.length + 1 < rows
      ? {
          ...difference,
          common: [...common, common.length === 0 ? record : common[random.integer(common.length)]],
        }
      : null;
  };
  const drop: Move<Difference> = (difference, random) => {
    const { common, at } = difference;
    if (common.length === 0 || common.length + 1 <= fewest) return null;
    return {
      ...difference,
      common: common.toSpliced(random.integer(common.length), 1),
      at: Math.min(at, common.length - 1),
    };
  };
  return [
    alter(scaleBy),
    alter(scaleBy),
    alter(perturb),
    alter(perturb),
    alter(negate),
    alter(special),
    alter(toBoundary),
    alterAll(scaleBy),
    swap,
    duplicate,
    opposite,
    grow,
    drop,
  ];
}
