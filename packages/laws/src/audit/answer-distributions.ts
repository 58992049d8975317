import {
  domainAt,
  resolvePlugin,
  sensitivityUnder,
  type Adjacency,
  type Fact,
  type LocalRandomiser,
  type LocalUpdateQuery,
  type CentralMean,
  type Mean,
  type MeanQuery,
  type MeanShape,
  type Mechanism,
  type RandomSource,
  type Ref,
  type Registry,
  type ShuffleContext,
  type Vector,
} from '@lethe/core';
import { defined, sumUp } from '@lethe/numerics';
import { normOf } from '../engines/norms.js';
import {
  additiveDistribution,
  fittedDistribution,
  type AnswerDistribution,
  type Side,
} from './answer-distribution.js';
import { multiplierOf } from './bounded-canary.js';
import type { Canary } from './canary.js';
import type { Crowd } from './crowd.js';
import type { Node } from './membership.js';
import { logDensityOf, type LogDensity } from './noise-density.js';

/** Common inputs of all distributions of one audit. */
export interface Setting {
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly dimension: number;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly canary: Canary;
  /** Labels of the canary on the two neighbours; 0 for an empty slot. */
  readonly labels: readonly [number, number];
  readonly crowd: Crowd;
  /** Number of honest users, and of all slots. */
  readonly honestUsers: number;
  readonly slots: number;
  /** Random source of the auditor, for simulations. */
  readonly random: RandomSource;
}

/** The distribution of an answer, and the direction of the canary's gradient. */
export interface AimedDistribution {
  readonly distribution: AnswerDistribution;
  readonly axis: number | null;
  /** Distance between the shifts of the two canaries, in units of the noise. */ readonly apart: number;
}

/** Distributions of means of gradients and of local updates, each computed once. */
export interface AnswerDistributions {
  of(query: MeanQuery, node: Node): AimedDistribution;
  ofUpdates(query: LocalUpdateQuery, node: Node): AimedDistribution;
}

/**
 * Computes distributions on demand. A distribution depends on the release, the batch's public size and
 * position, and the requested coordinates.
 */
export function answerDistributions(setting: Setting): AnswerDistributions {
  const known = new Map<string, AimedDistribution>();
  const densities = new Map<string, LogDensity>();
  const densityOf = (ref: Ref<'mechanism'>): LogDensity => {
    const key = JSON.stringify(ref);
    const { plugin, params } = resolvePlugin<Mechanism>(setting.registry, ref);
    const found = densities.get(key) ?? logDensityOf(plugin, params);
    densities.set(key, found);
    return found;
  };
  return {
    of(query, node) {
      const { of, batch, mean, target } = query;
      setting.canary.aim({ terms: of.terms, axis: of.coordinates?.[0] ?? 0 });
      const key = JSON.stringify([
        mean,
        target,
        batch.normaliser,
        node.place,
        setting.canary.gradient({ terms: of.terms }, 1)[of.coordinates?.[0] ?? 0],
        of.coordinates === undefined ? null : [...of.coordinates],
      ]);
      const found = known.get(key) ?? best(setting, query, node, densityOf);
      known.set(key, found);
      return found;
    },
    ofUpdates(query, node) {
      const { from, local, batch, mean, target, fullRecords } = query;
      const how = [local, mean, target, batch.normaliser, fullRecords ?? null, node.place];
      const key = JSON.stringify(['updates', [...from], how]);
      const of = { terms: [{ weight: 1, at: from }] };
      const found =
        known.get(key) ??
        best(updating(setting, query), { ask: 'mean', of, batch, mean, target }, node, densityOf);
      known.set(key, found);
      return found;
    },
  };
}

/**
 * A setting in which a canary contributes where its own steps lead, in place of its gradient: the canary's
 * gradients are the same at every point.
 */
function updating(setting: Setting, query: LocalUpdateQuery): Setting {
  const { registry, dimension, canary } = setting;
  const { from, local } = query;
  const domain = domainAt(registry, local.domain, dimension);
  return {
    ...setting,
    canary: {
      ...canary,
      gradient(of, label) {
        const gradient = canary.gradient(of, label);
        const point = from.slice();
        // A slot that is one record takes one step a pass.
        for (let epoch = 0; epoch < local.epochs; epoch++) {
          for (let j = 0; j < dimension; j++) point[j] -= local.stepSize * gradient[j];
          domain.projectInto(point, point);
        }
        const update = point.map((x, j) => x - from[j]);
        const weight = weightOf(setting, query, update);
        return update.map((x) => weight * x);
      },
    },
  };
}

