import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { templateSolver } from './template-solver.js';

describePluginLaws({ describe, it }, () => templateSolver);
