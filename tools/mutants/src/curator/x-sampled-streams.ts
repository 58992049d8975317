import { defined } from '@lethe/numerics';
import { seededRandom, type CoreEvent, type SamplerStream } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { drawing, filing } from './wrap.js';

/** A curator with changed streams of all samplers that have one. */
const streaming = (change: (stream: SamplerStream) => Partial<SamplerStream>) =>
  drawing(({ stream }) => (stream === undefined ? {} : { stream: { ...stream, ...change(stream) } }));
const everySlot = (slots: number): Uint32Array => Uint32Array.from({ length: slots }, (_, i) => i);

export const xSampledStream1 = defineMutant({
  id: 'curator/sampled-stream-takes-all-records',
  title: 'a sampled stream takes all records at every step',
  kind: 'curator',
  source: 'generic: the batch that is pushed in place of the one that is drawn',
  killedBy: ['curator/sampled-stream-batches'],
  within: 20,
  plant: () =>
    streaming(() => ({
      begin: (_params, slots) => () => everySlot(slots),
    })),
});

export const xSampledStream2 = defineMutant({
  id: 'curator/sampled-stream-draws-once',
  title: 'a sampled stream draws its batch once',
  kind: 'curator',
  source: 'generic: the randomness of a step is that of the stream',
  killedBy: ['curator/sampled-stream-batches'],
  within: 20,
  plant: () =>
    streaming(({ begin }) => ({
      begin(params, slots, steps, random) {
        const batch = begin(params, slots, steps, random)();
        return () => batch;
      },
    })),
});

let drawn = 0;
export const xSampledStream3 = defineMutant({
  id: 'curator/sampled-stream-draws-anew-after-resume',
  title: 'a sampled stream draws other batches after a resume',
  kind: 'curator',
  source: 'generic: randomness that is not that of the query',
  killedBy: ['curator/sampled-stream-batches'],
  within: 20,
  plant: () =>
    streaming(({ begin }) => ({
      begin: (params, slots, steps) => begin(params, slots, steps, seededRandom(`other coins ${drawn++}`)),
    })),
});

export const xSampledStream4 = defineMutant({
  id: 'curator/sampled-streams-share-their-coins',
  title: 'all sampled streams of a run have the same randomness',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/sampled-stream-batches'],
  within: 20,
  plant: () =>
    streaming(({ begin }) => ({
      begin: (params, slots, steps) => begin(params, slots, steps, seededRandom('one stream')),
    })),
});

export const xSampledStream5 = defineMutant({
  id: 'curator/sampled-stream-charged-for-one-step',
  title: 'a sampled stream is charged for one of its steps',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/sampled-stream-charge'],
  within: 20,
  plant: () =>
    filing(() => (entry) => {
      const { charge, stream } = entry.effect;
      const event = charge?.event as CoreEvent | undefined;
      return stream?.sampling !== undefined && event?.kind === 'core/compose'
        ? {
            ...entry,
            effect: { ...entry.effect, charge: { ...defined(charge), event: defined(event.parts[0]).event } },
          }
        : entry;
    }),
});

export const xSampledStream6 = defineMutant({
  id: 'curator/sampled-stream-charged-for-more-noise',
  title: 'the charge of a sampled stream takes noise over the bound, in place of over one increment',
  kind: 'curator',
  source: 'generic: units of the noise',
  killedBy: ['curator/sampled-stream-charge'],
  within: 20,
  plant: () =>
    streaming(({ event }) => ({
      event: (params, stream) => event(params, { ...stream, sigma: stream.sigma / 0.75 }),
    })),
});

export const xSampledStream7 = defineMutant({
  id: 'curator/stream-opened-without-verification',
  title: 'a stream is opened without its verification',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () => streaming(() => ({ logRatio: () => () => 0 })),
});

export const xSampledStream8 = defineMutant({
  id: 'curator/verification-of-present-records-only',
  title: 'losses are verified for a present record only',
  kind: 'curator',
  source: 'generic: one direction',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    streaming(({ logRatio }) => ({
      logRatio(params, stream) {
        const ratio = defined(logRatio)(params, stream);
        return (sums) => Math.max(0, ratio(sums));
      },
    })),
});