/** What the update of a slot of one record is scaled by where slots weigh as many records as they have. */
function weightOf(setting: Setting, { fullRecords, mean, batch }: LocalUpdateQuery, update: Vector): number {
  if (fullRecords === undefined) return 1;
  const { plugin, params } = resolvePlugin<Mean>(setting.registry, mean);
  const shape = shapeOf(setting, { of: { terms: [] }, batch });
  const radius = plugin.trust === 'central' ? (plugin.linear?.(params, shape)?.radius ?? null) : null;
  const length = normOf('l2', update);
  // Bounded first, and then weighed.
  return Math.min(1 / fullRecords, 1) * (radius !== null && length > radius ? radius / length : 1);
}

/** One coordinate or all of them equally, whichever separates the canaries more. */
function best(
  setting: Setting,
  query: MeanQuery,
  node: Node,
  densityOf: (ref: Ref<'mechanism'>) => LogDensity,
): AimedDistribution {
  const [single, every] = [query.of.coordinates?.[0] ?? 0, null].map((axis): AimedDistribution => {
    setting.canary.aim({ terms: query.of.terms, axis });
    return { axis, ...distributionOf(setting, query, node, densityOf) };
  });
  return every.apart > 1.001 * single.apart ? every : single;
}

type Law = Omit<AimedDistribution, 'axis'>;

function distributionOf(
  setting: Setting,
  query: MeanQuery,
  node: Node,
  densityOf: (ref: Ref<'mechanism'>) => LogDensity,
): Law {
  const { plugin, params } = resolvePlugin<Mean>(setting.registry, query.mean);
  if (plugin.trust === 'shuffle') return byShuffle(setting, query, node, plugin.randomiser(params));
  const central = { plugin, params, shape: shapeOf(setting, query) };
  return (
    (plugin.hiddenSize === true ? bySum(setting, query, node, central, densityOf) : null) ??
    byOwnCode(setting, query, node, central, densityOf)
  );
}

interface Central {
  readonly plugin: CentralMean;
  readonly params: unknown;
  readonly shape: MeanShape;
}

const shapeOf = (
  { dimension, facts, registry }: Setting,
  { of: { terms, coordinates }, batch }: Pick<MeanQuery, 'of' | 'batch'>,
): MeanShape => ({
  dimension: coordinates?.length ?? dimension,
  slots: batch.normaliser,
  size: batch.size,
  weight: sumUp(terms.map(({ weight }) => Math.abs(weight))),
  iterateDimension: dimension,
  coordinates,
  facts,
  registry,
});

const apartBy = (moves: readonly [Vector, Vector], scale: number): number =>
  normOf(
    'l2',
    moves[0].map((x, j) => x - moves[1][j]),
  ) / scale;

function scaleOf(
  { registry, adjacency }: Setting,
  { target }: MeanQuery,
  { plugin, params, shape }: Central,
): number {
  const mechanism = resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  return (
    multiplierOf(mechanism.plugin, mechanism.params, target) *
    sensitivityUnder(plugin.sensitivity(params, shape), adjacency, 'a mean')
  );
}

/**
 * A mean that takes any number of records, where records add up:
 * each has its share of the value. `null` where they do not.
 */
function bySum(
  setting: Setting,
  query: MeanQuery,
  node: Node,
  central: Central,
  densityOf: (ref: Ref<'mechanism'>) => LogDensity,
): Law | null {
  const { canary, labels, crowd, random } = setting;
  const { of, batch } = query;
  const { plugin, params, shape } = central;
  const valueOf = (...records: readonly number[]): Vector => {
    const run = plugin.begin(params, shape, random);
    records.forEach((label, slot) => run.add(slot, canary.gradient(of, label).slice()));
    return run.value();
  };
  const factor = factorOf(plugin.begin(params, shape, random).finish, shape.dimension);
  const [one, other, both] = [valueOf(1), valueOf(-1), valueOf(1, -1, 1)];
  const addsUp = both.every((x, j) => Math.abs(x - 2 * one[j] - other[j]) <= 1e-12 * Math.abs(one[j]));
  if (factor === null || one.length !== shape.dimension || !addsUp) return null;
  const base = valueOf(0);
  const scale = scaleOf(setting, query, central);
  for (const label of crowd.among(node, batch.normaliser))
    if (label !== 0)
      valueOf(label).forEach((x, j) => {
        base[j] += x;
      });
  const moves = [valueOf(labels[0]), valueOf(labels[1])] as const;
  const logDensity = densityOf(plugin.mechanism(params));
  return {
    distribution: additiveDistribution({
      base,
      moves,
      scale,
      logDensity,
      ...(factor === 1 ? {} : { factor: 1 / factor }),
    }),
    apart: apartBy(moves, scale),
  };
}

