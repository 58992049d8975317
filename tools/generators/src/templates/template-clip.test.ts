import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateClip } from './template-clip.js';

describePluginLaws({ describe, it }, () => templateClip);
