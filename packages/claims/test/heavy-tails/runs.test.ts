import ledger from '@lethe/algorithms/heavy-tails/claims.json' with { type: 'json' };
import { runsChecks } from '../../src/heavy-tails/runs/checks.js';
import { runsSubject } from '../../src/heavy-tails/runs/subject.js';
import { testRows } from '../rows.js';
import { runsMutants } from './mutants-runs.js';

testRows({
  paper: 'lowy',
  rows: [74, 94],
  checksOf: (replaced) => runsChecks({ ...runsSubject, ...replaced }),
  shippedBy: { subject: runsSubject, ledger },
  mutants: runsMutants,
});
