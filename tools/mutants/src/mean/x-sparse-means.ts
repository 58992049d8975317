import { type CentralMean, type Vector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import {
  basisPursuit,
  gaussianL1Recovery,
  hullProjectionMechanism,
  l1Clip,
  l1ProjectionMechanism,
  l2Clip,
  laplaceProjectionMechanism,
  projectL1Ball,
  projectionMechanism,
  projectSparseHull,
  sparseHullNorm,
  sparseNormBound,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { addTo, planted } from './plant.js';

type Projection = CentralMean<typeof projectionMechanism.params>;
type Recovery = CentralMean<typeof gaussianL1Recovery.params>;
const examples = [{ radius: 1, sparsity: 2 }];
const projecting = (bug: Partial<Omit<Projection, 'kind'>>): Subject<'mean'> =>
  planted({ ...(projectionMechanism as Projection), examples }, bug);
const projectingLaplace = (bug: Partial<Omit<Projection, 'kind'>>): Subject<'mean'> =>
  planted({ ...(laplaceProjectionMechanism as Projection), examples }, bug);
const verified = { mode: 'verified', radius: 1, sparsity: 2, measurements: 2 } as const;
const certified = { ...verified, mode: 'certified', failure: 1e-9 } as const;
const literal = {
  mode: 'literal',
  radius: 1,
  sparsity: 1,
  measurements: 62,
  failure: 0.9,
} as const;
const recovering = (
  example: typeof verified | typeof certified | typeof literal,
  bug: Partial<Omit<Recovery, 'kind'>>,
): Subject<'mean'> => planted({ ...(gaussianL1Recovery as Recovery), examples: [example] }, bug);

/** The same records and noise, with another way to finish. */
const finishing = (
  finish: (noised: Vector, params: { readonly radius: number; readonly sparsity: number }) => Vector,
): Subject<'mean'> =>
  projecting({
    begin: (params, context, random) => ({
      ...projectionMechanism.begin(params, context, random),
      finish: (noised) => finish(noised, params),
    }),
  });

function clipped(vector: Vector, radius: number, clip: typeof l1Clip | typeof l2Clip): Vector {
  const out = vector.slice();
  clip.clipInPlace({ radius }, out);
  return out;
}

export const xProjection1 = defineMutant({
  id: 'mean/replaced-record-counts-once-sensitivity-projected-mean',
  title: 'a replaced record counts once in the sensitivity of a projected mean',
  kind: 'mean',
  source: 'Ghazi et al., Theorem 3.3, with the sensitivity of add-remove',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    projecting({
      sensitivity: (params, context) => {
        const { 'zero-out': one } = projectionMechanism.sensitivity(params, context);
        return { 'replace-one': one, 'zero-out': one };
      },
    }),
});

export const xProjection2 = defineMutant({
  id: 'mean/sparsity-not-root-l1-sensitivity',
  title: 'the sparsity, not its root, in the ℓ1 sensitivity',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 1',
  killedBy: ['mean/sensitivity-attained'],
  within: 20_000,
  plant: () =>
    projectingLaplace({
      sensitivity: ({ radius, sparsity }, { dimension, slots }) => {
        const one = (radius * Math.min(sparsity, dimension)) / slots;
        return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
      },
    }),
});

export const xProjection3 = defineMutant({
  id: 'mean/records-trusted-sparse-l1-norm-not-bounded',
  title: 'records are trusted to be sparse: their ℓ1 norm is not bounded',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 1, on records that are not sparse',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    projectingLaplace({
      begin(params, context, random) {
        const run = laplaceProjectionMechanism.begin(params, context, random);
        const sum = new Float64Array(context.dimension);
        return {
          ...run,
          add: (_slot, gradient) => addTo(sum, clipped(gradient, params.radius, l2Clip)),
          value: () => sum.map((x) => x / context.slots),
        };
      },
    }),
});

export const xProjection4 = defineMutant({
  id: 'mean/noised-mean-projected-onto-l2-ball-alone',
  title: 'the noised mean is projected onto the ℓ2 ball alone',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 1',
  killedBy: ['mean/nearest-answer'],
  within: 300,
  plant: () => finishing((noised, { radius }) => clipped(noised, radius, l2Clip)),
});

export const xProjection5 = defineMutant({
  id: 'mean/noised-mean-scaled-l1-ball-not-projected',
  title: 'the noised mean is scaled into the ℓ1 ball, not projected',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/nearest-answer'],
  within: 300,
  plant: () =>
    finishing((noised, { radius, sparsity }) =>
      clipped(clipped(noised, radius * Math.sqrt(sparsity), l1Clip), radius, l2Clip),
    ),
});

