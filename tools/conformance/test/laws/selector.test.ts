import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('selector');

for (const plugin of mechanisms)
  if (plugin.kind === 'selector')
    describePluginLaws(runner, () => plugin, { registry: mechanisms, ...options });
