import { Unsupported } from '@lethe/numerics';
import type { MeanOracle } from '../../plugins/mean-oracle.js';
import { resolvePlugin } from '../../plugins/registry.js';
import type { GradientTerms, MeanQuery, Vector } from '../../query/query.js';
import type { Prepared, PublicContext } from '../context.js';
import type { Handler } from '../handlers.js';
import { boundedSum } from '../bounded-sum.js';
import { eachGradient } from '../each-gradient.js';
import { boundedMeanSensitivity, planNoise, recordBound, sizeOf } from '../sensitivity.js';
import { assertTerms } from '../validate.js';
import { noised } from './noised.js';

/** A private mean of gradients, by noise on bounded records or by a mean oracle. */
export const answerMean: Handler<'mean'> = (context, query) => {
  assertTerms(query.of, context.dimension);
  switch (query.release.by) {
    case 'noise': return byNoise(context, query, query.release);
    case 'oracle': return byOracle(context, query, query.release);
    case 'shuffle': throw new Unsupported('a central curator does not answer by shuffling; that needs a shuffle curator', { release: query.release.by });
  }
};

const lengthOf = ({ dimension }: PublicContext, { coordinates }: GradientTerms): number => coordinates?.length ?? dimension;

type Release<By> = Extract<MeanQuery['release'], { by: By }>;

function byNoise(context: PublicContext, { of, batch: token }: MeanQuery, { bound, noise }: Release<'noise'>): Prepared<Vector> {
  const batch = context.batch(token);
  const limit = recordBound(context, bound, { terms: of.terms, length: lengthOf(context, of), coordinates: of.coordinates });
  const kind = { norm: limit.norm, length: lengthOf(context, of), integers: false, size: limit.radius };
  const planned = planNoise(context, noise.mechanism, noise.target, boundedMeanSensitivity(limit.radius, batch.normaliser), kind);
  return {
    effect: { charge: { on: batch.stretch, event: planned.event } },
    blank: () => new Float64Array(kind.length),
    release: ({ data, rows, coins }) => noised(scaled(boundedSum(data, rows(batch), of, limit), batch.normaliser), planned, coins),
  };
}

function byOracle(context: PublicContext, { of, batch: token }: MeanQuery, { oracle: ref, target }: Release<'oracle'>): Prepared<Vector> {
  const batch = context.batch(token);
  const { plugin, params } = resolvePlugin<MeanOracle>(context.registry, ref);
  if (batch.size === 'hidden' && plugin.hiddenSize !== true) {
    throw new Unsupported(`mean oracle '${ref.name}' needs a batch of exact size; batch '${batch.id}' hides it. Take an oracle that declares hiddenSize, such as 'lattice-mean'.`, { oracle: ref.name });
  }
  const shape = { dimension: lengthOf(context, of), slots: batch.normaliser };
  const sensitivity = plugin.sensitivity(params, shape);
  const kind = { norm: plugin.norm, length: shape.dimension, integers: plugin.integers === true, size: sizeOf(sensitivity, shape.slots) };
  const planned = planNoise(context, plugin.mechanism, target, sensitivity, kind);
  return {
    effect: { charge: { on: batch.stretch, event: plugin.event(params, planned.event, shape) } },
    blank: () => new Float64Array(shape.dimension),
    release({ data, rows, coins }) {
      const oracle = plugin.begin(params, { ...shape, random: coins().fork('oracle') });
      eachGradient(data, rows(batch), of, (slot, gradient) => oracle.add(slot, gradient));
      const value = oracle.value();
      // An oracle that breaks its contract must not turn that into a signal about the records.
      if (!value.every(Number.isFinite)) value.fill(0);
      return oracle.finish(noised(value, planned, coins));
    },
  };
}

function scaled(sum: Vector, normaliser: number): Vector {
  for (let j = 0; j < sum.length; j++) sum[j]! /= normaliser;
  return sum;
}
