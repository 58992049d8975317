import ledger from '@lethe/algorithms/heavy-tails/claims.json' with { type: 'json' };
import { hardnessChecks } from '../../src/heavy-tails/hardness/checks.js';
import { hardnessSubject } from '../../src/heavy-tails/hardness/subject.js';
import { testRows } from '../rows.js';
import { hardnessMutants } from './mutants-hardness.js';

testRows({
  paper: 'lowy',
  rows: [60, 73],
  checksOf: (replaced) => hardnessChecks({ ...hardnessSubject, ...replaced }),
  shippedBy: { subject: hardnessSubject, ledger },
  mutants: hardnessMutants,
});
