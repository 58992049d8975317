import type { Plugin } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { patched } from '../patched.js';

export const replacedOnce = defineMutant({
  id: 'sampler/stream-of-replaced-records-counted-once',
  title: 'repeated-poisson: a record that is replaced by its opposite costs as much as one that is removed',
  kind: 'sampler',
  source: 'shipped',
  killedBy: ['sampler/stream-cost'],
  within: 1_000_000,
  async plant() {
    const module = await patched<{ readonly repeatedPoisson: Plugin }>(
      'mechanisms/src/samplers/repeated-poisson.ts',
      [
        {
          file: 'samplers/repeated-poisson.ts',
          find: "{ 'replace-one': 2 * norm }",
          put: "{ 'replace-one': norm }",
        },
      ],
    );
    return defined(subjectsOf(module.repeatedPoisson, { registry: mechanisms })[0]) as Subject<'sampler'>;
  },
});
