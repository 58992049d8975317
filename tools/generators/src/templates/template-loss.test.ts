import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateLoss } from './template-loss.js';

describePluginLaws({ describe, it }, () => templateLoss);
