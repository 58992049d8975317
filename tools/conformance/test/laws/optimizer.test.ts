import {
  acceleratedDpSrgd,
  dpMu2Sgd,
  onlineToBatch,
  optimizers,
  parallelSgd,
  recursiveDpSgd,
} from '@lethe/algorithms';
import { subjectsOf } from '@lethe/laws';
import { describeLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { isFull, lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('optimizer', {
  alike: [
    'optimizer/gradients',
    'optimizer/hockey-stick',
    'optimizer/in-domain',
    'optimizer/long-runs',
    'optimizer/record-replay',
    'optimizer/resume',
    'optimizer/runs',
    'optimizer/stored-plan',
    'optimizer/utility',
    'optimizer/within-budget',
  ],
});
// An optimizer may repeat runs of another.
const registry = Object.freeze([...mechanisms, ...losses, ...optimizers]);

// Exact laws find what depends on parameters; whole runs are audited at one set of them, at night at all.
const skip = isFull
  ? []
  : [{ law: 'optimizer/hockey-stick', because: 'other parameters are audited at night' }];
function describeOptimizer(plugin: (typeof optimizers)[number]): void {
  for (const [index, subject] of subjectsOf(plugin, { registry }).entries())
    describeLaws(runner, subject, { registry, ...options, ...(index === 0 ? {} : { skip }) });
}
for (const plugin of optimizers) describeOptimizer(plugin);

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
for (const plugin of chosen) describeOptimizer(plugin as (typeof optimizers)[number]);
