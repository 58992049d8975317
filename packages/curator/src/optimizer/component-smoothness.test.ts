import { blockLipschitz, type Fact } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined, InvalidParameter, Unsupported } from '@lethe/numerics';
import { componentSmoothness } from './component-smoothness.js';

const fact = (value: number, scope: Fact['scope'] = 'every-record'): Fact => ({
  value,
  scope,
  provenance: 'from-domain',
});
const factsOf = (name: string, values: readonly number[], scope?: Fact['scope']): Record<string, Fact> =>
  Object.fromEntries(values.map((value, j) => [`${name}.${j}`, fact(value, scope)]));
const size = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -6, max: 6 }))
  .map(([m, e]) => m * 10 ** e);
const sizes = fc.array(size, { minLength: 1, maxLength: 6 });

describe('blockLipschitz', () => {
  it('is reached by a linear loss with bounded columns, and grows with the block', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 63 }), fc.integer({ min: 1, max: 63 }), (bounds, a, b) => {
        const facts = factsOf('coordinateLipschitz', bounds);
        const inside = (mask: number): number[] => bounds.map((_, j) => j).filter((j) => (mask >> j) & 1);
        const exact = (block: readonly number[]): number => Math.hypot(...block.map((j) => bounds[j]));
        const [small, large] = [inside(a & b), inside(a)].map(
          (block) => [block, defined(blockLipschitz(facts, bounds.length, block))] as const,
        );
        for (const [block, constant] of [small, large]) {
          expect(constant).toBeGreaterThanOrEqual(exact(block) * (1 - 1e-15));
          expect(constant).toBeLessThanOrEqual(exact(block) * (1 + 1e-14));
        }
        expect(small[1]).toBeLessThanOrEqual(large[1]);
      }),
    );
  });

  it('takes the constant of the whole where that is less, and only what holds for every record', () => {
    const facts = { ...factsOf('coordinateLipschitz', [3, 4]), lipschitz: fact(4.5) };
    expect(blockLipschitz(facts, 2)).toBe(4.5);
    expect(blockLipschitz(facts, 2, [1])).toBe(4);
    expect(blockLipschitz({ lipschitz: fact(2) }, 2, [1])).toBe(2);
    expect(blockLipschitz({ lipschitz: fact(2, 'population') }, 2)).toBeUndefined();
    expect(blockLipschitz(factsOf('coordinateLipschitz', [3, 4], 'population'), 2, [0])).toBeUndefined();
  });
});

describe('componentSmoothness', () => {
  it('dominates every positive semi-definite matrix with that diagonal', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 24, maxLength: 24 }),
        fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 6, maxLength: 6 }),
        (diagonal, entries, direction) => {
          const d = diagonal.length;
          // A = Σ_k u_k u_kᵀ scaled to the diagonal.
          const u = [0, 1, 2, 3].map((k) => diagonal.map((_, j) => entries[6 * k + j]));
          const own = diagonal.map((_, j) => u.reduce((sum, row) => sum + row[j] ** 2, 0));
          const scale = diagonal.map((s, j) => (own[j] > 0 ? Math.sqrt(s / own[j]) : 0));
          const bound = componentSmoothness(factsOf('coordinateSmoothness', diagonal), d);
          const v = direction.slice(0, d).map((x, j) => x / Math.sqrt(bound[j]));
          const form = u.reduce(
            (sum, row) => sum + row.reduce((inner, x, j) => inner + x * scale[j] * v[j], 0) ** 2,
            0,
          );
          expect(form).toBeLessThanOrEqual(v.reduce((sum, x, j) => sum + bound[j] * x * x, 0) * (1 + 1e-12));
        },
      ),
    );
  });

  it('is attained by a matrix of rank one', () => {
    const roots = [1, 2, 5];
    const bound = componentSmoothness(
      factsOf(
        'coordinateSmoothness',
        roots.map((x) => x * x),
      ),
      3,
    );
    // s sᵀ against Diag(M) at v_j = 1: (Σ s)² = Σ M_j.
    expect(bound.reduce((sum, x) => sum + x, 0)).toBeCloseTo(64, 12);
  });

  it('needs less where only blocks move at once', () => {
    const facts = factsOf('coordinateSmoothness', [1, 4, 9]);
    const singles = [...componentSmoothness(facts, 3, { blocks: [[0], [1], [2]] })];
    [1, 4, 9].forEach((s, j) => expect(singles[j]).toBeCloseTo(s, 14));
    const blocks = [...componentSmoothness(facts, 3, { blocks: [Uint32Array.of(0, 2), [1]] })];
    [4, 4, 12].forEach((s, j) => expect(blocks[j]).toBeCloseTo(s, 14));
  });

  it('refuses what it cannot know', () => {
    const facts = factsOf('coordinateSmoothness', [1, 4]);
    expect(() => componentSmoothness(facts, 3)).toThrow(Unsupported);
    for (const blocks of [[[0]], [[0, 1], [1]], [[0, 1, 2]]])
      expect(() => componentSmoothness(facts, 2, { blocks })).toThrow(InvalidParameter);
  });
});
