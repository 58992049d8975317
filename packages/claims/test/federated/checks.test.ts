import { checks } from '../../src/federated/index.js';
import { federatedSubject } from '../../src/federated/subject.js';
import { testRows } from '../rows.js';

testRows({
  paper: 'federated',
  rows: [1, 1],
  checksOf: (replaced) => checks({ ...federatedSubject, ...replaced }),
  mutants: [
    {
      id: 'federated-1',
      title: 'the bound stays where it is',
      row: 1,
      subject: { bound: () => 1 },
      killedBy: 'federated/halves',
    },
  ],
});
