import { describePluginLaws } from '@lethe/laws/vitest';
import { mechanisms, noiseMechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('mechanism');

for (const plugin of noiseMechanisms.filter(({ kind }) => kind === 'mechanism'))
  describePluginLaws(runner, () => plugin, { registry: mechanisms, ...options });
