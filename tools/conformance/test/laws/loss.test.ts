import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('loss');

for (const plugin of losses) describePluginLaws(runner, () => plugin, { registry: losses, ...options });
