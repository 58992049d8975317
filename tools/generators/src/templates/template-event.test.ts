import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateEvent } from './template-event.js';

describePluginLaws({ describe, it }, () => templateEvent);
