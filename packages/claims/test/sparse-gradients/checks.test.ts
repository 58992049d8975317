import { checks } from '../../src/sparse-gradients/index.js';
import { sparseGradientsSubject } from '../../src/sparse-gradients/subject.js';
import { testRows } from '../rows.js';

testRows({
  paper: 'sparse-gradients',
  rows: [1, 1],
  checksOf: (replaced) => checks({ ...sparseGradientsSubject, ...replaced }),
  mutants: [{
    id: 'sparse-gradients-1', title: 'the bound stays where it is', row: 1, subject: { bound: () => 1 }, killedBy: 'sparse-gradients/halves',
  }],
});
