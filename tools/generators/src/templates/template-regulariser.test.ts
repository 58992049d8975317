import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateRegulariser } from './template-regulariser.js';

describePluginLaws({ describe, it }, () => templateRegulariser);
