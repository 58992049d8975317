import { LetheError, seededRandom, type MeanOracle } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { meanOracles } from './index.js';

const all = meanOracles.filter((plugin): plugin is MeanOracle => plugin.kind === 'meanOracle');

describe.each(all.map((plugin) => [plugin.name, plugin] as const))('%s', (_name, plugin) => {
  it('refuses dimensions that no vector has', () => {
    const params = plugin.params.parse(plugin.examples?.[0] ?? {}) as never;
    for (const dimension of [0, -1, 1.5, NaN, 2 ** 31 + 1, 2 ** 40, Infinity]) {
      expect(() => plugin.begin(params, { dimension, slots: 10, random: seededRandom('dimensions') }), `${dimension}`).toThrow(LetheError);
    }
  });
});

describe('gaussianL1Recovery', () => {
  it('refuses other numbers of noised measurements than it took', () => {
    const run = gaussianL1Recovery.begin({ mode: 'verified', radius: 1, sparsity: 1, measurements: 2 }, { dimension: 4, slots: 10, random: seededRandom('measurements') });
    for (const length of [0, 1, 3]) expect(() => run.finish(new Float64Array(length))).toThrow(LetheError);
    expect(run.finish(new Float64Array(2))).toEqual(new Float64Array(4));
  });
});