export const xProjection6 = defineMutant({
  id: 'mean/l1-ball-l2-radius-means-two-entries',
  title: 'the ℓ1 ball has the ℓ2 radius: means of two entries do not fit',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 1, without √s',
  killedBy: ['mean/nearest-answer'],
  within: 300,
  plant: () =>
    projecting({
      begin: (params, context, random) => ({
        ...projectionMechanism.begin(params, context, random),
        finish: projectionMechanism.begin({ ...params, sparsity: 1 }, context, random).finish,
      }),
    }),
});

export const xProjection7 = defineMutant({
  id: 'mean/variance-projected-mean-noise',
  title: 'the variance of a projected mean is that of its noise',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/variance-bound'],
  within: 500,
  plant: () =>
    projecting({
      varianceBound: (params, context, moment, noise) =>
        projectionMechanism.varianceBound(params, context, { ...moment, value: moment.value * 1e-9 }, noise),
    }),
});

const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

/** The recovery with another way to bound records, to scale its matrix, or to solve. */
const recoveryRun =
  (change: {
    readonly kept?: number;
    readonly scale?: (matrix: Float64Array, rows: number) => number;
    readonly solve?: (matrix: Float64Array, target: Vector) => Vector;
    readonly seed?: (first: Vector) => string;
  }): Recovery['begin'] =>
  ({ radius, sparsity, measurements }, { dimension, slots }, random) => {
    const {
      kept = sparsity,
      scale = (columns: Float64Array, rows: number): number => sparseNormBound(columns, rows, sparsity),
      solve,
      seed = () => 'matrix',
    } = change;
    const sum = new Float64Array(dimension);
    let matrix: Float64Array | undefined;
    const draw = (label: string): void => {
      if (matrix !== undefined) return;
      const drawn = random.fork(label).gaussianInto(new Float64Array(measurements * dimension));
      const by = 1 / scale(drawn, measurements);
      matrix = drawn.map((x) => x * by);
    };
    const columns = (): Float64Array => {
      draw(seed(sum));
      return defined(matrix);
    };
    return {
      add(_slot, gradient) {
        if (!gradient.every(Number.isFinite)) return;
        draw(seed(gradient));
        const order = new Set(
          [...gradient.keys()]
            .toSorted((i, j) => Math.abs(gradient[j]) - Math.abs(gradient[i]))
            .slice(0, kept),
        );
        addTo(
          sum,
          clipped(
            gradient.map((x, j) => (order.has(j) ? x : 0)),
            radius,
            l2Clip,
          ),
        );
      },
      value: () =>
        Float64Array.from({ length: measurements }, (_, i) =>
          sum.reduce((total, x, j) => total + (columns()[j * measurements + i] * x) / slots, 0),
        ),
      finish(noised) {
        const answer =
          solve?.(columns(), noised) ??
          basisPursuit({
            matrix: {
              data: columns(),
              rows: measurements,
              columns: dimension,
              offset: 0,
              rowStride: 1,
              columnStride: measurements,
            },
            target: noised,
          }).point;
        return norm(answer) <= 2 * radius ? answer : new Float64Array(dimension);
      },
    };
  };

/** `Aᵀ (A Aᵀ)⁻¹ b` for two rows. */
function leastSquares(matrix: Float64Array, [first, second]: ArrayLike<number> & Iterable<number>): Vector {
  let [aa, ab, bb] = [0, 0, 0];
  for (let at = 0; at < matrix.length; at += 2) {
    aa += matrix[at] ** 2;
    ab += matrix[at] * matrix[at + 1];
    bb += matrix[at + 1] ** 2;
  }
  const determinant = aa * bb - ab * ab;
  const [x, y] = [(bb * first - ab * second) / determinant, (aa * second - ab * first) / determinant];
  return Float64Array.from(
    { length: matrix.length / 2 },
    (_, j) => matrix[2 * j] * x + matrix[2 * j + 1] * y,
  );
}

/** The printed projection with another way to finish. */
const finishingPrinted = (
  finish: (noised: Vector, params: { readonly radius: number; readonly sparsity: number }) => Vector,
): Subject<'mean'> =>
  planted(
    { ...(l1ProjectionMechanism as Projection), examples },
    {
      begin: (params, context, random) => ({
        ...l1ProjectionMechanism.begin(params, context, random),
        finish: (noised) => finish(noised, params),
      }),
    },
  );

/** The projection onto the hull with another set. */
export const hullOfMoreEntries = defineMutant({
  id: 'mean/hull-projection-hull-of-one-more-entry',
  title: 'the noised mean is projected onto the hull of vectors of one more entry',
  kind: 'mean',
  source: 'Ghazi et al., Section 3.1',
  killedBy: ['mean/nearest-answer'],
  within: 300,
  plant: () =>
    planted(
      { ...(hullProjectionMechanism as Projection), examples: [{ radius: 1, sparsity: 1 }] },
      {
        begin: (params, context, random) => ({
          ...hullProjectionMechanism.begin(params, context, random),
          finish: (noised) => projectSparseHull(noised, { ...params, sparsity: params.sparsity + 1 }),
        }),
      },
    ),
});

