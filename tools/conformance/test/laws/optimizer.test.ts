import {
  acceleratedDpSrgd,
  dpMu2Sgd,
  onlineToBatch,
  optimizers,
  parallelSgd,
  recursiveDpSgd,
} from '@lethe/algorithms';
import { describePluginLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('optimizer');
// An optimizer may repeat runs of another.
const registry = [...mechanisms, ...losses, ...optimizers];

for (const plugin of optimizers) describePluginLaws(runner, () => plugin, { registry, ...options });

// Numbers that these choose by themselves follow from facts that not every loss has, so that no example
// leaves them out; such plans are tried here.
const chosen = [
  {
    ...acceleratedDpSrgd,
    examples: [
      { rounds: 4 },
      { setting: 'realizable', schedule: 'printed' },
      { schedule: 'corrected', clip: 'literal', noiseMultiplier: 2 },
    ],
  },
  { ...onlineToBatch, examples: [{}] },
  { ...parallelSgd, examples: [{}, { step: 'lipschitz' }] },
  { ...recursiveDpSgd, examples: [{ rounds: 4 }] },
  {
    ...dpMu2Sgd,
    examples: [
      {},
      { schedule: 'printed', rounds: 6 },
      { rounds: 4, prefixSum: { name: 'square-root-toeplitz' } },
    ],
  },
] as const;
for (const plugin of chosen)
  describePluginLaws(runner, () => plugin as (typeof optimizers)[number], { registry, ...options });
