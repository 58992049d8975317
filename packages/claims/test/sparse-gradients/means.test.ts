import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import { meansChecks } from '../../src/sparse-gradients/means/checks.js';
import { meansSubject as shipped } from '../../src/sparse-gradients/means/subject.js';
import { testRows } from '../rows.js';
import { meansMutants } from './mutants-means.js';

testRows({
  paper: 'ghazi',
  rows: [1, 128],
  // Rows of the other files of this paper.
  repeated: [
    ...Array.from({ length: 67 }, (_, k) => 32 + k),
    ...Array.from({ length: 21 }, (_, k) => 104 + k),
    126,
  ],
  checksOf: (replaced) => meansChecks({ ...shipped, ...replaced }),
  shippedBy: { subject: shipped, ledger, around: ['l2Clip', 'linear'] },
  mutants: meansMutants,
});
