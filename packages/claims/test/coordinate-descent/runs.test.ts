import ledger from '@lethe/algorithms/coordinate-descent/claims.json' with { type: 'json' };
import { runsChecks } from '../../src/coordinate-descent/runs-checks.js';
import { runsSubject } from '../../src/coordinate-descent/runs-subject.js';
import { testRows } from '../rows.js';
import { runsMutants } from './mutants-runs.js';

testRows({
  paper: 'maranjyan',
  rows: [56, 67],
  checksOf: (replaced) => runsChecks({ ...runsSubject, ...replaced }),
  shippedBy: { subject: runsSubject, ledger },
  mutants: runsMutants,
});
