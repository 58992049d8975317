import { optimizers } from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('lowerBound');

for (const plugin of lowerBounds)
  describePluginLaws(runner, () => plugin, {
    registry: [...lowerBounds, ...losses, ...optimizers, ...mechanisms],
    ...options,
  });