function byOwnCode(
  setting: Setting,
  query: MeanQuery,
  node: Node,
  central: Central,
  densityOf: (ref: Ref<'mechanism'>) => LogDensity,
): Law {
  const { canary, labels, crowd, registry, random } = setting;
  const { of, batch } = query;
  const { plugin, params, shape } = central;
  const mechanism = resolvePlugin<Mechanism>(registry, plugin.mechanism(params));
  const scale = scaleOf(setting, query, central);
  const others = crowd.among(node, batch.normaliser);
  const place = Math.max(0, node.place ?? 0);
  const gradients = new Map([-1, 0, 1].map((label) => [label, canary.gradient(of, label)]));
  const begun = (present: Side | null, randomness: RandomSource): ReturnType<CentralMean['begin']> => {
    const run = plugin.begin(params, shape, randomness);
    for (let slot = 0; slot < batch.normaliser; slot++) {
      const labelOf = () => {
        if (slot === place) return present === null ? 0 : labels[present];
        return others[slot] ?? 0;
      };
      run.add(slot, defined(gradients.get(labelOf())).slice());
    }
    return run;
  };
  const value = (present: Side | null, randomness: string): Vector =>
    begun(present, random.fork(randomness)).value();
  const base = value(null, 'a');
  const move = (side: Side): Vector => value(side, 'a').map((x, j) => x - base[j]);
  const moves = [move(0), move(1)] as const;
  const factor =
    base.length === shape.dimension &&
    base.every((x, j) => x === value(null, 'b')[j]) &&
    moves[1].every((x, j) => x === value(1, 'b')[j] - base[j])
      ? factorOf(begun(null, random).finish, base.length)
      : null;
  const apart = apartBy(moves, scale);
  if (factor !== null)
    return {
      distribution: additiveDistribution({
        base,
        moves,
        scale,
        logDensity: densityOf(plugin.mechanism(params)),
        factor: 1 / factor,
      }),
      apart,
    };
  return {
    distribution: fittedDistribution((present, i) => {
      const randomness = random.fork(`mean ${String(present)} ${i}`);
      const run = begun(present, randomness);
      const noisy = run.value();
      mechanism.plugin.addNoise(mechanism.params, noisy, scale, randomness.fork('noise'));
      return run.finish(noisy);
    }),
    apart,
  };
}

/** The factor of `finish` on every entry; `null` if it is not a multiplication. */
function factorOf(finish: (noised: Vector) => Vector, length: number): number | null {
  const probe = Float64Array.from({ length }, (_, j) => 2 ** (j % 8));
  const out = finish(probe.slice());
  const factor = out[0] / probe[0];
  return out.length === length &&
    factor !== 0 &&
    Number.isFinite(factor) &&
    out.every((x, j) => Math.abs(x - factor * probe[j]) <= 1e-12 * Math.abs(x))
    ? factor
    : null;
}

function byShuffle(
  setting: Setting,
  { of, batch, target }: MeanQuery,
  node: Node,
  ref: Ref<'localRandomiser'>,
): Law {
  const { canary, labels, crowd, registry, random, slots, honestUsers } = setting;
  const { plugin, params } = resolvePlugin<LocalRandomiser>(registry, ref);
  const context: ShuffleContext = {
    dimension: of.coordinates?.length ?? setting.dimension,
    users: batch.normaliser,
    honestUsers: batch.normaliser - (slots - honestUsers),
    target,
  };
  const others = crowd.among(node, batch.normaliser);
  const place = Math.max(0, node.place ?? 0);
  const recordsOf = (present: Side | null): readonly Vector[] =>
    Array.from({ length: batch.normaliser }, (_, slot) => {
      const labelHere = () => {
        if (slot === place) return present === null ? 0 : labels[present];
        return others[slot] ?? 0;
      };
      return canary.gradient(of, labelHere());
    });
  const simulate = (present: Side | null, i: number): Vector => {
    const randomness = random.fork(`shuffle ${String(present)} ${i}`);
    const records = recordsOf(present);
    const sum =
      plugin.simulateSum?.(params, context, records, randomness) ??
      plugin.analyse(
        params,
        context,
        Uint32Array.from(
          records.flatMap((record, user) => [
            ...plugin.randomise(params, context, record, randomness.fork(user)),
          ]),
        ),
      );
    return sum.map((x) => x / batch.normaliser);
  };
  // A few simulations suffice to compare the directions.
  const few = (present: Side): Vector =>
    Array.from({ length: 20 }, (_, i) => simulate(present, -1 - i)).reduce((sum, answer) =>
      sum.map((x, j) => x + answer[j] / 20),
    );
  return { distribution: fittedDistribution(simulate), apart: apartBy([few(0), few(1)], 1) };
}
