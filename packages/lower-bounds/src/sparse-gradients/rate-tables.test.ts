import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { rateTables, type TableRow, type TableSetting } from './rate-tables.js';

const setting = { dimension: 1e5, sparsity: 50, epsilon: 0.5, delta: 1e-8 };
const row = (name: string, given: TableSetting = setting): TableRow =>
  defined(rateTables(given).find((one) => one.name === name));

describe('Tables 1 and 2', () => {
  it('are the printed ones, written out', () => {
    const { dimension: d, sparsity: s, epsilon, delta } = setting;
    const logDelta = Math.log(1 / delta);
    const dense = (n: number) => Math.sqrt(d * logDelta) / (epsilon * n);
    for (const n of [1e2, 1e4, 1e6, 1e8]) {
      const en = epsilon * n;
      const perturbed = (s * Math.log(d) * logDelta) ** 0.25 / en ** 0.5;
      const cube = ((s * Math.log(d)) / en) ** (1 / 3);
      const printed: Readonly<Record<string, number>> = {
        'mean-pure': Math.min(1, Math.sqrt((s * Math.log(d)) / en), Math.sqrt(s * d) / en),
        'mean-approximate': Math.min(1, (s * Math.log(d / s) * logDelta) ** 0.25 / en ** 0.5, dense(n)),
        'convex-approximate': Math.min(1, perturbed, dense(n)),
        'convex-approximate-population': Math.min(1, perturbed, dense(n)) + n ** -0.5,
        'convex-pure': Math.min(1, cube, d / en),
        'convex-pure-population': Math.min(1, cube, d / en) + n ** -0.5,
        'stationarity-approximate': Math.min(
          1,
          (s * Math.log(d / s) * logDelta ** 3) ** (1 / 8) / en ** 0.25,
          dense(n) ** (2 / 3),
        ),
      };
      expect(rateTables(setting).map(({ name }) => name)).toEqual(Object.keys(printed));
      for (const [name, value] of Object.entries(printed))
        expect(row(name).upper(n) / value).toBeCloseTo(1, 12);
    }
  });

  it('have lower bounds in Table 1 only, below the upper bounds by a logarithm at most', () => {
    for (let n = 1; n < 1e12; n *= 7)
      for (const { table, upper, lower } of rateTables(setting)) {
        const value = lower(n);
        expect(value === null).toBe(table === 2);
        if (value === null) continue;
        expect(value).toBeLessThanOrEqual(upper(n) * (1 + 1e-12));
        expect(upper(n)).toBeLessThanOrEqual(value * Math.sqrt(Math.log(setting.dimension)) * 1.01);
      }
    expect(row('mean-approximate', { ...setting, sparsity: 2 }).lower(1000)).toBeNull();
  });

  it('have corners where two terms are equal, between which the dimension counts by a logarithm only', () => {
    const many = { ...setting, dimension: 1e9 };
    for (const { name, corners, sparse, dense } of rateTables(many)) {
      const at = ({ coefficient, power }: typeof sparse, n: number): number =>
        coefficient / (setting.epsilon * n) ** power;
      expect(at(sparse, corners.useful)).toBeCloseTo(1, 9);
      expect(at(dense, corners.dense) / at(sparse, corners.dense)).toBeCloseTo(1, 9);
      expect(corners.useful).toBeLessThan(corners.dense);
      const between = Math.sqrt(corners.useful * corners.dense);
      const [once, doubled] = [row(name, many), row(name, { ...many, dimension: 2 * many.dimension })];
      expect(doubled.upper(between) / once.upper(between)).toBeLessThan(1.1);
      expect(doubled.upper(100 * corners.dense) / once.upper(100 * corners.dense)).toBeGreaterThan(1.1);
    }
  });

  it('leave a gap of 1/2 − 1/3 in the exponent of n between risk and mean under ε', () => {
    expect(row('mean-pure').sparse.power - row('convex-pure').sparse.power).toBeCloseTo(1 / 6, 12);
  });

  it('are refused outside of their conditions', () => {
    for (const wrong of [{ epsilon: 2 }, { sparsity: 5e4 }, { delta: 0 }])
      expect(() => rateTables({ ...setting, ...wrong })).toThrow(InvalidParameter);
  });
});
