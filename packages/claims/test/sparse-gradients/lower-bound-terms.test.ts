import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import { lowerBoundTermChecks } from '../../src/sparse-gradients/lower-bound-terms.js';
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
): Mutant<SparseGradientsSubject> => ({ id: `ghazi-${row}`, title, row, subject, killedBy });
const fingerprints = shipped.fingerprintingMeanSquare;

testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [88, 98],
  repeated: [89, 90, 91, 92],
  checksOf: (replaced) => lowerBoundTermChecks({ ...shipped, ...replaced }),
  shippedBy: { subject: shipped, ledger },
  mutants: [
    mutant(88, 'several copies tell as little as one', 'ghazi/close-answer', {
      packingMeanBound: {
        ...shipped.packingMeanBound,
        evaluate: (given) => {
          const { probability } = shipped.packingMeanBound.evaluate({ ...given, n: 1 });
          return { ...shipped.packingMeanBound.evaluate(given), probability };
        },
      },
    }),
    mutant(93, 'f − 1 is taken for f', 'ghazi/some-blocks-fail', {
      failureNeeded: (failing, blocks, probability) =>
        shipped.failureNeeded(failing + 1, blocks, probability),
    }),
    mutant(94, 'the factor is 1', 'ghazi/fingerprinting-identity', { scoreFactor: () => 1 }),
    mutant(95, 'm stands for m + 4', 'ghazi/fingerprinting-inequality', {
      fingerprintingMeanSquare: (given) => fingerprints(given) - 4 / (3 * (given.distinct + 2)),
    }),
    mutant(96, 'copies of a row tell as little as one', 'ghazi/fingerprinting-error', {
      fingerprintingMeanSquare: (given) => fingerprints({ ...given, copies: 1 }),
    }),
    mutant(97, 'the error of the mechanism lacks a root', 'ghazi/lower-and-upper', {
      projectionErrorWithin: (given, failure) => shipped.projectionErrorWithin(given, failure) ** 2,
    }),
    mutant(98, 'the last regime has d for √(sd)', 'ghazi/regimes-meet', {
      pureMeanRate: (given) =>
        Math.max(shipped.pureMeanRate(given), Math.min(1, given.dimension / (given.n * given.epsilon))),
    }),
  ],
});
