import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import { perturbationChecks } from '../../src/sparse-gradients/perturbation.js';
import { netChecks } from '../../src/sparse-gradients/nets.js';
import { netBoundChecks } from '../../src/sparse-gradients/net-bounds.js';
import { strengthChecks } from '../../src/sparse-gradients/strengths.js';
import {
  sparseGradientsSubject as shipped,
  type SparseGradientsSubject,
} from '../../src/sparse-gradients/subject.js';
import { testRows } from '../rows.js';
testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [68, 82],
  checksOf: (r) => [
    ...perturbationChecks({ ...shipped, ...r }),
    ...netChecks({ ...shipped, ...r }),
    ...strengthChecks({ ...shipped, ...r }),
    ...netBoundChecks({ ...shipped, ...r }),
  ],
  shippedBy: { subject: shipped, ledger },
  mutants: [],
});
