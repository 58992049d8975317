import { optimiserChecks } from '../../src/heavy-tails/optimizers/checks.js';
import { optimiserSubject } from '../../src/heavy-tails/optimizers/subject.js';
import { testRows } from '../rows.js';
import { optimiserMutants } from './mutants-optimizers.js';

testRows({ paper: 'lowy', rows: [35, 59], checksOf: (replaced) => optimiserChecks({ ...optimiserSubject, ...replaced }), mutants: optimiserMutants });
