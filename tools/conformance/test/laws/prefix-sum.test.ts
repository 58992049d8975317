import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('prefixSum');

for (const plugin of mechanisms)
  if (plugin.kind === 'prefixSum')
    describePluginLaws(runner, () => plugin, { registry: mechanisms, ...options });
