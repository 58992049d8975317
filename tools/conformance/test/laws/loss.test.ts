import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { lawRunner, optionsFor } from './suite.ts';

const runner = lawRunner();
const options = optionsFor('loss');

for (const plugin of losses) describePluginLaws(runner, () => plugin, { registry: losses, ...options });
