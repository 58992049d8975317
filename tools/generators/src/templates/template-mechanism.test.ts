import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateMechanism } from './template-mechanism.js';

describePluginLaws({ describe, it }, () => templateMechanism);
