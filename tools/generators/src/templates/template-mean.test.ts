import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';
import { templateMean } from './template-mean.js';

describePluginLaws({ describe, it }, () => templateMean, { registry: mechanisms });
