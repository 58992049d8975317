import type { MeanQuery, Query, Vector } from '@lethe/core';
import { readFileSync } from 'node:fs';
import { encode, seededRandom } from '@lethe/numerics';
import { afterAll, expect, test, vi } from 'vitest';
import type { DataSet } from '../src/curator/data-set.js';
import { openLedger } from '../src/ledger/index.js';

/** A mean query as it was before means were plugins: randomness is a function of a query's bytes. */
function beforePlugins({ ask, of, batch, mean: { name, params }, target }: MeanQuery): object {
  const noise = { mechanism: { kind: 'mechanism', name: 'noise', params: {} }, target };
  const release = {
    clipped: { by: 'noise', bound: { by: 'clip', ...(params as object) }, noise },
    certified: { by: 'noise', bound: { by: 'certificate', fact: 'lipschitz' }, noise },
    coined: { by: 'oracle', oracle: { kind: 'meanOracle', name, params }, target },
    told: { by: 'shuffle', randomiser: { kind: 'localRandomiser', name: 'tell', params: {} }, target },
  }[name];
  return { ask, of, batch, release };
}

/** Curators that take queries in as they do, and key their randomness by the old form. */
async function curatorsOfBefore() {
  vi.resetModules();
  vi.doMock(import('@lethe/core/internal'), async (original) => {
    const intake = await original();
    const { createIntake } = intake;
    return {
      ...intake,
      createIntake(onRef) {
        const take = createIntake(onRef);
        return (query) => {
          const { query: own } = take(query);
          return { query: own, bytes: encode(beforePlugins(own as MeanQuery)) };
        };
      },
    };
  });
  // Data lie in the arena of the kernels that read them.
  const { attachData } = await import('../src/curator/data-set.js');
  const { centralCurator } = await import('../src/curator/central.js');
  const { shuffleCurator } = await import('../src/curator/shuffle.js');
  return { attachData, centralCurator, shuffleCurator, ...(await import('./mean-parts.js')) };
}
afterAll(() => {
  vi.doUnmock(import('@lethe/core/internal'));
  vi.resetModules();
});

const rows = 7;
const columns = 4;
const features = {
  data: Float64Array.from({ length: rows * columns }, (_, k) => Math.sin(3 * k + 1)),
  rows,
  columns,
  offset: 0,
  rowStride: columns,
  columnStride: 1,
};
const labels = Float64Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : -1));
const at = Float64Array.from({ length: columns }, (_, j) => Math.cos(j));
const one = { terms: [{ weight: 1, at }] };
const gradients = {
  one,
  two: {
    terms: [
      { weight: 2, at },
      { weight: -0.5, at: at.map((x) => -x) },
    ],
  },
  some: { ...one, coordinates: Uint32Array.of(3, 1) },
  half: { terms: [{ weight: 0.5, at }], coordinates: Uint32Array.of(1) },
};
const targets = { noise: { noiseMultiplier: 1.5 }, 'no noise': { unprotected: true } } as const;
/** Recorded when a mean was asked for by bound and noise, by an oracle, or by a randomiser. */
const recorded = JSON.parse(readFileSync(new URL('mean-answers.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly number[]>
>;

test('with the randomness of queries of version 1, answers are those of version 1, bit for bit', async () => {
  const {
    attachData,
    ball,
    certified,
    centralCurator,
    clipped,
    coined,
    gaussianNoise,
    losses,
    opaqueBall,
    shuffleCurator,
    tell,
    told,
  } = await curatorsOfBefore();
  const registry = Object.freeze([
    ball,
    opaqueBall,
    gaussianNoise,
    tell,
    clipped,
    certified,
    coined,
    told,
    ...losses,
  ]);
  const means = {
    clipped: clipped({ clip: ball({ radius: 0.6 }) }),
    opaque: clipped({ clip: opaqueBall({ radius: 0.6 }) }),
    certified: certified({}),
    coined: coined({ radius: 0.5 }),
  };
  const answers: Record<string, readonly number[]> = {};
  for (const loss of losses) {
    const attached = (): DataSet =>
      attachData({
        features,
        labels,
        loss: loss({}),
        registry,
        ledger: openLedger({ adjacency: 'replace-one' }),
        domain: { featureNorm: 2, labelBound: 1, iterateNorm: 2, featureBounds: [1, 1, 1, 1] },
      });
    const curator = centralCurator({
      data: attached(),
      registry,
      run: 'run',
      random: seededRandom('mean'),
      allowUnprotected: true,
    });
    let index = 0;
    for (const [by, target] of Object.entries(targets))
      for (const [name, mean] of Object.entries(means))
        for (const [what, of] of Object.entries(gradients)) {
          const query: Query = { ask: 'mean', of, batch: curator.allRecords, mean, target };
          answers[`${loss.name}, ${name}, ${what}, ${by}`] = Array.from(
            curator.answer(index++, query).answer as Vector,
          );
        }
    const shuffle = shuffleCurator({
      data: attachData({
        features,
        labels,
        loss: loss({}),
        registry,
        ledger: openLedger({ adjacency: 'replace-one' }),
      }),
      registry,
      run: 'run',
      random: seededRandom('mean'),
    });
    answers[`${loss.name}, shuffled, one`] = Array.from(
      shuffle.answer(0, {
        ask: 'mean',
        of: one,
        batch: shuffle.allRecords,
        mean: told({}),
        target: { epsilon: 1, delta: 1e-6 },
      }).answer as Vector,
    );
  }
  const names = Object.keys(recorded);
  const otherSums = (name: string): boolean =>
    /^(?:kernel|margins), coined, (?:some|half), no noise$/u.test(name) ||
    /^kernel, \w+, two, no noise$/u.test(name);
  expect(Object.keys(answers)).toStrictEqual(names);
  for (const name of names.filter((key) => !otherSums(key)))
    expect(answers[name], name).toStrictEqual(recorded[name]);
  // Along coordinates other means have their vectors from margins kept on a grid now, and differences are
  // summed by the kernel, which round differently: noised, the answers are the same.
  for (const name of names.filter(otherSums))
    answers[name].forEach((x, k) => expect(Math.abs(x - recorded[name][k])).toBeLessThanOrEqual(2 ** -44));
});
