import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateAccountant } from './template-accountant.js';

describePluginLaws({ describe, it }, () => templateAccountant);
