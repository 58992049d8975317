import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';
import { templateMeanOracle } from './template-mean-oracle.js';

describePluginLaws({ describe, it }, () => templateMeanOracle, { registry: mechanisms });
