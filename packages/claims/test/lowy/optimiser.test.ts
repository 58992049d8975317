import { optimiserChecks } from '../../src/lowy/optimiser-checks.js';
import { optimiserSubject } from '../../src/lowy/optimiser-subject.js';
import { testRows } from '../rows.js';
import { optimiserMutants } from './mutants-optimiser.js';

testRows({ paper: 'lowy', rows: [35, 59], checksOf: (replaced) => optimiserChecks({ ...optimiserSubject, ...replaced }), mutants: optimiserMutants });
