import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import { conclusionChecks } from '../../src/sparse-gradients/conclusions.js';
import { packingChecks } from '../../src/sparse-gradients/packings.js';
import {
  sparseGradientsSubject as shipped,
  type SparseGradientsSubject,
} from '../../src/sparse-gradients/subject.js';
import { testRows, type Mutant } from '../rows.js';

const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<SparseGradientsSubject>,
  part = '',
): Mutant<SparseGradientsSubject> => ({ id: `ghazi-${row}${part}`, title, row, subject, killedBy });
const allSupports = (d: number, s: number, from = 0): readonly (readonly number[])[] =>
  s === 0
    ? [[]]
    : Array.from({ length: Math.max(0, d - from) }, (_, i) =>
        allSupports(d, s - 1, from + i + 1).map((rest) => [from + i, ...rest]),
      ).flat();

testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [83, 92],
  repeated: [88],
  checksOf: (replaced) => packingChecks({ ...shipped, ...replaced }),
  shippedBy: { subject: shipped, ledger },
  mutants: [
    mutant(83, 'supports that differ in s/2 places are counted as apart', 'ghazi/close-supports', {
      separationOf: (shape) => {
        const found = shipped.separationOf(shape);
        return { ...found, logRatio: found.logRatio / 4 };
      },
    }),
    mutant(84, 'the promise lacks the root: (d/s − ½)^s', 'ghazi/packing-size', {
      logPackingPromise: (d, s) => 2 * shipped.logPackingPromise(d, s),
    }),
    mutant(85, 'every support is a point', 'ghazi/packing-apart', {
      greedyPacking: (d, s) => allSupports(d, s),
    }),
    mutant(86, 'the error falls with the square of n', 'ghazi/records-of-zeros', {
      pureBlocks: (given) => {
        const found = shipped.pureBlocks(given);
        return { ...found, error: found.error / given.n };
      },
    }),
    mutant(87, 'ln(p/2)/ε is not rounded down', 'ghazi/packing-error', {
      packingMeanBound: {
        ...shipped.packingMeanBound,
        evaluate: (given) => {
          const found = shipped.packingMeanBound.evaluate(given);
          const copies = Math.min(given.n, Math.log(found.terms['points'] / 2) / given.epsilon);
          return { ...found, value: copies / (given.n * Math.sqrt(8)) };
        },
      },
    }),
    mutant(
      87,
      'a packing of two points, between which nothing is proved',
      'ghazi/packing-error-printed',
      { greedyPacking: () => Array.from({ length: 9 }, (_, j) => [j]) },
      '-printed',
    ),
    mutant(89, 'the mean is that of the records of a block', 'ghazi/mean-of-blocks', {
      blockDiagonal: (shape, block) => {
        const found = shipped.blockDiagonal(shape, block);
        return { ...found, mean: found.mean.map((x) => (x * shape.rows) / shape.rowsPerBlock) };
      },
    }),
    mutant(90, 'all blocks have the columns of the first', 'ghazi/records-of-blocks', {
      blockDiagonal: (shape, block) => {
        const found = shipped.blockDiagonal(shape, block);
        if (found.features instanceof Float64Array) return found;
        const columnIndices = found.features.columnIndices.map((j) => j % shape.columnsPerBlock);
        return { ...found, features: { ...found.features, columnIndices } };
      },
    }),
    mutant(91, 'the mean has another sign', 'ghazi/error-of-blocks', {
      blockDiagonal: (shape, block) => {
        const found = shipped.blockDiagonal(shape, block);
        return { ...found, mean: found.mean.map((x) => -x) };
      },
    }),
    mutant(92, 'the exponent is ρ₀K/2', 'ghazi/independent-failures', {
      independentFailures: (trials, each) => -Math.expm1((-each * trials) / 2),
    }),
  ],
});

testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [121, 126],
  repeated: [122, 125],
  checksOf: (replaced) => conclusionChecks({ ...shipped, ...replaced }),
  shippedBy: {
    subject: shipped,
    ledger: { ...ledger, claims: ledger.claims.filter(({ id }) => Number(id.slice(6)) > 100) },
  },
  // What is printed is refuted by numbers alone.
  spared: (id) => id.endsWith('-printed'),
  mutants: [
    mutant(121, 'f − 1 is taken for f', 'ghazi/failing-blocks', {
      failureNeeded: (failing, blocks, probability) =>
        shipped.failureNeeded(failing + 1, blocks, probability),
    }),
    mutant(123, 'the bound lacks √s', 'ghazi/pure-bound', {
      pureBlocks: (given) => {
        const found = shipped.pureBlocks(given);
        return { ...found, error: found.error / Math.sqrt(given.sparsity * 4) };
      },
    }),
    mutant(124, 'the rate is given for every δ', 'ghazi/approximate-bound', {
      approximateMeanRate: (given) => shipped.approximateMeanRate({ ...given, logDeltaPerEntry: 1e9 }),
    }),
    mutant(126, 'ln(1/δ) to the power 3 is forgotten', 'ghazi/tables', {
      rateTables: (setting) =>
        shipped
          .rateTables(setting)
          .map((row) =>
            row.name === 'stationarity-approximate'
              ? { ...row, upper: (n) => row.upper(n) / Math.log(1 / setting.delta) ** 0.25 }
              : row,
          ),
    }),
  ],
});
