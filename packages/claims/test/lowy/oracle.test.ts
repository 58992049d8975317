import { expect, it } from 'vitest';
import { lowySubject } from '../../src/index.js';
import { oracleChecks } from '../../src/lowy/oracle-checks.js';
import { oracleSubject } from '../../src/lowy/oracle-subject.js';
import { testRows } from '../rows.js';
import { oracleMutants } from './mutants-oracle.js';

testRows({ paper: 'lowy', rows: [1, 34], checksOf: (replaced) => oracleChecks({ ...oracleSubject, ...replaced }), mutants: oracleMutants });

it('what checks of several rows speak of is the same for all', () => {
  for (const [name, value] of Object.entries(oracleSubject)) expect(lowySubject[name as keyof typeof lowySubject], name).toBe(value);
});
