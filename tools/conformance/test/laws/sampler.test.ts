import { describePluginLaws } from '@lethe/laws/vitest';
import { samplers } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('sampler');

for (const plugin of samplers) describePluginLaws(runner, () => plugin, { registry: samplers, ...options });
