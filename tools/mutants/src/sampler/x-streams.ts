import { countedEvent, type CoreEvent, type SamplerStream } from '@lethe/core';
import { poissonSample, defined } from '@lethe/numerics';
import {
  cyclicPoisson,
  minimumSeparation,
  randomAllocation,
  repeatedPoisson,
  truncatedCyclicPoisson,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const streams = {
  cyclic: defined(cyclicPoisson.stream),
  bins: defined(randomAllocation.stream),
  apart: defined(minimumSeparation.stream),
  repeated: defined(repeatedPoisson.stream),
  truncated: defined(truncatedCyclicPoisson.stream),
};
const cyclic = (bug: Partial<typeof streams.cyclic>, params: unknown = { groups: 2, rate: 0.5 }) =>
  plantedPlugin(cyclicPoisson, { stream: { ...streams.cyclic, ...bug } }, params);
const bins = (bug: Partial<typeof streams.bins>, params: unknown = { steps: 2 }) =>
  plantedPlugin(randomAllocation, { stream: { ...streams.bins, ...bug } }, params);
const apart = (bug: Partial<typeof streams.apart>, params: unknown = { gap: 2, rate: 0.5, start: 'warm' }) =>
  plantedPlugin(minimumSeparation, { stream: { ...streams.apart, ...bug } }, params);
const truncated = (
  bug: Partial<typeof streams.truncated>,
  params: unknown = { groups: 2, rate: 0.9, most: 1 },
) => plantedPlugin(truncatedCyclicPoisson, { stream: { ...streams.truncated, ...bug } }, params);
const repeated = (bug: Partial<typeof streams.repeated>, params: unknown = { rate: 0.5, failure: 1e-9 }) =>
  plantedPlugin(repeatedPoisson, { stream: { ...streams.repeated, ...bug } }, params);

/** The same events with something changed, under every adjacency. */
const changed = <S extends SamplerStream>(stream: S, change: (event: never) => object): Pick<S, 'event'> =>
  ({
    event: (params: never, of: never) =>
      Object.fromEntries(
        Object.entries(stream.event(params, of)).map(([adjacency, event]) => [
          adjacency,
          change(event as never),
        ]),
      ),
  }) as unknown as Pick<S, 'event'>;

export const xStream1 = defineMutant({
  id: 'sampler/cyclic-poisson-counts-full-rounds-only',
  title: 'a stream of cyclic Poisson samples counts full rounds of the groups only',
  kind: 'sampler',
  source: 'generic: ⌊T/b⌋ in place of ⌈T/b⌉',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    cyclic(
      {
        event: (params, stream) =>
          streams.cyclic.event(params, {
            ...stream,
            steps: Math.max(params.groups, stream.steps - (stream.steps % params.groups)),
            bandwidth: Math.min(stream.bandwidth, params.groups),
          }),
      },
      { groups: 2, rate: 1 },
    ),
});

export const xStream2 = defineMutant({
  id: 'sampler/cyclic-poisson-charged-at-share-of-all-records',
  title: 'a stream of cyclic Poisson samples is charged at the share of all records, not of a group',
  kind: 'sampler',
  source: 'spec §10.2: q of the whole data instead of the group',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    cyclic({
      event: ({ groups, rate }, stream) => streams.cyclic.event({ groups, rate: rate / groups }, stream),
    }),
});

export const xStream3 = defineMutant({
  id: 'sampler/cyclic-poisson-takes-any-band',
  title: 'cyclic Poisson samples are accounted for a matrix of any band',
  kind: 'sampler',
  source: 'spec §10.2: two participations inside a band',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    cyclic(
      { event: (params, stream) => streams.cyclic.event(params, { ...stream, bandwidth: 1 }) },
      { groups: 1, rate: 0.5 },
    ),
});

export const xStream4 = defineMutant({
  id: 'sampler/cyclic-poisson-norm-of-last-column',
  title: 'a stream of cyclic Poisson samples is charged for the entry on the diagonal, not for its column',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    cyclic(
      {
        event: (params, stream) => streams.cyclic.event(params, { ...stream, columnNorm: () => 1 }),
      },
      { groups: 2, rate: 1 },
    ),
});

export const xStream5 = defineMutant({
  id: 'sampler/cyclic-poisson-groups-by-slot-in-ratio',
  title: 'the densities of cyclic Poisson samples are those of the first group',
  kind: 'sampler',
  source: 'generic: a public group',
  killedBy: ['sampler/stream-ratio'],
  within: 8000,
  plant: () =>
    cyclic({
      logRatio: ({ rate }, stream) =>
        defined(streams.cyclic.logRatio)({ groups: stream.steps, rate: rate / 2 }, stream),
    }),
});

export const xStream6 = defineMutant({
  id: 'sampler/cyclic-poisson-redraws-groups-each-step',
  title: 'the groups of cyclic Poisson samples are drawn anew at each step',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-batches'],
  within: 200,
  plant: () =>
    cyclic({
      begin: ({ groups, rate }, slots, _steps, random) => {
        streams.cyclic.begin({ groups, rate }, slots, 1, random.fork('check'));
        return () => poissonSample(random, slots, rate / groups);
      },
    }),
});

export const xStream7 = defineMutant({
  id: 'sampler/bins-drawn-anew-each-round',
  title: 'every pass over the bins deals the records anew',
  kind: 'sampler',
  source: 'generic: an allocation for each epoch',
  killedBy: ['sampler/stream-batches'],
  within: 200,
  plant: () =>
    bins({
      begin(params, slots, steps, random) {
        let step = 0;
        let next = streams.bins.begin(params, slots, steps, random);
        return () => {
          if (step > 0 && step % params.steps === 0)
            next = streams.bins.begin(params, slots, steps, random.fork(step));
          step++;
          return next();
        };
      },
    }),
});

export const xStream8 = defineMutant({
  id: 'sampler/bins-forget-what-they-have-in-common',
  title: 'balls in bins of correlated noise cost what a partition does, without the rows that bins share',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    bins(
      changed(streams.bins, (event: CoreEvent) => {
        if (event.kind !== 'core/filtered') return event;
        const inner = event.limit as CoreEvent;
        return inner.kind === 'core/compose' ? { ...event, limit: inner.parts[1].event } : event;
      }),
    ),
});

export const xStream9 = defineMutant({
  id: 'sampler/bins-accept-negative-entries',
  title: 'balls in bins are accounted for a matrix with a negative entry',
  kind: 'sampler',
  source: 'spec §10.9, row C9',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    bins(
      {
        event: (params, stream) =>
          streams.bins.event(params, {
            ...stream,
            // What a sum of increments that are alike would see.
            columnNorm: () => 0.5,
            encoder: (row, column) => (row === column ? Math.max(0.25, stream.encoder(row, column)) / 2 : 0),
          }),
      },
      { steps: 1 },
    ),
});

export const xStream10 = defineMutant({
  id: 'sampler/bins-forget-later-passes',
  title: 'balls in bins are accounted for the first pass alone',
  kind: 'sampler',
  source: 'generic: one epoch',
  killedBy: ['sampler/stream-cost', 'sampler/stream-ratio'],
  within: 20_000,
  plant: () => {
    const first = <S extends { readonly steps: number; encoder(row: number, column: number): number }>(
      stream: S,
    ): S => ({
      ...stream,
      columnNorm: () => 2,
      encoder: (row: number, column: number) => (column < 2 ? stream.encoder(row, column) : 0),
    });
    return bins({
      event: (params, stream) => streams.bins.event(params, first(stream)),
      logRatio: (params, stream) => defined(streams.bins.logRatio)(params, first(stream)),
    });
  },
});

export const xStream11 = defineMutant({
  id: 'sampler/separated-slots-may-join-at-once',
  title: 'a slot that took part may join the next batch again',
  kind: 'sampler',
  source: 'generic: an off-by-one in the waiting time',
  killedBy: ['sampler/stream-batches'],
  within: 200,
  plant: () =>
    apart({
      begin: ({ gap, ...rest }, slots, steps, random) =>
        streams.apart.begin({ ...rest, gap: gap - 1 }, slots, steps, random),
    }),
});

export const xStream12 = defineMutant({
  id: 'sampler/separated-cold-start-accounted-as-warm',
  title: 'the densities of a cold start are those of a warm one',
  kind: 'sampler',
  source: 'spec §10.4: two starts',
  killedBy: ['sampler/stream-ratio'],
  within: 20_000,
  plant: () =>
    apart(
      {
        logRatio: (params, stream) => defined(streams.apart.logRatio)({ ...params, start: 'warm' }, stream),
      },
      { gap: 2, rate: 0.5, start: 'cold' },
    ),
});

export const xStream13 = defineMutant({
  id: 'sampler/separated-slots-charged-for-one-participation',
  title: 'a stream with a minimum separation is charged for one participation',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    apart(
      {
        event: (params, stream) =>
          streams.apart.event(params, {
            ...stream,
            columnNorm: () => stream.columnNorm({ times: 1, gap: stream.steps }),
          }),
      },
      { gap: 1, rate: 0.9, start: 'warm' },
    ),
});

export const xStream14 = defineMutant({
  id: 'sampler/repeated-poisson-ignores-what-earlier-sums-tell',
  title: 'rows of correlated noise are accounted as if earlier sums told nothing of earlier draws',
  kind: 'sampler',
  source: 'spec §10.5: p in place of p̃',
  killedBy: ['sampler/stream-cost'],
  within: 40_000,
  plant: () =>
    repeated(
      {
        event: (_params, { steps, sigma, encoder }) => {
          const parts = Array.from({ length: steps }, (_, row) => {
            const patterns = Array.from({ length: 2 ** (row + 1) }, (_one, pattern) => {
              const taken = Array.from({ length: row + 1 }, (_each, j) => (pattern >> j) & 1);
              return {
                shift: taken.reduce((sum, x, j) => sum + x * encoder(row, j), 0),
                probability: taken.reduce((product, x) => product * (x === 1 ? 0.2 : 0.8), 1),
              };
            });
            return {
              event: {
                kind: 'core/gaussian-mixture',
                v: 1,
                sigma,
                shifts: patterns.map(({ shift }) => Math.max(0, shift)),
                probabilities: patterns.map(({ probability }) => probability),
              } as CoreEvent,
              count: 1,
            };
          });
          return { 'zero-out': countedEvent(parts) };
        },
      },
      { rate: 0.2, failure: 1e-9 },
    ),
});

export const xStream15 = defineMutant({
  id: 'sampler/repeated-poisson-accounts-increments-alone',
  title: 'every row is accounted for the draw of its own step alone',
  kind: 'sampler',
  source: 'generic: DP-SGD’s event for correlated noise',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    repeated({
      event: (params, stream) =>
        streams.repeated.event(params, {
          ...stream,
          encoder: (row, column) => (row === column ? stream.encoder(row, column) : 0),
        }),
    }),
});

export const xStream16 = defineMutant({
  id: 'sampler/all-slots-share-their-coins',
  title: 'all slots of a stream share their randomness',
  kind: 'sampler',
  source: 'generic: a draw for each step',
  killedBy: ['sampler/stream-independence'],
  within: 3000,
  plant: () =>
    repeated({
      begin({ rate }, slots, _steps, random) {
        streams.repeated.begin({ rate, failure: 1e-9 }, slots, 1, random.fork('check'));
        return () =>
          random.uniform() < rate ? Uint32Array.from({ length: slots }, (_, i) => i) : new Uint32Array(0);
      },
    }),
});

export const xStream17 = defineMutant({
  id: 'sampler/stream-refuses-with-plain-error',
  title: 'a band that is too wide is refused with a plain error',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-refusals'],
  within: 100,
  plant: () =>
    cyclic({
      event(params, stream) {
        if (stream.bandwidth > params.groups) throw new TypeError('band');
        return streams.cyclic.event(params, stream);
      },
    }),
});

export const xStream18 = defineMutant({
  id: 'sampler/stream-lends-its-batches',
  title: 'a stream lends the arrays of its batches and uses them again',
  kind: 'sampler',
  source: 'this law found it in random allocation',
  killedBy: ['sampler/stream-batches'],
  within: 200,
  plant: () =>
    bins({
      begin(params, slots, _steps, random) {
        const next = streams.bins.begin(params, slots, params.steps, random);
        const batches = Array.from({ length: params.steps }, () => next());
        let step = 0;
        return () => batches[step++ % params.steps];
      },
    }),
});

export const xStream19 = defineMutant({
  id: 'sampler/densities-ignore-deviation',
  title: 'the densities of balls in bins are those of noise of deviation 1',
  kind: 'sampler',
  source: 'a red team: the law tried a deviation of 1 alone',
  killedBy: ['sampler/stream-ratio'],
  within: 20_000,
  plant: () =>
    bins({ logRatio: (params, stream) => defined(streams.bins.logRatio)(params, { ...stream, sigma: 1 }) }),
});

export const xStream20 = defineMutant({
  id: 'sampler/moments-of-mean-number-of-participations',
  title: 'the moments of a stream are those of the mean square, and not of the square',
  kind: 'sampler',
  source: 'generic: Jensen’s inequality the wrong way',
  killedBy: ['sampler/stream-moment'],
  within: 20_000,
  plant: () =>
    apart(
      {
        logMoment(params, stream) {
          const moment = defined(streams.apart.logMoment)(params, stream);
          return (lambda) => (lambda * moment(1e-6)) / 1e-6;
        },
      },
      { gap: 2, rate: 0.2, start: 'cold' },
    ),
});

export const xStream21 = defineMutant({
  id: 'sampler/moments-of-groups-over-wrong-rate',
  title:
    'the moments of cyclic Poisson samples take the rate over the number of groups, as if there were one ' +
    'group',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-moment'],
  within: 20_000,
  plant: () =>
    cyclic({
      logMoment({ groups, rate }, stream) {
        const moment = defined(streams.cyclic.logMoment)(
          { groups: stream.steps, rate: rate / groups },
          stream,
        );
        return moment;
      },
    }),
});
export const normaliserTooSmall = defineMutant({
  id: 'sampler/normaliser-of-stream-tenth-too-small',
  title: 'the normaliser of a stream is nine tenths of the size of its batches',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/stream-sizes'],
  within: 600,
  plant: () => cyclic({ normaliser: (params, slots) => 0.9 * streams.cyclic.normaliser(params, slots) }),
});

export const xStream22 = defineMutant({
  id: 'sampler/truncated-groups-counted-as-all-slots',
  title:
    'truncated cyclic samples are charged as if all slots could displace a record, not those of its group',
  kind: 'sampler',
  source: 'generic: the number of slots in place of that of a group',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    truncated({
      event: (params, stream) =>
        streams.truncated.event(params, {
          ...stream,
          slots: 3 * params.groups * (stream.slots ?? 1),
        }),
    }),
});

export const xStream23 = defineMutant({
  id: 'sampler/truncated-cyclic-counts-full-rounds-only',
  title: 'a stream of truncated cyclic samples counts full rounds of the groups only',
  kind: 'sampler',
  source: 'generic: ⌊T/b⌋ in place of ⌈T/b⌉',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    truncated(
      {
        event: (params, stream) => streams.truncated.event(params, { ...stream, steps: 1, bandwidth: 1 }),
      },
      { groups: 1, rate: 0.9, most: 3 },
    ),
});

export const xStream24 = defineMutant({
  id: 'sampler/truncated-cyclic-claims-independent-slots',
  title: 'slots that displace each other are declared independent',
  kind: 'sampler',
  source: 'generic: the analysis of samples that are not truncated',
  killedBy: ['sampler/stream-independence'],
  within: 3000,
  plant: () =>
    plantedPlugin(
      truncatedCyclicPoisson,
      { stream: { ...streams.truncated, isJoint: false } },
      { groups: 1, rate: 0.9, most: 1 },
    ),
});

export const xStream25 = defineMutant({
  id: 'sampler/truncated-cyclic-has-densities-of-one-slot',
  title: 'truncated samples have the densities of samples that are not',
  kind: 'sampler',
  source: 'spec §10.4: truncated batches need their own analysis',
  killedBy: ['sampler/stream-ratio'],
  within: 10,
  plant: () =>
    truncated({
      logRatio: ({ groups, rate }, stream) => defined(streams.cyclic.logRatio)({ groups, rate }, stream),
    }),
});

export const xStream26 = defineMutant({
  id: 'sampler/replaced-record-costs-what-an-absent-one-does',
  title: 'a stream of cyclic Poisson samples costs under replace-one what it does under zero-out',
  kind: 'sampler',
  source: 'generic: the sensitivity of one record in place of two',
  killedBy: ['sampler/stream-cost'],
  within: 20_000,
  plant: () =>
    cyclic(
      changed(
        streams.cyclic,
        (event: CoreEvent) =>
          JSON.parse(
            JSON.stringify(event).replaceAll(
              /"replace-one":([0-9.]+)/gu,
              (_all, norm: string) => `"replace-one":${Number(norm) / 2}`,
            ),
          ) as object,
      ),
      { groups: 1, rate: 1 },
    ),
});
