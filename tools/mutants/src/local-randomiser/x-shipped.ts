import type { Plugin } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { patched } from '../patched.js';

export const oneUserLess = defineMutant({
  id: 'local-randomiser/lower-end-of-one-user-less',
  title: 'shuffled-scalar-sum: the lower end is added for one user less',
  kind: 'localRandomiser',
  source: 'shipped',
  killedBy: ['localRandomiser/unbiased'],
  within: 60_000,
  async plant() {
    const module = await patched<{ readonly shuffledScalarSum: Plugin }>(
      'mechanisms/src/shuffle/shuffled-scalar-sum.ts',
      [{ file: 'shuffle/shuffled-scalar-sum.ts', find: 'users * lower', put: '(users - 1) * lower' }],
    );
    return defined(
      subjectsOf(module.shuffledScalarSum, { registry: mechanisms })[0],
    ) as Subject<'localRandomiser'>;
  },
});
