import { describePluginLaws } from '@lethe/laws/vitest';
import { sketches } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('sketch');

for (const plugin of sketches) describePluginLaws(runner, () => plugin, { registry: sketches, ...options });
