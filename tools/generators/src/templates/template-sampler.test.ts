import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateSampler } from './template-sampler.js';

const params = {};

describe('templateSampler', () => {
  it('draws ascending positions among the slots', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (slots, seed) => {
      const drawn = templateSampler.draw(params, slots, seededRandom(seed));
      for (let i = 0; i < drawn.length; i++) expect(drawn[i]).toBeGreaterThan(i === 0 ? -1 : drawn[i - 1]!);
      expect(drawn.at(-1) ?? 0).toBeLessThan(slots);
    }));
  });

  it('draws as many as its normaliser says, its size being exact', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (slots, seed) => {
      expect(templateSampler.draw(params, slots, seededRandom(seed))).toHaveLength(templateSampler.normaliser(params, slots));
    }));
  });

  it('claims no amplification', () => {
    for (const { sampler } of Object.values(templateSampler.amplification(params, 10))) expect(sampler).toBeNull();
  });

  it('refuses a number of slots that is none', () => {
    for (const slots of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => templateSampler.draw(params, slots, seededRandom(1))).toThrow(InvalidParameter);
      expect(() => templateSampler.normaliser(params, slots)).toThrow(InvalidParameter);
    }
  });
});
