import ledger from '@lethe/algorithms/heavy-tails/claims.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { heavyTailsSubject } from '../../src/index.js';
import { oracleChecks } from '../../src/heavy-tails/means/checks.js';
import { oracleSubject } from '../../src/heavy-tails/means/subject.js';
import { testRows } from '../rows.js';
import { oracleMutants } from './mutants-means.js';

testRows({
  paper: 'lowy',
  rows: [1, 34],
  checksOf: (replaced) => oracleChecks({ ...oracleSubject, ...replaced }),
  shippedBy: { subject: oracleSubject, ledger, around: ['ballMean', 'buildDomain', 'buildProximal'] },
  mutants: oracleMutants,
});

it('what checks of several rows speak of is the same for all', () => {
  for (const [name, value] of Object.entries(oracleSubject))
    expect(heavyTailsSubject[name as keyof typeof heavyTailsSubject], name).toBe(value);
});
