import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('optimizer');
// An optimizer may repeat runs of another.
const registry = [...mechanisms, ...losses, ...optimizers];

for (const plugin of optimizers) describePluginLaws(runner, () => plugin, { registry, ...options });