export const xSampledStream9 = defineMutant({
  id: 'curator/verification-of-absent-records-only',
  title: 'losses are verified for an absent record only',
  kind: 'curator',
  source: 'generic: one direction',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    streaming(({ logRatio }) => ({
      logRatio(params, stream) {
        const ratio = defined(logRatio)(params, stream);
        return (sums) => Math.min(0, ratio(sums));
      },
    })),
});

export const xSampledStream10 = defineMutant({
  id: 'curator/verified-threshold-is-delta-itself',
  title: 'a verification passes where the mean is at most δ itself',
  kind: 'curator',
  source: 'spec §10.7: a is not δ*',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    filing(() => (entry) => {
      const { charge, stream } = entry.effect;
      const event = charge?.event as CoreEvent | undefined;
      return stream?.verified !== undefined && event?.kind === 'core/verified'
        ? {
            ...entry,
            effect: {
              ...entry.effect,
              charge: { ...defined(charge), event: { ...event, threshold: event.delta } },
            },
          }
        : entry;
    }),
});

export const xSampledStream11 = defineMutant({
  id: 'curator/failed-verification-not-charged',
  title: 'a verification that fails is not charged',
  kind: 'curator',
  source: 'spec §10.7: re-running until it passes',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    filing(
      () => (entry) =>
        entry.effect.stream?.verified === undefined || entry.effect.stream.verified.sigma > 1
          ? entry
          : {
              ...entry,
              effect: {
                ...entry.effect,
                charge: { ...defined(entry.effect.charge), event: { kind: 'core/free', v: 1 } },
              },
            },
    ),
});

export const xSampledStream12 = defineMutant({
  id: 'curator/sampled-stream-takes-scale-for-deviation',
  title: 'the charge of a sampled stream takes the scale of its mechanism for the deviation of the noise',
  kind: 'curator',
  source: 'a red team: a mechanism of half the deviation halved the noise, and not the charge',
  killedBy: ['curator/sampled-stream-charge'],
  within: 20,
  plant: () =>
    streaming(({ event }) => ({
      event: (params, stream) => event(params, { ...stream, sigma: Math.max(stream.sigma, 1) }),
    })),
});

export const xSampledStream13 = defineMutant({
  id: 'curator/exaggerated-losses-weighted-too-little',
  title: 'samples that are drawn towards large losses weigh less than they are rarer',
  kind: 'curator',
  source: 'generic: a density that is normalised wrongly',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () => {
    // The density of what is drawn is asked for with another deviation, for the same matrix.
    const first = new WeakMap<object, number>();
    return streaming(({ logRatio }) => ({
      logRatio(params, stream) {
        const ratio = defined(logRatio)(params, stream);
        const sigma = first.get(stream.encoder) ?? stream.sigma;
        first.set(stream.encoder, sigma);
        return sigma === stream.sigma ? ratio : (sums) => ratio(sums) + 5;
      },
    }));
  },
});

export const xSampledStream14 = defineMutant({
  id: 'curator/verified-values-said-to-be-smaller',
  title: 'a verification says that its weighted values are smaller than they are proved to be',
  kind: 'curator',
  source: 'generic: the largest value decides how many samples it takes',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    filing(() => (entry) => {
      const { charge, stream } = entry.effect;
      const event = charge?.event as CoreEvent | undefined;
      return stream?.verified !== undefined && event?.kind === 'core/verified'
        ? {
            ...entry,
            effect: {
              ...entry.effect,
              charge: { ...defined(charge), event: { ...event, largest: (event.largest ?? 1) / 2 } },
            },
          }
        : entry;
    }),
});

export const xSampledStream15 = defineMutant({
  id: 'curator/verification-compares-a-record-with-itself',
  title: 'the densities of a stream are those of sums and of their opposites alike',
  kind: 'curator',
  source: 'generic: a replaced record costs nothing',
  killedBy: ['curator/verified-stream'],
  within: 20,
  plant: () =>
    streaming(({ logRatio }) => ({
      logRatio(params, stream) {
        const ratio = defined(logRatio)(params, stream);
        return (sums) => Math.max(ratio(sums), ratio(sums.map((sum) => -sum)));
      },
    })),
});
