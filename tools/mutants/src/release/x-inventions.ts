import type { ReleaseSubject, Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { poissonBatches, sampledSums } from '../reference/sampled-gaussian.js';

export const xRelease2 = defineMutant({
  id: 'release/step-batch-empty-skipped-without-noise',
  title: 'a step with an empty batch is skipped without noise',
  kind: 'release',
  source: 'Opacus #164',
  killedBy: ['release/atoms'],
  within: 2000,
  plant: () => {
    const subject = sampledSums('empty batches without noise', { batching: poissonBatches, others: null });
    return {
      ...subject,
      release: ((records: readonly (number | null)[], { random }) => {
        const batches = poissonBatches(records.length, random.fork('batches'));
        const noise = random.fork('noise').gaussianInto(new Float64Array(batches.length));
        return noise.map((z, t) =>
          batches[t].every((i) => records[i] === null)
            ? 0
            : 0.5 * z + batches[t].reduce((sum, i) => sum + (records[i] ?? 0), 0),
        );
      }) as ReleaseSubject['release'],
    };
  },
});

export const xRelease3 = defineMutant({
  id: 'release/noise-comes-stream-module-not-coins',
  title: 'the noise comes from a stream of the module, not from the given source',
  kind: 'release',
  source: 'generic',
  killedBy: ['release/deterministic-given-coins'],
  within: 50,
  plant: () => {
    const subject = sampledSums('noise of its own', { batching: poissonBatches, others: 0 });
    let calls = 0;
    return {
      ...subject,
      release: ((data, randomness) =>
        subject.release(data, {
          ...randomness,
          random: randomness.random.fork(calls++),
        })) as ReleaseSubject['release'],
    } satisfies Subject<'release'>;
  },
});

export const xRelease4 = defineMutant({
  id: 'release/sums-private-number-records-goes-out-beside',
  title: 'the number of records is released beside private sums',
  kind: 'release',
  source: 'generic',
  killedBy: ['release/fresh-coins', 'release/hockey-stick'],
  within: 2500,
  plant: () => {
    const subject = sampledSums('sums with a count', { batching: poissonBatches, others: 0 });
    return {
      ...subject,
      release: ((records: readonly (number | null)[], randomness) => [
        ...Array.from(subject.release(records, randomness)),
        records.filter((x) => x !== null).length,
      ]) as ReleaseSubject['release'],
    };
  },
});

export const xRelease5 = defineMutant({
  id: 'release/noise-fifth-too-small',
  title: 'the noise is too small by a fifth',
  kind: 'release',
  source: 'generic',
  killedBy: ['release/hockey-stick'],
  within: 20_000,
  plant: () => sampledSums('too little noise', { batching: poissonBatches, others: 0, noise: 0.4 }),
});

export const xRelease6 = defineMutant({
  id: 'release/first-record-every-batch-though-order-should',
  title: 'the first record is in every batch, although order should not matter',
  kind: 'release',
  source: 'Tumult Core, repartition',
  killedBy: ['release/permutation'],
  within: 6000,
  plant: () => {
    const subject = sampledSums('the first always', {
      batching: (records, random) =>
        poissonBatches(records, random).map((batch) =>
          batch.includes(0) ? batch : Uint32Array.of(0, ...batch),
        ),
      others: 0,
    });
    return {
      ...subject,
      claims: [
        ...subject.claims,
        { property: 'permutation', statement: 'the order of records does not matter' },
      ],
    };
  },
});
