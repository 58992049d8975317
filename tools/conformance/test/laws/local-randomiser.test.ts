import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('localRandomiser');

for (const plugin of mechanisms)
  if (plugin.kind === 'localRandomiser')
    describePluginLaws(runner, () => plugin, { registry: mechanisms, ...options });