export const hullRecordsUnbounded = defineMutant({
  id: 'mean/hull-projection-scales-records-by-a-root',
  title: 'records are scaled into the hull by the root of the factor',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/nearest-answer', 'mean/sensitivity'],
  within: 500,
  plant: () =>
    planted(
      { ...(hullProjectionMechanism as Projection), examples: [{ radius: 1, sparsity: 1 }] },
      {
        begin(params, context, random) {
          const sum = new Float64Array(context.dimension);
          return {
            ...hullProjectionMechanism.begin(params, context, random),
            add(_slot, gradient) {
              if (!gradient.every(Number.isFinite)) return;
              const size = sparseHullNorm(gradient, params.sparsity) || 1;
              const by = Math.min(1, Math.sqrt(params.radius / size));
              addTo(
                sum,
                gradient.map((x) => x * by),
              );
            },
            value: () => sum.map((x) => x / context.slots),
          };
        },
      },
    ),
});

export const printedSmallBall = defineMutant({
  id: 'mean/l1-projection-ball-without-root-of-sparsity',
  title: 'the printed projection goes onto an ℓ1 ball of the radius, without √sparsity: means do not fit',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 1, without √s',
  killedBy: ['mean/projected-answer'],
  within: 300,
  plant: () => finishingPrinted((noised, { radius }) => projectL1Ball(noised, radius).point),
});

export const printedScaled = defineMutant({
  id: 'mean/l1-projection-scales-noised-mean',
  title: 'the printed projection scales the noised mean into the ℓ1 ball',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/projected-answer'],
  within: 300,
  plant: () =>
    finishingPrinted((noised, { radius, sparsity }) => clipped(noised, radius * Math.sqrt(sparsity), l1Clip)),
});

export const printedRecordsUnbounded = defineMutant({
  id: 'mean/l1-projection-records-in-l1-ball-alone',
  title: 'records of the printed projection are held to the ℓ1 ball alone, as Remark 2.1 says',
  kind: 'mean',
  source: 'Ghazi et al., Remark 2.1 with Gaussian noise',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    planted(
      { ...(l1ProjectionMechanism as Projection), examples },
      {
        begin(params, context, random) {
          const run = l1ProjectionMechanism.begin(params, context, random);
          const sum = new Float64Array(context.dimension);
          const l1Radius = params.radius * Math.sqrt(Math.min(params.sparsity, context.dimension));
          return {
            ...run,
            add: (_slot, gradient) => addTo(sum, clipped(gradient, l1Radius, l1Clip)),
            value: () => sum.map((x) => x / context.slots),
          };
        },
      },
    ),
});

export const literalForDifferences = defineMutant({
  id: 'mean/literal-norm-once-for-a-replacement',
  title: 'the printed 3/2 is taken for the whole of a replacement, and not for each of two records',
  kind: 'mean',
  source: 'Ghazi et al., Theorem 3.4, with 3L/(2n)',
  killedBy: ['mean/sensitivity'],
  within: 3_000,
  plant: () =>
    recovering(literal, {
      sensitivity(params, context) {
        const { 'zero-out': one } = gaussianL1Recovery.sensitivity(params, context);
        return { 'replace-one': one, 'zero-out': one };
      },
    }),
});

export const xRecovery1 = defineMutant({
  id: 'mean/records-trusted-sparse-matrix-bounded-fewer-entries',
  title: 'records are trusted to be sparse: the matrix is bounded on fewer entries than they have',
  kind: 'mean',
  source: 'Ghazi et al., Algorithm 2, on records that are not sparse',
  killedBy: ['mean/sensitivity'],
  within: 3_000,
  plant: () => recovering(verified, { begin: recoveryRun({ kept: Infinity }) }),
});

export const xRecovery2 = defineMutant({
  id: 'mean/matrix-divided-longest-column-right-one-entry',
  title: 'the matrix is divided by its longest column: right for one entry, not for two',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 5_000,
  plant: () =>
    recovering(verified, {
      begin: recoveryRun({ scale: (matrix, rows) => sparseNormBound(matrix, rows, 1) }),
    }),
});

export const xRecovery3 = defineMutant({
  id: 'mean/published-3-2-norm-matrix-few-measurements',
  title: 'the published 3/2 for the norm of the matrix, with few measurements',
  kind: 'mean',
  source: 'Ghazi et al., Theorem 3.4 at the batch sizes of Algorithm 3',
  killedBy: ['mean/sensitivity'],
  within: 3_000,
  plant: () =>
    recovering(certified, {
      sensitivity(params, context) {
        // Refuses as many measurements as dimensions.
        (gaussianL1Recovery as Recovery).sensitivity(params, context);
        const one = (1.5 * params.radius) / context.slots;
        return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
      },
    }),
});

