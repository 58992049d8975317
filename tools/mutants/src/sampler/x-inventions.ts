import { defined, poissonSample } from '@lethe/numerics';
import { seededRandom } from '@lethe/core';
import { fixedSize, full, partition, poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSampler1 = defineMutant({
  id: 'sampler/sample-fixed-size-asks-zero-out-sensitivity',
  title: 'a sample of fixed size declares zero-out as inner adjacency',
  kind: 'sampler',
  source: 'soundness, I-6',
  killedBy: ['sampler/amplification'],
  within: 5,
  plant: () =>
    plantedPlugin(fixedSize, {
      amplification(params, slots) {
        const right = fixedSize.amplification(params, slots);
        return { ...right, 'zero-out': { ...defined(right['zero-out']), inner: 'zero-out' } };
      },
    }),
});

export const xSampler2 = defineMutant({
  id: 'sampler/last-slot-never-drawn-end-range-taken',
  title: 'the last slot is never drawn: the end of the range is exclusive by mistake',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 1000,
  plant: () =>
    plantedPlugin(poisson, {
      draw: ({ rate }, slots, random) => poissonSample(random, Math.max(0, slots - 1), rate),
    }),
});

export const xSampler3 = defineMutant({
  id: 'sampler/partition-consecutive-parts-supports-add-remove',
  title: 'a partition of consecutive parts supports add-remove',
  kind: 'sampler',
  source: 'soundness, I-6',
  killedBy: ['sampler/removal'],
  within: 20,
  plant: () =>
    plantedPlugin(
      partition,
      {
        amplification: (params, slots) => ({
          ...partition.amplification(params, slots),
          'add-remove': { sampler: null, inner: 'add-remove' },
        }),
      },
      { parts: 2, part: 1 },
    ),
});

export const xSampler4 = defineMutant({
  id: 'sampler/means-divide-size-last-batch',
  title: 'means divide by the size of the last batch',
  kind: 'sampler',
  source: 'Opacus #571',
  killedBy: ['sampler/coins', 'sampler/amplification'],
  within: 30,
  plant() {
    let last = 1;
    return plantedPlugin(poisson, {
      normaliser: (params, slots) => (poisson.normaliser(params, slots) > 0 ? Math.max(1, last) : 1),
      draw(params, slots, random) {
        const draw = poisson.draw(params, slots, random);
        last = draw.length;
        return draw;
      },
    });
  },
});

export const xSampler5 = defineMutant({
  id: 'sampler/one-shuffle-epoch-cut-consecutive-batches-each',
  title: 'consecutive batches of one shuffle are declared as independent uniform subsets',
  kind: 'sampler',
  source: 'Chua et al. 2024',
  killedBy: ['sampler/coins'],
  within: 30,
  plant() {
    let queue: number[] = [];
    return plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        queue = queue.filter((position) => position < slots);
        if (queue.length < size)
          queue = Array.from(fixedSize.draw({ size: slots }, slots, random)).toSorted(
            () => random.integer(3) - 1,
          );
        return Uint32Array.from(queue.splice(0, size)).toSorted();
      },
    });
  },
});

export const xSampler6 = defineMutant({
  id: 'sampler/coins-replaced-constant-seed',
  title: 'the random source is replaced by a constant seed',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals', 'sampler/subsets'],
  within: 200,
  plant: () =>
    plantedPlugin(poisson, { draw: (params, slots) => poisson.draw(params, slots, seededRandom('42')) }),
});

export const xSampler7 = defineMutant({
  id: 'sampler/shuffle-behind-fixed-size-sample-swaps-any',
  title: 'the shuffle behind a fixed-size sample swaps with any position (biased shuffle)',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/subsets', 'sampler/marginals'],
  within: 300,
  plant: () =>
    plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        if (size > slots) return fixedSize.draw({ size }, slots, random);
        const all = Uint32Array.from({ length: slots }, (_, i) => i);
        for (let i = 0; i < size; i++) {
          const j = random.integer(slots);
          const held = all[i];
          all[i] = all[j];
          all[j] = held;
        }
        return all.slice(0, size).toSorted();
      },
    }),
});

export const xSampler8 = defineMutant({
  id: 'sampler/records-drawn-pairs-neighbours-each-right-probability',
  title: 'records are drawn in pairs of neighbours, each with the right probability',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 500,
  plant: () =>
    plantedPlugin(poisson, {
      draw: ({ rate }, slots, random) =>
        Uint32Array.from(
          Array.from(poissonSample(random, Math.ceil(slots / 2), rate))
            .flatMap((pair) => [2 * pair, 2 * pair + 1])
            .filter((position) => position < slots),
        ),
    }),
});

export const xSampler9 = defineMutant({
  id: 'sampler/poisson-sample-says-size-public',
  title: 'a Poisson sample declares its size as public',
  kind: 'sampler',
  source: 'soundness, I-6',
  killedBy: ['sampler/amplification', 'sampler/size'],
  within: 5,
  plant: () => plantedPlugin(poisson, { size: 'exact' }),
});

export const xSampler10 = defineMutant({
  id: 'sampler/everyone-takes-part-rate-one-half-declared',
  title: 'all slots are drawn, with a declared rate of one half',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 200,
  plant: () =>
    plantedPlugin(full, {
      size: 'hidden',
      normaliser: (_params, slots) => slots / 2,
      amplification: (_params, slots) => poisson.amplification({ rate: 0.5 }, slots),
    }),
});

export const xSampler12 = defineMutant({
  id: 'sampler/rate-10-higher-declared',
  title: 'the rate is 10 % higher than declared',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals', 'sampler/normaliser'],
  within: 15_000,
  plant: () =>
    plantedPlugin(
      poisson,
      { draw: ({ rate }, slots, random) => poissonSample(random, slots, 1.1 * rate) },
      { rate: 0.02 },
    ),
});

export const xSampler11 = defineMutant({
  id: 'sampler/empty-batch-drawn-again-until-not-empty',
  title: 'an empty batch is redrawn',
  kind: 'sampler',
  source: 'Opacus #164',
  killedBy: ['sampler/marginals'],
  within: 3000,
  plant: () =>
    plantedPlugin(poisson, {
      draw(params, slots, random) {
        for (let attempt = 0; ; attempt++) {
          const draw = poisson.draw(params, slots, attempt === 0 ? random : random.fork(attempt));
          if (draw.length > 0 || slots === 0) return draw;
        }
      },
    }),
});
