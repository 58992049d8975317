import { InvalidParameter, type PrefixSum } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { prefixSums } from './index.js';

const all = prefixSums.filter((plugin): plugin is PrefixSum => plugin.kind === 'prefixSum');
const begun = (plugin: PrefixSum, dimension: number): ReturnType<PrefixSum['begin']> =>
  plugin.begin(plugin.params.parse(plugin.examples?.[0] ?? {}) as never, { steps: 6, dimension });
const ones = (_row: number, out: Float64Array): void => {
  out.fill(1);
};

describe.each(all.map((plugin) => [plugin.name, plugin] as const))('%s', (_name, plugin) => {
  it('refuses vectors of another length, and goes on as if they had not been given', () => {
    const asked = begun(plugin, 2);
    const alone = begun(plugin, 2);
    const expected = new Float64Array(2);
    for (let step = 0; step < 6; step++) {
      for (const length of [0, 1, 3]) {
        const wrong = new Float64Array(length).fill(7);
        expect(() => {
          asked.nextInto(wrong, ones);
        }).toThrow(InvalidParameter);
        expect(wrong).toEqual(new Float64Array(length).fill(7));
      }
      const out = new Float64Array(2);
      asked.nextInto(out, ones);
      alone.nextInto(expected, ones);
      expect(out).toEqual(expected);
    }
  });

  it('refuses dimensions that no vector has', () => {
    for (const dimension of [0, -1, 1.5, NaN, 2 ** 31 + 1, 2 ** 40, Infinity])
      expect(() => begun(plugin, dimension), `${dimension}`).toThrow(InvalidParameter);
  });
});
