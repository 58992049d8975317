import {
  sampledEvent,
  type CoreEvent,
  type MeanQuery,
  type PrivacyEvent,
  type Query,
  type Sampler,
} from '@lethe/core';
import { centralCurator, type Ledger } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { changed, curatorOf, filing, isVector, withLedger, withPlugins } from './wrap.js';

const source = 'speed issue, section 1: draw, mean and close as one query';
type Entry = Parameters<Ledger['append']>[0];
type SampledMean = MeanQuery & Required<Pick<MeanQuery, 'sampler'>>;

const ofSample = (query: Query): query is SampledMean => query.ask === 'mean' && query.sampler !== undefined;
const isSampled = (event: PrivacyEvent): event is CoreEvent<'core/sampled'> => event.kind === 'core/sampled';

/** The entry with another charge, where it is that of a sample. */
const charging =
  (change: (charge: NonNullable<Entry['effect']['charge']>) => NonNullable<Entry['effect']['charge']>) =>
  (entry: Entry): Entry => {
    const { charge } = entry.effect;
    if (charge === undefined || !isSampled(charge.event)) return entry;
    return { ...entry, effect: { ...entry.effect, charge: change(charge) } };
  };

export const ignored = defineMutant({
  id: 'curator/sampler-mean-amplifies-charge-alone',
  title: 'the sampler of a mean amplifies its charge, and the mean is of the whole batch',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      let rate: number | undefined;
      const inner = centralCurator(
        withLedger(options, (ledger) => ({
          append(entry) {
            const { charge } = entry.effect;
            if (charge === undefined || rate === undefined) {
              ledger.append(entry);
              return;
            }
            const event = sampledEvent({ kind: 'core/poisson', rate }, charge.event);
            ledger.append({ ...entry, effect: { ...entry.effect, charge: { ...charge, event } } });
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          if (!ofSample(query) || query.sampler.name !== 'laws/poisson') return inner.answer(index, query);
          rate = (query.sampler.params as { readonly rate: number }).rate;
          const { sampler: _sampler, ...whole } = query;
          try {
            return inner.answer(index, whole);
          } finally {
            rate = undefined;
          }
        },
      };
    }),
});

/** A curator whose samplers draw otherwise for means of samples. */
const sampling = (change: (draw: Sampler['draw']) => Sampler['draw']) => () =>
  curatorOf((options) => {
    let isOfSample = false;
    const inner = centralCurator(
      withPlugins<Sampler>(options, 'sampler', ({ draw }) => {
        const other = change(draw);
        return { draw: (...given) => (isOfSample ? other : draw)(...given) };
      }),
    );
    return {
      ...inner,
      answer(index, query) {
        isOfSample = ofSample(query);
        return inner.answer(index, query);
      },
    };
  });

export const reused = defineMutant({
  id: 'curator/sample-mean-kept-next',
  title: 'the sample of a mean is kept for the next mean',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 100,
  plant: sampling((draw) => {
    const kept = new Map<string, Uint32Array>();
    return (params, slots, random) => {
      const key = JSON.stringify([params, slots]);
      const rows = kept.get(key) ?? draw(params, slots, random);
      kept.set(key, rows);
      return rows;
    };
  }),
});

export const realised = defineMutant({
  id: 'curator/mean-sample-divides-how-many-drawn',
  title: 'a mean of a sample divides by the number of drawn records',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      let [drawn, normaliser] = [0, 0];
      const inner = centralCurator(
        withPlugins<Sampler>(options, 'sampler', (sampler) => ({
          draw(params, slots, random) {
            const rows = sampler.draw(params, slots, random);
            drawn = rows.length;
            normaliser = sampler.normaliser(params, slots);
            return rows;
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          const answered = inner.answer(index, query);
          if (ofSample(query) && drawn > 0 && isVector(answered.answer))
            for (let j = 0; j < answered.answer.length; j++) answered.answer[j] *= normaliser / drawn;
          return answered;
        },
      };
    }),
});

export const fromEveryone = defineMutant({
  id: 'curator/sample-part-drawn-all-records',
  title: 'the sample of a part is drawn from all records',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 200,
  plant: () =>
    changed((inner) => ({
      answer: (index, query) =>
        inner.answer(index, ofSample(query) ? { ...query, batch: inner.allRecords } : query),
    })),
});

export const twice = defineMutant({
  id: 'curator/mean-sample-amplified-twice',
  title: 'a mean of a sample is amplified twice',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 300,
  plant: () =>
    filing(() =>
      charging((charge) => ({
        ...charge,
        event: sampledEvent((charge.event as CoreEvent<'core/sampled'>).sampler, charge.event),
      })),
    ),
});

export const apart = defineMutant({
  id: 'curator/samples-one-batch-charged-parallel',
  title: 'samples of one batch are charged in parallel',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 300,
  plant: () =>
    filing(() => {
      let place = 1e6;
      return charging((charge) => ({ ...charge, on: { space: 'all', from: place++, to: place } }));
    }),
});

export const drawnFirst = defineMutant({
  id: 'curator/sample-drawn-before-its-charge',
  title: 'the sample of a mean is drawn before its charge is on record',
  kind: 'curator',
  source,
  killedBy: ['curator/samples'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      const waiting: Entry[] = [];
      let forward: ((entry: Entry) => void) | undefined;
      const inner = centralCurator(
        withPlugins<Sampler>(
          withLedger(options, (ledger) => {
            forward = (entry) => ledger.append(entry);
            return { append: (entry) => (holding ? void waiting.push(entry) : ledger.append(entry)) };
          }),
          'sampler',
          ({ draw }) => ({
            draw(...given) {
              const rows = draw(...given);
              for (const entry of waiting.splice(0)) forward?.(entry);
              return rows;
            },
          }),
        ),
      );
      let holding = false;
      return {
        ...inner,
        answer(index, query) {
          holding = ofSample(query);
          return inner.answer(index, query);
        },
      };
    }),
});
