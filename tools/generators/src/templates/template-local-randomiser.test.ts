import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateLocalRandomiser } from './template-local-randomiser.js';

describePluginLaws({ describe, it }, () => templateLocalRandomiser);
