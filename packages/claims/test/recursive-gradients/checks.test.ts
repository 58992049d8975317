import { checks } from '../../src/recursive-gradients/index.js';
import { recursiveGradientsSubject } from '../../src/recursive-gradients/subject.js';
import { testRows } from '../rows.js';

testRows({
  paper: 'recursive-gradients',
  rows: [1, 1],
  checksOf: (replaced) => checks({ ...recursiveGradientsSubject, ...replaced }),
  mutants: [
    {
      id: 'recursive-gradients-1',
      title: 'the bound stays where it is',
      row: 1,
      subject: { bound: () => 1 },
      killedBy: 'recursive-gradients/halves',
    },
  ],
});
