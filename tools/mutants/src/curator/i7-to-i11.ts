import type { Clip } from '@lethe/core';
import { centralCurator, openLedger, type CentralCuratorOptions, type DataSet } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import {
  answering,
  changed,
  curatorOf,
  drawing,
  filing,
  isVector,
  optioned,
  withData,
  withPlugins,
} from './wrap.js';

export const i7a = defineMutant({
  id: 'curator/seeded-run-not-labelled-simulation',
  title: 'a seeded run is not labelled a simulation',
  kind: 'curator',
  source: 'I-7: a published seed means ε = ∞',
  killedBy: ['curator/simulation-label'],
  within: 10,
  plant: () => changed((inner) => ({ facts: { ...inner.facts, simulation: false } })),
});
export const i7b = defineMutant({
  id: 'curator/root-coins-not-named-optimizer-curator-may',
  title: 'the facts do not identify the random root, so that optimizer and curator may get the same',
  kind: 'curator',
  source: 'I-7: one root lets a plugin subtract the noise',
  killedBy: ['curator/simulation-label'],
  within: 20,
  plant: () => changed(({ facts: { root: _root, ...facts } }) => ({ facts })),
});
export const i7c = defineMutant({
  id: 'curator/simulation-loses-label-resumed-secure-source',
  title: 'a simulation loses its label when it is resumed with a secure source',
  kind: 'curator',
  source: 'I-7: the label belongs to the randomness in the ledger',
  killedBy: ['curator/simulation-label'],
  within: 10,
  plant: () =>
    changed((inner, { random }) => ({ facts: { ...inner.facts, simulation: random?.kind === 'seeded' } })),
});

export const i8a = defineMutant({
  id: 'curator/assumption-real-arithmetic-not-carried-along',
  title: 'the assumption of real arithmetic is lost',
  kind: 'curator',
  source: 'I-8: idealised is an assumption',
  killedBy: ['curator/simulation-label'],
  within: 10,
  // Floating-point noise is charged as integer noise.
  plant: () =>
    filing(() => ({ effect, ...entry }) => ({
      ...entry,
      effect:
        effect.charge?.event.kind === 'core/gaussian'
          ? {
              ...effect,
              charge: { ...effect.charge, event: { ...effect.charge.event, kind: 'core/discrete-gaussian' } },
            }
          : effect,
    })),
});
export const i8b = defineMutant({
  id: 'curator/clipping-single-precision-leaves-records-little-too',
  title: 'clipping in single precision leaves records slightly too long',
  kind: 'curator',
  source: 'I-8: float clipping may exceed C',
  killedBy: ['curator/sensitivity'],
  within: 200,
  plant: () =>
    optioned((options) =>
      withPlugins<Clip>(options, 'clip', (clip) => ({
        isProjection: false,
        factor: null,
        clipInPlace: (params, vector) => {
          clip.clipInPlace(params, vector);
          for (let j = 0; j < vector.length; j++) vector[j] = vector[j] * (1 + 2 ** -24);
        },
      })),
    ),
});

export const i9a = defineMutant({
  id: 'curator/null-records-not-count-normaliser',
  title: 'null records do not count in the normaliser',
  kind: 'curator',
  source: 'I-9: null counts in the normaliser',
  killedBy: ['curator/null-records', 'curator/sensitivity'],
  within: 200,
  plant: () =>
    answering((answered, query, _inner, { data }) => {
      const present = data.slots - (data.nulls ?? new Uint8Array(0)).reduce((a, b) => a + b, 0);
      if (query.ask === 'mean' && query.batch.id === 'everyone' && present > 0 && isVector(answered.answer))
        for (let j = 0; j < answered.answer.length; j++) answered.answer[j] *= data.slots / present;
      return answered;
    }),
});
export const i9b = defineMutant({
  id: 'curator/null-record-taken-record-zeros',
  title: 'a null record is handled as a record of zeros',
  kind: 'curator',
  source: 'I-9: null contributes exactly 0; its risk is the declared constant 0',
  killedBy: ['curator/null-records'],
  within: 200,
  plant: () => optioned((options) => withData(options, () => ({ nulls: null }))),
});

