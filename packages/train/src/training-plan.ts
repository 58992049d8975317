import type { Ref } from '@lethe/core';
import type { OwnerSpec } from '@lethe/losses';
import type { Task } from './task.js';

/** What a training will do, as JSON: public numbers alone. */
export interface TrainingPlan {
  readonly task: Task;
  /** Records; or owners of records, where the schema names a column for them. */
  readonly records: number;
  /** Set where all that one owner has is protected. */
  readonly owner?: OwnerSpec;
  readonly heldOut: number;
  readonly features: number;
  readonly loss: Omit<Ref<'loss'>, 'kind'>;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly clip:
    | { readonly by: 'number'; readonly norm: number }
    | {
        readonly by: 'quantile';
        readonly share: number;
        readonly largest: number;
        readonly noiseMultiplier: number;
      }
    | { readonly by: 'method' };
  readonly gradients: number;
  readonly budget: { readonly epsilon: number; readonly delta: number };
  readonly adjacency: 'replace-one' | 'zero-out';
  /** The most that the training costs. */
  readonly epsilon: number;
  /**
   * Length of the noise in one mean of gradients over all records that takes the whole budget, in units of
   * the largest gradient that counts; `null` where no Gaussian noise keeps the budget. A rule of thumb for
   * any method: see {@link mostNoise}.
   */
  readonly noise: number | null;
  readonly run: string;
}

/**
 * Noise of a plan above which a model is likely about noise. Generated records of two classes, 200 and 1000
 * with 4 and 30 features: above it AUC was .22 to .83, most near .5, and .86 once; below .06 it was .73 or
 * more.
 */
export const mostNoise = 0.25;
