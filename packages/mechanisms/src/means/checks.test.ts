import { meanShape, LetheError, seededRandom, type CentralMean } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { mechanisms } from '../mechanisms.js';
import { means } from './index.js';

const all = means.filter(
  (plugin): plugin is CentralMean => plugin.kind === 'mean' && (plugin as CentralMean).trust === 'central',
);

describe.each(all.map((plugin) => [plugin.name, plugin] as const))('%s', (_name, plugin) => {
  it('refuses dimensions that no vector has', () => {
    const params = plugin.params.parse(plugin.examples?.[0] ?? {}) as never;
    // Sums of bounded records are asked for along no coordinates at all.
    for (const dimension of [
      ...(plugin.linear === undefined ? [0] : []),
      -1,
      1.5,
      NaN,
      2 ** 31 + 1,
      2 ** 40,
      Infinity,
    ]) {
      expect(
        () =>
          plugin.begin(
            params,
            meanShape({ dimension, slots: 10, registry: mechanisms }),
            seededRandom('dimensions'),
          ),
        `${dimension}`,
      ).toThrow(LetheError);
    }
  });
});

describe('gaussianL1Recovery', () => {
  it('refuses other numbers of noised measurements than it took', () => {
    const run = gaussianL1Recovery.begin(
      { mode: 'verified', radius: 1, sparsity: 1, measurements: 2 },
      meanShape({ dimension: 4, slots: 10 }),
      seededRandom('measurements'),
    );
    for (const length of [0, 1, 3]) expect(() => run.finish(new Float64Array(length))).toThrow(LetheError);
    expect(run.finish(new Float64Array(2))).toEqual(new Float64Array(4));
  });
});
