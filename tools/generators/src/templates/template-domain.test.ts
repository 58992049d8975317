import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateDomain } from './template-domain.js';

describePluginLaws({ describe, it }, () => templateDomain);
