import {
  findPlugin,
  InvalidParameter,
  meanShape,
  resolvePlugin,
  sensitivityUnder,
  type CentralMean,
  type Json,
  type Mean,
  type MeanQuery,
  type Mechanism,
  type Program,
  type RandomSource,
  type Ref,
  type Registry,
  type Vector,
} from '@lethe/core';
import type { CentralCurator } from '@lethe/curator';
import {
  biasReducedBounds,
  biasReducedEstimate,
  clippedMean,
  gaussian,
  l1RecoveryPlan,
  l2Clip,
  levelsFor,
  projectionMeanSquaredError,
} from '@lethe/mechanisms';
import type { MeanErrorSetting, MeanMethodSpec } from '../experiment/mean-error-schema.js';

/** A method in one setting. */
export interface MeanMethod {
  /** Upper bound on `√E‖answer − mean‖²` for records of the given norm; `null` where none is explicit. */
  readonly upper: number | null;
  /** Asks a curator of all records for the mean of their vectors, and gives the answer. */
  answer(curator: CentralCurator, random: RandomSource): Vector;
}

/** What a method is made of: the radius of records, and plugins. */
interface Surroundings {
  readonly radius: number;
  readonly registry: Registry;
}

/** A mean at a budget of its own. */
interface Release extends Pick<MeanQuery, 'mean'> {
  readonly target: { readonly epsilon: number; readonly delta: number };
}

/**
 * The method that an experiment names.
 *
 * @throws {InvalidParameter} for a mean that cannot be asked in the setting.
 */
export function methodOf(
  spec: MeanMethodSpec,
  setting: MeanErrorSetting,
  surroundings: Surroundings,
): MeanMethod {
  const { radius } = surroundings;
  const { dimension, n } = setting;
  const at = new Float64Array(dimension);
  const of = { terms: [{ weight: 1, at }] };
  if (!spec.biasReduced) {
    const release = releaseOf(spec, setting, surroundings);
    return {
      upper: rootMeanSquareOf(release, setting, surroundings),
      answer: (curator) =>
        curator.answer(0, { ask: 'mean', of, batch: curator.allRecords, ...release }).answer as Vector,
    };
  }
  const quarter = (slots: number): MeanErrorSetting => ({
    ...setting,
    n: slots,
    epsilon: setting.epsilon / 4,
    delta: setting.delta / 4,
  });
  const release = (slots: number): Release => releaseOf(spec, quarter(slots), surroundings);
  const errors = (slots: number): number | null =>
    rootMeanSquareOf(release(slots), quarter(slots), surroundings);
  const single = errors(1);
  return {
    upper:
      single === null
        ? null
        : Math.sqrt(
            biasReducedBounds({
              slots: n,
              meanSquaredError: (slots) => (errors(slots) ?? Infinity) ** 2,
              singleMeanSquare: (single + radius) ** 2,
            }).meanSquare,
          ) + radius,
    answer: (curator, random) =>
      driven(
        curator,
        biasReducedEstimate({ at, from: curator.allRecords, level: levelsFor(n).draw(random), release }),
      ),
  };
}

function driven(curator: CentralCurator, program: Program<Vector>): Vector {
  let step = program.next();
  for (let index = 0; step.done !== true; index++)
    step = program.next(curator.answer(index, step.value).answer);
  return step.value;
}

/**
 * The mean and target of one release: the recovery of Algorithm 2 is the clipped mean where it gains nothing.
 */
function releaseOf(
  { mean: name, params }: MeanMethodSpec,
  setting: MeanErrorSetting,
  { radius, registry }: Surroundings,
): Release {
  const { n, dimension, sparsity, epsilon, delta } = setting;
  const plugin = findPlugin<Mean>(registry, 'mean', name);
  if (plugin.trust !== 'central')
    throw new InvalidParameter(`mean '${name}' is of the shuffle model; take one of the central model`, {
      name,
    });
  const target = { epsilon, delta };
  const own = Math.min(sparsity, dimension);
  if (name === 'gaussian-l1-recovery') {
    const { branch, measurements } = l1RecoveryPlan({ slots: n, dimension, sparsity: own, epsilon, delta });
    if (branch === 'gaussian')
      return { mean: clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) }), target };
    const filled = { mode: 'certified', radius, sparsity: own, measurements, failure: delta / 2, ...params };
    return { mean: refOf(plugin, filled), target: { epsilon, delta: delta / 2 } };
  }
  const known = { radius, sparsity: own, ...params };
  return { mean: refOf(plugin, plugin.params.safeParse(known).success ? known : params), target };
}

function refOf(plugin: CentralMean, params: unknown): Ref<'mean'> {
  const found = plugin.params.safeParse(params);
  if (found.success) return { kind: 'mean', name: plugin.name, params: params as Json };
  throw new InvalidParameter(`mean '${plugin.name}' does not take these parameters: ${found.error.message}`, {
    name: plugin.name,
  });
}

/**
 * Upper bound on the root mean squared error of one release, for records within the radius and the sparsity.
 */
function rootMeanSquareOf(
  { mean, target }: Release,
  { n, dimension, sparsity }: MeanErrorSetting,
  { radius, registry }: Surroundings,
): number | null {
  if (mean.name === 'gaussian-l1-recovery') return 3 * radius;
  const { plugin, params } = resolvePlugin<CentralMean>(registry, mean);
  const noise = resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  const kind = noise.plugin.name;
  const shape = meanShape({ dimension, slots: n, registry });
  if (kind !== 'gaussian' && kind !== 'laplace') return null;
  const scale =
    noise.plugin.multiplierFor(noise.params, target) *
    sensitivityUnder(plugin.sensitivity(params, shape), 'replace-one', `mean '${mean.name}'`);
  const projected = mean.name === 'projection' || mean.name === 'laplace-projection';
  if (!projected && mean.name !== 'clipped') return null;
  const l1Radius = projected ? radius * Math.sqrt(Math.min(sparsity, dimension)) : Number.MAX_VALUE;
  return Math.sqrt(projectionMeanSquaredError({ noise: kind, scale, dimension, l1Radius }));
}
