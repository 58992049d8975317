import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { describe, it } from 'vitest';
import { templateLowerBound } from './template-lower-bound.js';

describePluginLaws({ describe, it }, () => templateLowerBound, { registry: losses });
