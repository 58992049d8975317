import ledger from '@lethe/algorithms/heavy-tails/claims.json' with { type: 'json' };
import { optimizerChecks } from '../../src/heavy-tails/optimizers/checks.js';
import { optimizerSubject } from '../../src/heavy-tails/optimizers/subject.js';
import { testRows } from '../rows.js';
import { optimizerMutants } from './mutants-optimizers.js';

testRows({
  paper: 'lowy',
  rows: [35, 59],
  checksOf: (replaced) => optimizerChecks({ ...optimizerSubject, ...replaced }),
  shippedBy: { subject: optimizerSubject, ledger },
  mutants: optimizerMutants,
});