export const xRecovery4 = defineMutant({
  id: 'mean/shortest-vector-l2-instead-l1',
  title: 'the shortest vector in ℓ2 instead of ℓ1',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/least-norm-answer'],
  within: 100,
  plant: () => recovering(verified, { begin: recoveryRun({ solve: leastSquares }) }),
});

export const xRecovery5 = defineMutant({
  id: 'mean/matrix-depends-first-record',
  title: 'the matrix depends on the first record',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/post-processing', 'mean/sensitivity'],
  within: 500,
  plant: () =>
    recovering(verified, { begin: recoveryRun({ seed: (first) => `matrix ${norm(first) > 0.5}` }) }),
});

export const entriesNotCut = defineMutant({
  id: 'mean/sparse-records-keep-all-entries',
  title: 'records given by their entries are scaled, and not cut to their largest entries',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sparse-records'],
  within: 100,
  plant: () =>
    recovering(verified, {
      begin(params, shape, random) {
        const run = gaussianL1Recovery.begin(params, shape, random);
        return {
          ...run,
          addSparse(slot, indices, values) {
            const record = new Float64Array(shape.dimension);
            const entries = clipped(values, params.radius, l2Clip);
            indices.forEach((j, k) => {
              record[j] = entries[k];
            });
            for (const j of indices) {
              const one = new Float64Array(shape.dimension);
              one[j] = record[j];
              run.add(slot, one);
            }
          },
        };
      },
    }),
});

export const oneNormForBoth = defineMutant({
  id: 'mean/linear-projection-reads-one-norm',
  title: 'the factor of a projected mean reads the ℓ2 norm alone, and the ℓ1 ball is left',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/fast-path'],
  within: 60,
  plant: () =>
    projecting({
      linear(params, shape) {
        const linear = defined(defined(projectionMechanism.linear)(params, shape));
        return { ...linear, factor: (l2) => Math.min(1, params.radius / l2) };
      },
    }),
});

export const noiseLeftUnprojected = defineMutant({
  id: 'mean/linear-projection-halves-mean',
  title: 'the linear form of a projected mean halves what is noised, and does not undo it',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/fast-path'],
  within: 60,
  plant: () =>
    projecting({
      linear(params, shape) {
        const linear = defined(defined(projectionMechanism.linear)(params, shape));
        return {
          ...linear,
          transform: () => ({ value: (mean) => mean.map((x) => x / 2), finish: (noised) => noised }),
        };
      },
    }),
});

type AddSparse = NonNullable<ReturnType<Recovery['begin']>['addSparse']>;
/** Records by their entries, taken in another way; `now` takes them as they should be. */
const taking = (take: (now: AddSparse, ...record: Parameters<AddSparse>) => void): Subject<'mean'> =>
  recovering(verified, {
    begin(params, shape, random) {
      const run = gaussianL1Recovery.begin(params, shape, random);
      const now = defined(run.addSparse).bind(run);
      return { ...run, addSparse: (slot, indices, values) => take(now, slot, indices, values) };
    },
  });

export const xSparseNotFinite = defineMutant({
  id: 'mean/sparse-record-that-is-not-finite-counts-by-its-finite-entries',
  title: 'of a sparse record that is not finite the finite entries count',
  kind: 'mean',
  source: 'a trial by a newcomer',
  killedBy: ['mean/sparse-records'],
  within: 100,
  plant: () =>
    taking((now, slot, indices, values) =>
      now(
        slot,
        indices,
        values.map((x) => (Number.isFinite(x) ? x : 0)),
      ),
    ),
});

export const xSparseZeros = defineMutant({
  id: 'mean/sparse-record-with-a-stored-zero-is-dropped',
  title: 'a sparse record that has a zero among its entries is dropped',
  kind: 'mean',
  source: 'a trial by a newcomer',
  killedBy: ['mean/sparse-records'],
  within: 100,
  plant: () =>
    taking((now, slot, indices, values) => {
      if (!values.includes(0)) now(slot, indices, values);
    }),
});

export const xSparseKept = defineMutant({
  id: 'mean/sparse-record-is-kept-as-it-was-lent',
  title: 'the entries of a sparse record are kept as they were lent, and summed with the next record',
  kind: 'mean',
  source: 'a trial by a newcomer: the last record counts for all',
  killedBy: ['mean/sparse-records'],
  within: 100,
  plant: () =>
    recovering(verified, {
      begin(params, shape, random) {
        const run = gaussianL1Recovery.begin(params, shape, random);
        const kept: Parameters<AddSparse>[] = [];
        return {
          ...run,
          addSparse: (...record) => {
            kept.push(record);
          },
          value: () => {
            for (const record of kept.splice(0)) defined(run.addSparse).apply(run, record);
            return run.value();
          },
        };
      },
    }),
});
