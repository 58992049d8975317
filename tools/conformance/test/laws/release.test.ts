import { describeLaws } from '@lethe/laws/vitest';
import { lawRunner, optionsFor } from './suite.js';
import { sparseVectorRelease } from '../../../mutants/src/reference/sparse-vector.js';

const runner = lawRunner();
const options = optionsFor('release');

describeLaws(
  runner,
  sparseVectorRelease('above threshold, one answer', { epsilon: 1, cutOff: 1 }, {}, { below: 8 }),
  options,
);
describeLaws(
  runner,
  sparseVectorRelease('above threshold, four answers', { epsilon: 2, cutOff: 4, split: 2 }),
  options,
);
describeLaws(
  runner,
  sparseVectorRelease('above threshold, counts', { epsilon: 2, cutOff: 2, monotone: true, split: 1 }),
  options,
);
