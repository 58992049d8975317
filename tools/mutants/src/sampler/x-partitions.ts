import { defined, sampleWithoutReplacement } from '@lethe/numerics';
import { seededRandom, type RandomSource } from '@lethe/core';
import {
  fixedSize,
  fixedSizeWithReplacement,
  partition,
  randomAllocation,
  shuffledEpochs,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

type Epochs = NonNullable<typeof shuffledEpochs.partition>;
type Allocation = NonNullable<typeof randomAllocation.partition>;
const epochs = (bug: Partial<Epochs>, params?: unknown) =>
  plantedPlugin(shuffledEpochs, { partition: { ...defined(shuffledEpochs.partition), ...bug } }, params);
const allocation = (bug: Partial<Allocation>, params?: unknown) =>
  plantedPlugin(randomAllocation, { partition: { ...defined(randomAllocation.partition), ...bug } }, params);
const shuffled = defined(shuffledEpochs.partition);
const allocated = defined(randomAllocation.partition);

export const xSampler18 = defineMutant({
  id: 'sampler/neighbouring-batches-epoch-overlap-one-record',
  title: 'neighbouring batches of an epoch overlap by one record',
  kind: 'sampler',
  source: 'strided windows',
  killedBy: ['sampler/partition'],
  within: 40,
  plant: () =>
    epochs({
      draw(params, slots, random) {
        const batches = shuffled.draw(params, slots, random);
        return batches.map((batch, k) => (k === 0 ? batch : batch.with(0, batches[k - 1][0]).toSorted()));
      },
    }),
});

export const xSampler19 = defineMutant({
  id: 'sampler/epoch-drops-last-batch-too',
  title: 'an epoch drops its last batch, too',
  kind: 'sampler',
  source: 'drop_last',
  killedBy: ['sampler/partition'],
  within: 40,
  plant: () => epochs({ draw: (params, slots, random) => shuffled.draw(params, slots, random).slice(0, -1) }),
});

export const xSampler20 = defineMutant({
  id: 'sampler/remainder-epoch-drops-always-last-records',
  title: 'the remainder that an epoch drops is always the last records',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-distribution', 'sampler/partition-frequencies'],
  within: 200,
  plant: () =>
    epochs({
      draw: ({ size }, slots, random) =>
        shuffled.draw({ size }, slots < size ? slots : slots - (slots % size), random),
    }),
});

export const xSampler21 = defineMutant({
  id: 'sampler/every-epoch-forks-source-same-label-all',
  title: 'every epoch forks its source with the same label, so that all epochs are equal',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-frequencies'],
  within: 2000,
  plant: () =>
    epochs({ draw: (params, slots, random) => shuffled.draw(params, slots, random.fork('epoch')) }),
});

export const xSampler22 = defineMutant({
  id: 'sampler/allocation-uses-coins-last-epoch-again',
  title: 'an allocation reuses the randomness of the last epoch',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-frequencies'],
  within: 2000,
  plant: () =>
    allocation({ draw: (params, slots, random) => allocated.draw(params, slots, random.fork('allocation')) }),
});

export const allocatedTwice = defineMutant({
  id: 'sampler/allocation-declares-two-batches-of-each-slot',
  title: 'an allocation to one batch declares two batches of each slot',
  kind: 'sampler',
  source: 'docs/decisions/0084',
  killedBy: ['sampler/partition-amplification'],
  within: 20,
  plant: () =>
    allocation({
      amplification: ({ steps }) => {
        const sampler = { kind: 'core/random-allocation', steps, times: Math.min(2, steps) } as const;
        return {
          'add-remove': { sampler, inner: 'add-remove' },
          'zero-out': { sampler, inner: 'zero-out' },
        };
      },
    }),
});

export const xSampler23 = defineMutant({
  id: 'sampler/epoch-shuffled-batches-earns-random-allocation',
  title: 'an epoch of shuffled batches declares random allocation',
  kind: 'sampler',
  source: 'Chua et al. 2024',
  killedBy: ['sampler/partition-amplification'],
  within: 20,
  plant: () =>
    epochs({
      amplification: (params, slots) => {
        const sampler = {
          kind: 'core/random-allocation',
          steps: shuffled.normalisers(params, slots).length,
        } as const;
        return {
          'replace-one': { sampler, inner: 'replace-one' },
          'zero-out': { sampler, inner: 'zero-out' },
        };
      },
    }),
});

export const xSampler24 = defineMutant({
  id: 'sampler/every-batch-epoch-amplified-like-one-draw',
  title: 'every batch of an epoch is amplified like one draw',
  kind: 'sampler',
  source: 'Opacus #128',
  killedBy: ['sampler/partition-amplification'],
  within: 20,
  plant: () => epochs({ amplification: (params, slots) => shuffledEpochs.amplification(params, slots) }),
});

export const xSampler25 = defineMutant({
  id: 'sampler/allocation-deals-batches-equal-size',
  title: 'a random allocation has batches of equal size',
  kind: 'sampler',
  source: 'balls into bins',
  killedBy: ['sampler/partition-distribution', 'sampler/partition-frequencies'],
  within: 400,
  plant: () =>
    allocation(
      {
        draw({ steps }, slots, random) {
          const order = sampleWithoutReplacement(random, slots, slots);
          return Array.from({ length: steps }, (_, k) =>
            order.slice(Math.floor((k * slots) / steps), Math.floor(((k + 1) * slots) / steps)).toSorted(),
          );
        },
      },
      { steps: 2 },
    ),
});

export const xSampler26 = defineMutant({
  id: 'sampler/byte-modulo-number-steps-chooses-step',
  title: 'a byte modulo the number of steps chooses the step',
  kind: 'sampler',
  source: 'classic',
  killedBy: ['sampler/partition-frequencies', 'sampler/partition-distribution'],
  within: 20_000,
  plant: () =>
    allocation(
      {
        draw({ steps }, slots, random) {
          const batches: number[][] = Array.from({ length: steps }, () => []);
          for (const [slot, byte] of random.bytes(slots).entries()) batches[byte % steps].push(slot);
          return batches.map((batch) => Uint32Array.from(batch));
        },
      },
      { steps: 100 },
    ),
});

export const xSampler27 = defineMutant({
  id: 'sampler/neighbouring-records-go-neighbouring-steps',
  title: 'adjacent records are assigned to adjacent steps',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-distribution', 'sampler/partition-frequencies'],
  within: 400,
  plant: () =>
    allocation(
      {
        draw({ steps }, slots, random) {
          const first = random.integer(steps);
          return Array.from({ length: steps }, (_, k) =>
            Uint32Array.from({ length: slots }, (_slot, slot) => slot).filter(
              (slot) => (first + slot) % steps === k,
            ),
          );
        },
      },
      { steps: 3 },
    ),
});

export const xSampler28 = defineMutant({
  id: 'sampler/allocation-skips-first-step-warm',
  title: 'an allocation skips the first step, as a warm-up',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-distribution', 'sampler/partition-normalisers'],
  within: 400,
  plant: () =>
    allocation(
      {
        draw(params, slots, random) {
          const [first, second, ...rest] = allocated.draw(params, slots, random);
          return [new Uint32Array(), Uint32Array.of(...first, ...second).toSorted(), ...rest];
        },
      },
      { steps: 3 },
    ),
});

export const xSampler29 = defineMutant({
  id: 'sampler/partition-dealt-consecutive-parts-supports-add-remove',
  title: 'a partition into consecutive parts supports add-remove',
  kind: 'sampler',
  source: 'soundness, I-6',
  killedBy: ['sampler/partition-removal'],
  within: 20,
  plant: () =>
    plantedPlugin(
      partition,
      {
        partition: {
          ...defined(partition.partition),
          amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }),
        },
      },
      { parts: 2 },
    ),
});