/** Dense data with permuted rows. */
function reordered(data: DataSet, order: readonly number[]): Partial<DataSet> {
  if (!('data' in data.matrix)) return {};
  const { matrix, dimension } = data;
  const copy = new Float64Array(order.length * dimension);
  order.forEach((from, to) =>
    copy.set(
      matrix.data.subarray(
        matrix.offset + from * matrix.rowStride,
        matrix.offset + from * matrix.rowStride + dimension,
      ),
      to * dimension,
    ),
  );
  const pick = (values: Float64Array): Float64Array => Float64Array.from(order, (i) => values[i]);
  return {
    matrix: { ...matrix, data: copy, offset: 0, rowStride: dimension },
    labels: pick(data.labels),
    norms: pick(data.norms),
    nulls: data.nulls === null ? null : Uint8Array.from(order, (i) => defined(data.nulls)[i]),
  };
}
export const i9c = defineMutant({
  id: 'curator/null-records-leave-slots-behind',
  title: 'null records lose their slots to later records',
  kind: 'curator',
  source: 'I-9: null occupies a slot',
  killedBy: ['curator/null-records', 'curator/sensitivity'],
  within: 300,
  plant: () =>
    optioned((options) =>
      withData(options, (data) => {
        const all = Array.from({ length: data.slots }, (_, i) => i);
        return data.nulls === null
          ? {}
          : reordered(
              data,
              all.toSorted((a, b) => defined(data.nulls)[a] - defined(data.nulls)[b]),
            );
      }),
    ),
});
export const i9d = defineMutant({
  id: 'curator/null-records-never-drawn-others-take-places',
  title: 'null records are never drawn: other records replace them',
  kind: 'curator',
  source: 'I-9: null is eligible for draws',
  killedBy: ['curator/null-records'],
  within: 300,
  plant: () =>
    drawing(({ draw, size }, { data }) => ({
      draw: (params, slots, random) => {
        const rows = draw(params, slots, random);
        const present = Array.from({ length: slots }, (_, i) => i).filter((i) => data.nulls?.[i] !== 1);
        return size === 'exact' &&
          data.nulls !== null &&
          slots === data.slots &&
          present.length >= rows.length
          ? Uint32Array.from(present.slice(0, rows.length))
          : rows;
      },
    })),
});

/**
 * A separate ledger whose limit uses another end of the interval, with every entry also in the true ledger.
 */
function limitedBy(end: 'lower' | 'estimate'): (options: CentralCuratorOptions) => CentralCuratorOptions {
  return (options) =>
    withData(options, ({ ledger }) => {
      const { limit } = ledger;
      if (limit === null) return {};
      const lenient = openLedger({
        adjacency: ledger.adjacency,
        limit: {
          ...limit,
          accountant: {
            ...limit.accountant,
            epsilon: (event, query) => {
              const interval = limit.accountant.epsilon(event, query);
              return { ...interval, upper: interval[end] ?? interval.lower };
            },
          },
        },
      });
      return { ledger: lenient };
    });
}
export const i10a = defineMutant({
  id: 'curator/estimate-cost-satisfies-limit',
  title: 'an estimate of the cost satisfies the limit',
  kind: 'curator',
  source: 'I-10: an estimate can neither calibrate nor satisfy a limit',
  killedBy: ['curator/limit-by-upper'],
  within: 10,
  plant: () => optioned(limitedBy('estimate')),
});
export const i10b = defineMutant({
  id: 'curator/lower-end-cost-satisfies-limit',
  title: 'the lower end of the cost satisfies the limit',
  kind: 'curator',
  source: 'I-10: upper decides',
  killedBy: ['curator/limit-by-upper'],
  within: 10,
  plant: () => optioned(limitedBy('lower')),
});
export const i10c = defineMutant({
  id: 'curator/plan-not-compared-limit',
  title: 'a plan is not compared with the limit',
  kind: 'curator',
  source: 'I-10: calibration and limits use upper',
  killedBy: ['curator/limit', 'curator/limit-by-upper'],
  within: 100,
  plant: () => optioned(({ planned: _planned, ...options }) => options),
});

export const i11a = defineMutant({
  id: 'curator/without-public-guess-number-records-taken',
  title: 'without a public guess the number of records is used',
  kind: 'curator',
  source: 'I-11: under add-remove n is private',
  killedBy: ['curator/public-size'],
  within: 20,
  plant: () =>
    curatorOf((options) =>
      centralCurator(
        options.publicSlots === undefined && options.data.ledger.adjacency === 'add-remove'
          ? { ...options, publicSlots: options.data.slots }
          : options,
      ),
    ),
});
export const i11b = defineMutant({
  id: 'curator/token-everyone-tells-number-records',
  title: 'the token of all records contains their number',
  kind: 'curator',
  source: 'I-11: under add-remove n is private',
  killedBy: ['curator/public-size', 'curator/only-mechanisms-tell'],
  within: 60,
  plant: () =>
    changed((inner, { data }) => ({ allRecords: { ...inner.allRecords, normaliser: data.slots } })),
});
export const i11c = defineMutant({
  id: 'curator/poisson-draws-expect-true-number-records',
  title: 'the normaliser of Poisson draws uses the true number of records',
  kind: 'curator',
  source: 'I-11: n₀ is public, n is not',
  killedBy: ['curator/public-size', 'curator/public-normaliser'],
  within: 60,
  plant: () =>
    drawing(({ normaliser, size }, { data }) => ({
      normaliser: (params, slots) =>
        size === 'hidden' ? normaliser(params, data.slots) : normaliser(params, slots),
    })),
});
