import { accountants } from '@lethe/accountants';
import { mu2Sgd, optimizers, skgd } from '@lethe/algorithms';
import type { Registry } from '@lethe/core';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';

/**
 * Every plugin that ships with Lethe, the baseline without privacy included. Add your own by concatenation.
 */
export const registry: Registry = [
  ...mechanisms,
  ...losses,
  ...optimizers,
  skgd,
  mu2Sgd,
  ...accountants,
  ...lowerBounds,
];
