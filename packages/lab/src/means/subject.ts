import {
  findPlugin,
  InvalidParameter,
  meanShape,
  noiseVarianceAt,
  parseOrThrow,
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type CentralMean,
  type Json,
  type LocalRandomiser,
  type Mean,
  type MeanQuery,
  type MeanShape,
  type Mechanism,
  type Moment,
  type Ref,
  type Registry,
  type ShuffledMean,
  type Vector,
} from '@lethe/core';
import { coordinateClip, l2Clip } from '@lethe/mechanisms';
import type { MeasuredSpec, TargetSpec } from '../experiment/mean-schema.js';

/** Largest number of matrix entries: two gibibytes. */
const mostEntries = 2 ** 28;

/** Number and dimension of records, and the budget of their mean. */
export interface Batch {
  readonly dimension: number;
  readonly s: number;
  readonly target: TargetSpec;
  readonly adjacency: Adjacency;
}

/** A mean at given parameters and one batch: the query, and the known facts about its answer. */
export interface Subject extends Pick<MeanQuery, 'mean' | 'target'> {
  readonly trust: 'central' | 'shuffle';
  /** Claims of the plugin, the least over the moments; `null` where it makes none. */
  readonly biasBound: (moments: readonly Moment[]) => number | null;
  readonly varianceBound: (moments: readonly Moment[]) => number | null;
  /**
   * What becomes of one record, where the answer is the mean of
   * that plus noise of `noise` in all; `null` for anything else.
   */
  readonly perRecord: ((record: Vector) => void) | null;
  /** `E‖noise‖²`; `null` where it depends on the records. */
  readonly noise: number | null;
}

type Params = MeasuredSpec['params'];

/**
 * Settings of a mean: one for each value of what is swept,
 * which is a parameter or one of a part: `clip.params.radius`.
 */
export const settingsOf = ({
  params,
  sweep,
}: MeasuredSpec): readonly {
  readonly params: Params;
  readonly swept: { readonly name: string; readonly value: number } | null;
}[] => {
  const [swept] = Object.entries(sweep);
  if (swept === undefined) return [{ params, swept: null }];
  const path = swept[0].split('.');
  const name = path[path.length - 1];
  return swept[1].map((value) => ({
    params: withValue(params, path, value) as Params,
    swept: { name, value },
  }));
};

/** A copy with another value at a path. */
function withValue(given: Json | undefined, [first, ...rest]: readonly string[], value: number): Json {
  if (first === undefined) return value;
  const fields =
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? (given as Readonly<Record<string, Json>>)
      : {};
  return { ...fields, [first]: withValue(fields[first], rest, value) };
}

/**
 * Whether a mean is of the central model.
 *
 * @throws {Unsupported} for a name that the registry does not have.
 */
export const isCentral = (name: string, registry: Registry): boolean =>
  findPlugin<Mean>(registry, 'mean', name).trust === 'central';

/** @throws {InvalidParameter} for parameters or a target that do not fit. */
export function subjectOf(name: string, given: Params, batch: Batch, registry: Registry): Subject {
  const { s, dimension } = batch;
  if (s * dimension > mostEntries)
    throw new InvalidParameter(
      `${s} records of dimension ${dimension} have more than ` +
        `${mostEntries.toLocaleString('en')} entries; take fewer`,
      { s, dimension },
    );
  const plugin = findPlugin<Mean>(registry, 'mean', name);
  const params = parseOrThrow(plugin.params, given, `mean '${name}'`);
  const mean: Ref<'mean'> = { kind: 'mean', name, params: params as Json };
  const shape = meanShape({ dimension, slots: s, registry });
  return {
    mean,
    ...(plugin.trust === 'central'
      ? central(plugin, params, shape, batch)
      : shuffled(plugin, params, shape, batch)),
  };
}

const least = (bounds: readonly (number | null)[]): number | null => {
  const known = bounds.filter((bound) => bound !== null);
  return known.length === 0 ? null : Math.min(...known);
};

function central(
  plugin: CentralMean,
  params: unknown,
  shape: MeanShape,
  { target, adjacency }: Batch,
): Omit<Subject, 'mean'> {
  const { name } = plugin;
  const isEuclidean = plugin.norm(params, shape) === 'l2';
  const { plugin: mechanism, params: noiseParams } = resolvePlugin<Mechanism>(
    shape.registry,
    plugin.mechanism(params),
  );
  let noiseMultiplier: number;
  if ('unprotected' in target) noiseMultiplier = 0;
  else if ('noiseMultiplier' in target) noiseMultiplier = target.noiseMultiplier;
  else noiseMultiplier = mechanism.multiplierFor(noiseParams, target);
  const sensitivity = plugin.sensitivity(params, shape)[adjacency];
  if (sensitivity === undefined)
    throw new InvalidParameter(
      `mean '${name}' has no sensitivity under ${adjacency}; take another adjacency`,
      { name, adjacency },
    );
  const each = noiseVarianceAt(mechanism, noiseParams, noiseMultiplier * sensitivity);
  return {
    trust: 'central',
    target: 'unprotected' in target ? target : { noiseMultiplier },
    biasBound: (moments) =>
      isEuclidean ? least(moments.map((moment) => plugin.biasBound(params, shape, moment))) : null,
    varianceBound: (moments) =>
      isEuclidean ? least(moments.map((moment) => plugin.varianceBound(params, shape, moment, each))) : null,
    perRecord: perRecordOf(plugin, params, shape),
    noise: shape.dimension * each,
  };
}

/** What a sum of bounded records makes of one; a median of one group is one too. */
function perRecordOf(plugin: CentralMean, params: unknown, shape: MeanShape): Subject['perRecord'] {
  if (plugin.linear !== undefined) {
    return (record) => {
      const run = plugin.begin(params, { ...shape, slots: 1 }, seededRandom('no coins are drawn'));
      run.add(0, record);
      record.set(run.value());
    };
  }
  const { groups, limit } = params as { readonly groups?: number; readonly limit: number };
  return plugin.name === 'coordinate-median-of-means' && groups === 1
    ? (record) => coordinateClip.clipInPlace({ radius: limit }, record)
    : null;
}

function shuffled(
  plugin: ShuffledMean,
  params: unknown,
  shape: MeanShape,
  { s, target, adjacency }: Batch,
): Omit<Subject, 'mean'> {
  if (!('epsilon' in target))
    throw new InvalidParameter(
      `mean '${plugin.name}' takes epsilon and delta as target; ` +
        'the noise of the shuffle model has no multiplier',
      { name: plugin.name, target },
    );
  if (adjacency === 'add-remove')
    throw new InvalidParameter(
      'shuffled messages tell how many users there are, so that add-remove hides nobody; ' +
        'use replace-one or zero-out',
      { adjacency },
    );
  const randomiser = resolvePlugin<LocalRandomiser>(shape.registry, plugin.randomiser(params));
  const domain = randomiser.plugin.domain?.(randomiser.params, shape.dimension);
  const crowd = { ...shape, honestUsers: s, target };
  return {
    trust: 'shuffle',
    target,
    biasBound: (moments) => least(moments.map((moment) => plugin.biasBound(params, crowd, moment))),
    varianceBound: (moments) => least(moments.map((moment) => plugin.varianceBound(params, crowd, moment))),
    perRecord:
      domain?.name === 'l2-ball'
        ? (record) => l2Clip.clipInPlace(domain.params as { readonly radius: number }, record)
        : null,
    noise: null,
  };
}
