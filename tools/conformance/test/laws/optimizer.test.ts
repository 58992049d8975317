import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('optimizer');

for (const plugin of optimizers)
  describePluginLaws(runner, () => plugin, { registry: [...mechanisms, ...losses], ...options });
