import { findPlugin, InvalidParameter, parseOrThrow, resolvePlugin, type Adjacency, type LocalRandomiser, type Mechanism, type MeanOracle, type MeanQuery, type Moment, type Registry, type Vector } from '@lethe/core';
import { coordinateClip, l2Clip } from '@lethe/mechanisms';
import type { MeasuredSpec, TargetSpec } from '../experiment/oracle-schema.js';

/** Entries of a matrix of records: two gibibytes. */
const mostEntries = 2 ** 28;

/** How many records of how many entries, and what their mean may cost. */
export interface Batch { readonly dimension: number; readonly s: number; readonly target: TargetSpec; readonly adjacency: Adjacency }

/** An oracle at given parameters and one batch: what to ask, and what is known of the answer. */
export interface Subject {
  readonly trust: 'central' | 'shuffle';
  readonly release: MeanQuery['release'];
  /** Claims of the plugin, the least over the moments; `null` where it makes none. */
  readonly biasBound: (moments: readonly Moment[]) => number | null;
  readonly varianceBound: (moments: readonly Moment[]) => number | null;
  /** What becomes of one record, where the answer is the mean of that plus noise of `noise` in all; `null` for anything else. */
  readonly perRecord: ((record: Vector) => void) | null;
  /** `E‖noise‖²`; `null` where it depends on the records. */
  readonly noise: number | null;
}

/** Settings of an oracle: one for each value of what is swept. */
export const settingsOf = ({ params, sweep }: MeasuredSpec): readonly { readonly params: MeasuredSpec['params']; readonly swept: { readonly name: string; readonly value: number } | null }[] => {
  const [swept] = Object.entries(sweep);
  return swept === undefined ? [{ params, swept: null }] : swept[1].map((value) => ({ params: { ...params, [swept[0]]: value }, swept: { name: swept[0], value } }));
};

/** Whether a name is that of a mean oracle; otherwise it has to be that of a local randomiser. @throws {InvalidParameter} for neither. */
export function isCentral(name: string, registry: Registry): boolean {
  const has = (kind: string): boolean => registry.some((plugin) => plugin.kind === kind && plugin.name === name);
  if (has('meanOracle')) return true;
  if (has('localRandomiser')) return false;
  const known = registry.filter(({ kind }) => kind === 'meanOracle' || kind === 'localRandomiser').map((plugin) => plugin.name);
  throw new InvalidParameter(`there is no mean oracle or local randomiser '${name}'; there are ${known.join(', ')}`, { name });
}

/** @throws {InvalidParameter} for parameters or a target that do not fit. */
export function subjectOf(name: string, params: MeasuredSpec['params'], batch: Batch, registry: Registry): Subject {
  const { s, dimension } = batch;
  if (s * dimension > mostEntries) throw new InvalidParameter(`${s} records of dimension ${dimension} have more than ${mostEntries.toLocaleString('en')} entries; take fewer`, { s, dimension });
  return isCentral(name, registry) ? central(name, params, batch, registry) : shuffled(name, params, batch, registry);
}

const least = (bounds: readonly number[]): number | null => (bounds.length === 0 ? null : Math.min(...bounds));

function central(name: string, given: MeasuredSpec['params'], { dimension, s, target, adjacency }: Batch, registry: Registry): Subject {
  const plugin = findPlugin<MeanOracle>(registry, 'meanOracle', name), params = parseOrThrow(plugin.params, given, `mean oracle '${name}'`);
  const context = { dimension, slots: s }, isEuclidean = plugin.norm === 'l2';
  const { plugin: mechanism, params: noiseParams } = resolvePlugin<Mechanism>(registry, plugin.mechanism);
  const noiseMultiplier = 'unprotected' in target ? 0 : 'noiseMultiplier' in target ? target.noiseMultiplier : mechanism.multiplierFor(noiseParams, target);
  const sensitivity = plugin.sensitivity(params, context)[adjacency];
  if (sensitivity === undefined) throw new InvalidParameter(`mean oracle '${name}' has no sensitivity under ${adjacency}; take another adjacency`, { name, adjacency });
  const each = (noiseMultiplier * sensitivity * mechanism.standardDeviation(noiseParams)) ** 2;
  const clip = name === 'clipped-gaussian' ? l2Clip.clipInPlace.bind(l2Clip, params as never) : name === 'coordinate-median-of-means' && (params as { readonly groups: number }).groups === 1 ? coordinateClip.clipInPlace.bind(coordinateClip, { radius: (params as { readonly limit: number }).limit }) : null;
  return {
    trust: 'central', release: { by: 'oracle', oracle: { kind: 'meanOracle', name, params: given }, target: 'unprotected' in target ? target : { noiseMultiplier } },
    biasBound: (moments) => (isEuclidean ? least(moments.map((moment) => plugin.biasBound(params, context, moment))) : null),
    varianceBound: (moments) => (isEuclidean ? least(moments.map((moment) => plugin.varianceBound(params, context, moment, each))) : null),
    perRecord: clip, noise: dimension * each,
  };
}

function shuffled(name: string, given: MeasuredSpec['params'], { dimension, s, target, adjacency }: Batch, registry: Registry): Subject {
  if (!('epsilon' in target)) throw new InvalidParameter(`local randomiser '${name}' takes epsilon and delta as target; the noise of the shuffle model has no multiplier`, { name, target });
  if (adjacency === 'add-remove') throw new InvalidParameter('shuffled messages tell how many users there are, so that add-remove hides nobody; use replace-one or zero-out', { adjacency });
  const plugin = findPlugin<LocalRandomiser>(registry, 'localRandomiser', name), params = parseOrThrow(plugin.params, given, `local randomiser '${name}'`);
  const domain = plugin.domain?.(params, dimension), radius = domain?.name === 'l2-ball' ? (domain.params as { readonly radius: number }).radius : null;
  const coins = plugin.varianceBound?.(params, { dimension, users: s, honestUsers: s, target });
  return {
    trust: 'shuffle', release: { by: 'shuffle', randomiser: { kind: 'localRandomiser', name, params: given }, target },
    biasBound: (moments) => (radius === null ? null : least(moments.map((moment) => l2Clip.biasBound({ radius }, moment)))),
    varianceBound: (moments) => (radius === null || coins === undefined ? null : least(moments.map((moment) => coins / s ** 2 + l2Clip.varianceBound({ radius }, moment) / s))),
    perRecord: radius === null ? null : l2Clip.clipInPlace.bind(l2Clip, { radius }), noise: null,
  };
}
