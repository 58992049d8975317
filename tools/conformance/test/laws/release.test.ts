import { describeLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { sparseVectorRelease } from '../../../mutants/src/reference/sparse-vector.ts';

describeLaws({ describe, it }, sparseVectorRelease('above threshold, one answer', { epsilon: 1, cutOff: 1 }, {}, { below: 8 }));
describeLaws({ describe, it }, sparseVectorRelease('above threshold, four answers', { epsilon: 2, cutOff: 4, split: 2 }));
describeLaws({ describe, it }, sparseVectorRelease('above threshold, counts', { epsilon: 2, cutOff: 2, monotone: true, split: 1 }));
