import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';
import { templateOptimizer } from './template-optimizer.js';

describePluginLaws({ describe, it }, () => templateOptimizer, { registry: [...mechanisms, ...losses] });
