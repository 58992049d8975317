import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateSelector } from './template-selector.js';

describePluginLaws({ describe, it }, () => templateSelector);