export const xSampler30 = defineMutant({
  id: 'sampler/epoch-goes-last-one-ended-memory',
  title: 'an epoch continues the order of the last one',
  kind: 'sampler',
  source: 'data loaders',
  killedBy: ['sampler/partition-coins'],
  within: 60,
  plant() {
    const left = new Map<number, RandomSource>();
    return epochs({
      draw(params, slots, random) {
        const source = left.get(slots) ?? seededRandom(slots);
        left.set(slots, source);
        return shuffled.draw(params, slots, slots % 2 === 0 ? source : random);
      },
    });
  },
});

export const xSampler31 = defineMutant({
  id: 'sampler/allocation-amplified-sizes-batches-public',
  title: 'an allocation with public batch sizes is amplified',
  kind: 'sampler',
  source: 'soundness, I-6',
  killedBy: ['sampler/partition-amplification'],
  within: 20,
  plant: () => plantedPlugin(randomAllocation, { size: 'exact' }, { steps: 2 }),
});

export const xSampler32 = defineMutant({
  id: 'sampler/replacement-declared-draws-without',
  title: 'replacement is declared for draws without',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/subsets', 'sampler/marginals'],
  within: 1000,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      draw: ({ size }, slots, random) => fixedSize.draw({ size: Math.min(size, slots) }, slots, random),
    }),
});

export const xSampler33 = defineMutant({
  id: 'sampler/repeats-dropped-size-declared-not',
  title: 'repeats are dropped without a change of the declared size',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/size', 'sampler/subsets'],
  within: 100,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      draw: (params, slots, random) =>
        Uint32Array.from(new Set(fixedSizeWithReplacement.draw(params, slots, random))),
    }),
});

export const xSampler34 = defineMutant({
  id: 'sampler/draws-replacement-declared-without-needs-no-groups',
  title: 'draws with replacement are declared as draws without',
  kind: 'sampler',
  source: 'Balle, Barthe, Gaboardi 2018, Theorem 10',
  killedBy: ['sampler/positions', 'sampler/subsets'],
  within: 400,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      amplification: ({ size }, slots) => fixedSize.amplification({ size: Math.min(size, slots) }, slots),
      normaliser: ({ size }, slots) => Math.min(size, slots),
    }),
});

export const xSampler35 = defineMutant({
  id: 'sampler/repeated-draw-repeats-slot-before-half-time',
  title: 'half of the draws with replacement repeat the last slot',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/subsets', 'sampler/marginals'],
  within: 2000,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      draw({ size }, slots, random) {
        const drawn = new Uint32Array(size);
        for (let i = 0; i < size; i++)
          drawn[i] = i > 0 && random.integer(2) === 0 ? drawn[i - 1] : random.integer(slots);
        return drawn.toSorted();
      },
    }),
});
