import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateSampler } from './template-sampler.js';

describePluginLaws({ describe, it }, () => templateSampler);
