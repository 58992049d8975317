import { defined, sampleWithoutReplacement } from '@lethe/numerics';
import {
  fixedSize,
  fixedSizeWithReplacement,
  full,
  poisson,
  randomAllocation,
  shuffledEpochs,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSampler60 = defineMutant({
  id: 'sampler/batches-cut-off-three-standard-deviations-above',
  title: 'batches are truncated at three standard deviations above their mean size',
  kind: 'sampler',
  source: 'capped physical batches',
  killedBy: ['sampler/marginals'],
  within: 1,
  plant: () =>
    plantedPlugin(
      poisson,
      {
        draw: ({ rate }, slots, random) =>
          poisson
            .draw({ rate }, slots, random)
            .slice(0, Math.ceil(rate * slots + 3 * Math.sqrt(rate * (1 - rate) * slots))),
      },
      { rate: 0.02 },
    ),
});

export const xSampler61 = defineMutant({
  id: 'sampler/more-1000-slots-rate-1-larger',
  title: 'the rate is 1 % too large for more than 1000 slots',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 1,
  plant: () =>
    plantedPlugin(poisson, {
      draw: ({ rate }, slots, random) =>
        poisson.draw({ rate: slots > 1000 ? 1.01 * rate : rate }, slots, random),
    }),
});

export const xSampler62 = defineMutant({
  id: 'sampler/one-slot-drawn-each-equal-strata-many',
  title: 'for many slots, one slot is drawn from each of equal strata',
  kind: 'sampler',
  source: 'stratified batches',
  killedBy: ['sampler/marginals'],
  within: 8000,
  plant: () =>
    plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        if (!(slots >= 50)) return fixedSize.draw({ size }, slots, random);
        const edge = (k: number): number => Math.floor((k * slots) / size);
        return Uint32Array.from({ length: size }, (_, k) => edge(k) + random.integer(edge(k + 1) - edge(k)));
      },
    }),
});

export const xSampler63 = defineMutant({
  id: 'sampler/more-64-slots-no-slot-drawn-twice',
  title: 'draws from more than 64 slots have no repeats, although declared with replacement',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 15_000,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      draw: ({ size }, slots, random) =>
        slots > 64 && size <= slots && slots < 2 ** 32
          ? sampleWithoutReplacement(random, slots, size).toSorted()
          : fixedSizeWithReplacement.draw({ size }, slots, random),
    }),
});

export const xSampler64 = defineMutant({
  id: 'sampler/slots-beyond-first-65-536-never-drawn',
  title: 'slots beyond the first 65 536 are never drawn',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 40_000,
  plant: () =>
    plantedPlugin(fixedSizeWithReplacement, {
      draw: (params, slots, random) =>
        fixedSizeWithReplacement.draw(
          params,
          Number.isSafeInteger(slots) ? Math.min(slots, 65_536) : slots,
          random,
        ),
    }),
});

export const xSampler65 = defineMutant({
  id: 'sampler/everyone-takes-part-slots-beyond-first-65',
  title: 'all slots are drawn, except those beyond the first 65 536',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/size'],
  within: 1,
  plant: () =>
    plantedPlugin(full, {
      draw: (params, slots, random) => full.draw(params, slots, random).slice(0, 65_536),
    }),
});

export const xSampler66 = defineMutant({
  id: 'sampler/slots-1000-apart-dealt-one-batch',
  title: 'slots 1000 apart are assigned to the same batch',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-frequencies'],
  within: 1,
  plant: () =>
    plantedPlugin(randomAllocation, {
      partition: {
        ...defined(randomAllocation.partition),
        draw({ steps }, slots, random) {
          const batches = defined(randomAllocation.partition).draw({ steps }, Math.min(slots, 1000), random);
          return batches.map((batch) =>
            Uint32Array.from(
              [0, 1, 2, 3, 4].flatMap((k) =>
                Array.from(batch, (slot) => slot + 1000 * k).filter((slot) => slot < slots),
              ),
            ),
          );
        },
      },
    }),
});

export const xSampler67 = defineMutant({
  id: 'sampler/epoch-shuffled-sorting-random-comparisons',
  title: 'an epoch is shuffled by sorting with random comparisons',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-frequencies'],
  within: 6000,
  plant: () =>
    plantedPlugin(shuffledEpochs, {
      partition: {
        ...defined(shuffledEpochs.partition),
        draw({ size }, slots, random) {
          const count = defined(shuffledEpochs.partition).draw({ size }, slots, random).length;
          const order = Array.from({ length: slots }, (_, slot) => slot).toSorted(
            () => random.uniform() - 0.5,
          );
          return Array.from({ length: count }, (_, k) =>
            Uint32Array.from(order.slice(k * size, (k + 1) * size)).toSorted(),
          );
        },
      },
    }),
});

export const xSampler68 = defineMutant({
  id: 'sampler/next-epoch-dealt-arrays-last',
  title: 'the next epoch overwrites the arrays of the last',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/partition-coins'],
  within: 60,
  plant: () => {
    const kept = new Map<string, readonly Uint32Array[]>();
    return plantedPlugin(shuffledEpochs, {
      partition: {
        ...defined(shuffledEpochs.partition),
        draw(params, slots, random) {
          const batches = defined(shuffledEpochs.partition).draw(params, slots, random);
          const name = `${params.size} ${slots}`;
          const arrays = kept.get(name) ?? batches;
          batches.forEach((batch, k) => {
            arrays[k].set(batch);
          });
          kept.set(name, arrays);
          return arrays;
        },
      },
    });
  },
});

export const xSampler69 = defineMutant({
  id: 'sampler/no-one-drawn-negative-number-slots-nothing',
  title: 'a draw from a negative number of slots is empty instead of refused',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/positions'],
  within: 1,
  plant: () =>
    plantedPlugin(poisson, {
      draw: (params, slots, random) => (slots < 0 ? new Uint32Array(0) : poisson.draw(params, slots, random)),
    }),
});
