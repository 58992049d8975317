import { InvalidParameter, seededRandom, type Calibrate, type LowerBound, type Registry } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { hardPlugin } from '../experiment/hard-plugin.js';
import type { BoundPoint, ProblemResult } from '../experiment/results.js';
import type { BudgetSpec, Evaluation, HardSpec } from '../experiment/schema.js';
import { copyOf } from './layout.js';
import { boundParams, rhoOf, saysOf } from './lower-bound.js';
import type { Drawable, Population } from './population.js';
import { publicProblem } from './problem.js';
import { domainOf, startIn } from './records-population.js';

interface Surroundings {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
}

/** Largest number of matrix entries: two gibibytes. */
const mostEntries = 2 ** 28;

/** Term of a lower bound that an instance proves, by the name of the instance. */
const terms: Readonly<Record<string, string>> = { 'non-private': 'nonPrivate', private: 'private' };

/** Parameters of a hard instance at a size and a budget; the experiment's override the derived ones. */
function paramsAt(
  { data: { hard } }: HardSpec,
  { adjacency }: Evaluation,
  bound: LowerBound,
  calibrate: Calibrate,
): (n: number, budget: BudgetSpec) => unknown {
  const rhos = new Map<BudgetSpec, number>();
  return (n, budget) => {
    if (!rhos.has(budget)) rhos.set(budget, rhoOf(budget, adjacency, calibrate));
    const params = boundParams(bound, { n, rho: rhos.get(budget) }, hard.params);
    const { dimension } = params as { readonly dimension?: unknown };
    if (typeof dimension === 'number' && n * dimension > mostEntries)
      throw new InvalidParameter(
        `${n} records of dimension ${dimension} have more than ` +
          `${mostEntries.toLocaleString('en')} entries; take fewer`,
        { n, dimension },
      );
    return params;
  };
}

/**
 * Population of a worst-case instance: each seed draws its own instance, and the population risk is exact.
 */
export function hardPopulation(
  spec: HardSpec,
  experiment: Evaluation,
  { registry, calibrate }: Surroundings,
): Population {
  const { adjacency, sizes = [], budgets } = experiment;
  const plugin = hardPlugin(spec.data.hard.name, registry);
  const at = paramsAt(spec, experiment, plugin.bound, calibrate);
  const why = `true of every instance of '${plugin.bound.name}', drawn or not`;
  const posed = (n: number, budget: BudgetSpec) => {
    const {
      loss,
      domain,
      record: { columns: dimension, featureNorm, featureBounds, labelBound },
      facts,
    } = plugin.problem(at(n, budget));
    const stated = {
      loss: { name: loss.name, params: (loss.params ?? {}) as Record<string, never> },
      domain: { name: domain.name, params: (domain.params ?? {}) as Record<string, never> },
      record: {
        ...(featureNorm === undefined ? {} : { featureNorm }),
        ...(featureBounds === undefined ? {} : { featureBounds: [...featureBounds] }),
        ...(labelBound === undefined ? {} : { labelBound }),
      },
      facts: {
        ...Object.fromEntries(Object.entries(facts).map(([name, { value }]) => [name, { value, why }])),
        ...spec.facts,
      },
    };
    return { stated, dimension };
  };
  const { dimension } = posed(sizes[0], budgets[0]);
  const describe: Population['describe'] = (n, budget, trust) =>
    publicProblem(posed(n, budget).stated, {
      registry,
      adjacency,
      n,
      columns: dimension,
      rowNorm: Infinity,
      columnBounds: null,
      trust,
    });
  return {
    dimension,
    featureNames: Array.from({ length: dimension }, (_, j) => `x${j + 1}`),
    records: null,
    recordsKey: () => Promise.resolve(''),
    describe,
    open(): Drawable {
      return {
        optimum: null,
        draw(n, budget, seed) {
          const { stated } = posed(n, budget);
          // All budgets of a seed share one instance, so that they can be compared.
          const instance = plugin.instance(
            at(n, budget),
            seededRandom(`hard/${experiment.name}/${spec.name}/${n}/${seed}`),
          );
          const {
            record: { columns: _, ...bounds },
          } = describe(n, budget, { model: 'central' });
          const start = startIn(domainOf(stated, dimension, registry));
          return {
            start,
            startExcess: instance.excessRisk(start),
            excessRisk: instance.excessRisk,
            data: attachData({
              features: copyOf(
                instance,
                Uint32Array.from({ length: instance.rows }, (_unused, row) => row),
                spec.data.layout,
              ),
              labels: instance.labels,
              loss: { kind: 'loss', ...stated.loss },
              registry,
              domain: bounds,
              outside: 'clip',
              ledger: openLedger({ adjacency }),
            }),
          };
        },
      };
    },
  };
}

/**
 * Lower bound on the mean risk over the random instance, at every size and budget of an evaluation.
 */
export function hardBound(
  spec: HardSpec,
  experiment: Evaluation,
  { registry, calibrate }: Surroundings,
): NonNullable<ProblemResult['lowerBound']> {
  const { bound } = hardPlugin(spec.data.hard.name, registry);
  const changes = experiment.lowerBound?.name === bound.name ? experiment.lowerBound.params : {};
  const at = paramsAt(
    {
      ...spec,
      data: { ...spec.data, hard: { ...spec.data.hard, params: { ...spec.data.hard.params, ...changes } } },
    },
    experiment,
    bound,
    calibrate,
  );
  const kindOf = (params: unknown): unknown => (params as { readonly instance?: unknown }).instance;
  const points = defined(experiment.sizes).flatMap((n) =>
    experiment.budgets.map((budget): BoundPoint => {
      const params = at(n, budget);
      const { value, explicit, terms: parts } = bound.evaluate(params);
      const own = parts[terms[String(kindOf(params))] ?? ''];
      return { n, epsilon: budget.epsilon, value: explicit ? (own ?? value) : value, explicit };
    }),
  );
  return {
    ...saysOf(bound, points),
    binds:
      kindOf(at(defined(experiment.sizes)[0], experiment.budgets[0])) === 'non-private'
        ? 'every-algorithm'
        : 'zcdp',
  };
}
