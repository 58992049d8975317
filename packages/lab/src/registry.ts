import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import type { Registry } from '@lethe/core';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';

/** Every plugin that ships with Lethe. Add your own by concatenation. */
export const registry: Registry = [...mechanisms, ...losses, ...optimizers, ...accountants, ...lowerBounds];
