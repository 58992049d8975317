import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateLowerBound } from './template-lower-bound.js';

describePluginLaws({ describe, it }, () => templateLowerBound);
