import {
  findPlugin,
  seededRandom,
  type Optimizer,
  type Problem,
  type RandomSource,
  type Registry,
  type TrustModel,
} from '@lethe/core';
import {
  paramsOn,
  runsOn,
  type BudgetSpec,
  type ComparedSpec,
  type Evaluation,
  type ProblemSpec,
  type Release,
} from '../experiment/schema.js';
import type { Population } from './population.js';
import { slotsUnder, trustModelOf } from './trust.js';

/** One optimizer, budget and number of records, with the inputs of its plan. */
export interface Combination {
  readonly spec: ComparedSpec;
  readonly budget: BudgetSpec;
  readonly n: number;
  readonly trust: TrustModel;
  readonly optimizer: Optimizer;
  readonly problem: Problem;
  readonly params: unknown;
}

/** All combinations of an evaluation on one problem, by size, then optimizer, then budget. */
export function combinationsOf(
  experiment: Evaluation,
  spec: ProblemSpec,
  sizes: readonly number[],
  population: Population,
  registry: Registry,
): readonly Combination[] {
  const compared = experiment.optimizers.filter((one) => runsOn(one, spec.name));
  return sizes.flatMap((n) =>
    compared.flatMap((one) =>
      experiment.budgets.map((budget): Combination => {
        const trust = trustModelOf(one.trust, n);
        return {
          spec: one,
          budget,
          n,
          trust,
          optimizer: findPlugin<Optimizer>(registry, 'optimizer', one.name),
          problem: { ...population.describe(n, budget, trust).problem, slots: slotsUnder(one.trust, n) },
          params: paramsOn(one, spec.name),
        };
      }),
    ),
  );
}

/** Public randomness of plans that do not depend on a seed; one source per problem. */
export const planRandomness = (
  experiment: Evaluation | Release,
  spec: Pick<ProblemSpec, 'name'>,
): RandomSource => seededRandom(`plan/${experiment.name}/${spec.name}`);
