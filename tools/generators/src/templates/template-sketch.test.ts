import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateSketch } from './template-sketch.js';

describePluginLaws({ describe, it }, () => templateSketch);
