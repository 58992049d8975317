import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidParameter, LetheError, Unsupported } from '../errors.js';
import { buildDomain, domainBuilders, type DomainReference } from './index.js';

describe('buildDomain', () => {
  it('makes each kind from JSON', () => {
    const project = (reference: DomainReference, ...point: number[]): number[] => {
      const domain = buildDomain(reference, point.length);
      expect(domain.name).toBe(reference.name);
      expect(domain.dimension).toBe(point.length);
      return [...domain.projectInto(new Float64Array(point.length), Float64Array.from(point))];
    };
    expect(project({ name: 'whole-space' }, 5, -5)).toEqual([5, -5]);
    expect(project({ name: 'whole-space', params: {} }, 5)).toEqual([5]);
    expect(project({ name: 'l2-ball', params: { radius: 1 } }, 0, -5)).toEqual([0, -1]);
    expect(project({ name: 'l2-ball', params: { radius: 1, centre: [0, 2] } }, 0, -5)).toEqual([0, 1]);
    expect(project({ name: 'l1-ball', params: { radius: 1 } }, 5, 1)).toEqual([1, 0]);
    expect(project({ name: 'box', params: { lower: 0, upper: [1, 2] } }, 5, 5)).toEqual([1, 2]);
    expect(project({ name: 'simplex' }, 3, 3)).toEqual([0.5, 0.5]);
    expect(project({ name: 'simplex', params: { total: 4 } }, 3, 3)).toEqual([2, 2]);
    expect(project({ name: 'intersection', params: { domain: { name: 'box', params: { lower: 0, upper: 3 } }, ball: { radius: 2 } } }, 5, -1)).toEqual([2, 0]);
  });

  it('describes every kind as JSON schema', () => {
    expect(domainBuilders.map((builder) => builder.name)).toEqual(['whole-space', 'l2-ball', 'l1-ball', 'box', 'simplex', 'intersection']);
    for (const builder of domainBuilders) expect(z.toJSONSchema(builder.params, { io: 'input' })).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('names what exists when asked for something else', () => {
    expect(() => buildDomain({ name: 'torus' }, 2)).toThrow(Unsupported);
    expect(() => buildDomain({ name: 'torus' }, 2)).toThrow(/'torus'.*whole-space, l2-ball, l1-ball, box, simplex, intersection/);
  });

  it('refuses bad parameters, at any depth', () => {
    const bad: readonly DomainReference[] = [
      { name: 'whole-space', params: { radius: 1 } }, { name: 'l2-ball' }, { name: 'l2-ball', params: { radius: 0 } }, { name: 'l2-ball', params: { radius: NaN } }, { name: 'l2-ball', params: { radius: Infinity } }, { name: 'l2-ball', params: { radius: '1' } },
      { name: 'l2-ball', params: { radius: 1, center: [0, 0] } }, { name: 'l2-ball', params: { radius: 1, centre: [0] } }, { name: 'l1-ball', params: { radius: -1 } }, { name: 'box', params: { lower: 1, upper: 0 } }, { name: 'box', params: { lower: [0, 0, 0], upper: 1 } },
      { name: 'box', params: { lower: 0 } }, { name: 'simplex', params: { total: 0 } }, { name: 'intersection', params: { domain: { name: 'simplex' }, ball: { radius: 0.1 } } }, { name: 'intersection', params: { domain: { name: 'l2-ball', params: {} }, ball: { radius: 1 } } },
    ];
    for (const reference of bad) expect(() => buildDomain(reference, 2), JSON.stringify(reference)).toThrow(InvalidParameter);
    for (const dimension of [0, -1, 1.5, NaN, 1e12]) expect(() => buildDomain({ name: 'simplex' }, dimension)).toThrow(InvalidParameter);
    let deep: DomainReference = { name: 'whole-space' };
    for (let depth = 0; depth < 20_000; depth++) deep = { name: 'intersection', params: { domain: deep, ball: { radius: 1 } } };
    expect(() => buildDomain(deep, 2)).toThrow(/nested more than 16 deep/);
  });

  it('throws nothing but typed errors on arbitrary JSON', () => {
    const names = fc.constantFrom(...domainBuilders.map((builder) => builder.name), '', '__proto__', 'toString');
    const params = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('radius', 'centre', 'lower', 'upper', 'total', 'domain', 'ball'), fc.oneof(fc.jsonValue(), fc.double(), fc.array(fc.double()))));
    fc.assert(fc.property(fc.oneof(fc.record({ name: names, params }), fc.jsonValue()), fc.integer({ min: 0, max: 3 }), (reference, dimension) => {
      try {
        const domain = buildDomain(reference as DomainReference, dimension);
        expect(domain.contains(domain.centre)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(LetheError);
      }
    }), { numRuns: 1000 });
  });
});
