import { InvalidParameter, type Mechanism } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { noiseMechanisms } from './index.js';

const all = noiseMechanisms.filter((plugin): plugin is Mechanism => plugin.kind === 'mechanism');

describe.each(all.map((plugin) => [plugin.name, plugin] as const))('%s', (_name, plugin) => {
  const params = plugin.params.parse(plugin.examples?.[0] ?? {}) as never;

  it('has a distribution function on all numbers, and refuses what is none', () => {
    expect([-Infinity, Infinity].map((x) => plugin.cdf(params, x))).toEqual([0, 1]);
    expect(() => plugin.cdf(params, NaN)).toThrow(InvalidParameter);
  });
});
