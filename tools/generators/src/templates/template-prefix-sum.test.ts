import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templatePrefixSum } from './template-prefix-sum.js';

describePluginLaws({ describe, it }, () => templatePrefixSum);
