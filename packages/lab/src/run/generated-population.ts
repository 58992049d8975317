import { InvalidParameter, seededRandom, Unsupported, type Registry, type Vector } from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { syntheticData, type PopulationFacts, type SyntheticData } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import type { Evaluation, SampledSpec } from '../experiment/schema.js';
import { copyOf } from './layout.js';
import type { Drawable, Population } from './population.js';
import { publicProblem } from './problem.js';
import { domainOf, startIn } from './records-population.js';

/** A problem whose records come from a generator. */
export interface GeneratedSpec extends SampledSpec {
  readonly data: Extract<SampledSpec['data'], { readonly generate: unknown }>;
}

/** Whether the risk of a problem is that of the distribution of its records. */
export const isOfPopulation = (spec: SampledSpec): spec is GeneratedSpec =>
  spec.risk === 'population' && 'generate' in spec.data;

/**
 * Population with a risk in closed form: each seed draws its own records, and the excess risk is
 * `½(w − w*)ᵀ E[x xᵀ] (w − w*)`.
 *
 * @throws {Unsupported} where nobody knows the risk of the law: for another loss, another response, or
 *   moments that do not exist.
 * @throws {InvalidParameter} where the minimiser is outside the domain, so that another point is optimal
 *   there.
 */
export function generatedPopulation(
  spec: GeneratedSpec,
  { name, adjacency }: Evaluation,
  { registry }: { readonly registry: Registry },
): Population {
  const {
    data: { generate, shuffle, layout },
    loss,
  } = spec;
  const { columns } = generate;
  const dimension = columns;
  const draw = (rows: number, seedLabel: string, weights?: Vector): SyntheticData =>
    syntheticData(
      {
        ...generate,
        rows,
        ...(weights === undefined ? {} : { weights: [...weights], nonZeroWeights: undefined }),
      },
      seededRandom(seedLabel),
    );
  const { weights, facts } = draw(2, `data/${shuffle}`);
  const quadratic = quadraticRisk(spec, facts);
  const domain = domainOf(spec, dimension, registry);
  const start = startIn(domain);
  const nearest = domain.projectInto(new Float64Array(dimension), weights);
  const away = Math.hypot(...nearest.map((x, j) => x - weights[j]));
  const size = Math.hypot(...weights);
  if (away > 1e-9 * size)
    throw new InvalidParameter(
      `problem '${spec.name}': the minimiser of the population risk has norm ` +
        `${size} and is outside the domain, whose own minimiser nobody knows; ` +
        'enlarge the domain, lower weightNorm, or take risk: records',
      { problem: spec.name },
    );
  const describe: Population['describe'] = (n, _budget, trust) =>
    publicProblem(spec, { registry, adjacency, n, columns, rowNorm: Infinity, columnBounds: null, trust });
  const excessRisk = (w: Vector): number => quadratic(w.map((x, j) => x - weights[j]));
  return {
    dimension,
    featureNames: Array.from({ length: dimension }, (_, j) => `x${j + 1}`),
    records: null,
    recordsKey: () => Promise.resolve(''),
    describe,
    open(): Drawable {
      const startExcess = excessRisk(start);
      let last: { readonly key: string; readonly data: ReturnType<typeof attachData> } | undefined;
      return {
        optimum: { risk: defined(facts.minimalRisk), point: [...weights] },
        draw(n, budget, seed) {
          const key = `${n}/${seed}`;
          if (last?.key !== key) {
            const made = draw(n, `fresh/${name}/${spec.name}/${key}`, weights);
            const {
              record: { columns: _, ...bounds },
            } = describe(n, budget, { model: 'central' });
            last = {
              key,
              data: attachData({
                features: copyOf(
                  { ...made, features: made.features.data },
                  Uint32Array.from({ length: n }, (_unused, row) => row),
                  layout,
                ),
                labels: made.labels,
                loss: { kind: 'loss', ...loss },
                registry,
                domain: bounds,
                outside: 'clip',
                ledger: openLedger({ adjacency }),
              }),
            };
          }
          return { data: last.data, start, startExcess, excessRisk };
        },
      };
    },
  };
}

/** `½vᵀE[x xᵀ]v` for uncorrelated entries: off the diagonal, `E[x xᵀ]` holds products of means. */
function quadraticRisk(
  { name, loss, regulariser, data: { generate } }: GeneratedSpec,
  { feature, optimum, minimalRisk }: PopulationFacts,
): (v: Vector) => number {
  let missing: string | null;
  if (loss.name !== 'squared') missing = `the loss '${loss.name}'`;
  else if (regulariser !== undefined) missing = `the regulariser '${regulariser.name}'`;
  else if (generate.response.kind !== 'linear') missing = `a ${generate.response.kind} response`;
  else if (generate.rank !== undefined) missing = 'a rank';
  else if (optimum === null || minimalRisk === null)
    missing = 'features or noise without a variance, or noise whose mean is not 0';
  else missing = null;
  if (missing !== null)
    throw new Unsupported(
      `problem '${name}': with ${missing} the population risk has no closed form here; ` +
        'it has for the squared loss, a linear response, and features and noise with a variance. ' +
        'Take risk: records, with many rows',
      { problem: name },
    );
  const moments = [feature].flat();
  const of = (j: number) => moments[moments.length === 1 ? 0 : j];
  return (v) => {
    let spread = 0;
    let along = 0;
    for (let j = 0; j < v.length; j++) {
      const { mean, second } = of(j);
      spread += (second - defined(mean) ** 2) * v[j] ** 2;
      along += defined(mean) * v[j];
    }
    return (spread + along ** 2) / 2;
  };
}
