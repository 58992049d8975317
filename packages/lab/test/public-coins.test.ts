import { ask, clippedMeanEvent, repeatedEvent, type RandomSource, type Registry } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Cell } from '../src/experiment/results.js';
import { registry as shipped } from '../src/registry.js';
import { runEvaluation } from './support/run-evaluation.js';

const multiplier = 20;
/** Numbers of means in three levels, from public coins. */
const levelsFrom = (random: RandomSource): number[] =>
  Array.from({ length: 3 }, (_, level) => 1 + random.fork('level').fork(level).integer(8));

/**
 * Asks for as many means as its levels say: those in its plan,
 * or those that it draws again; `driven` keeps what was used.
 */
const levelled = (
  name: string,
  driven: number[][],
  from: (planned: readonly number[], random: RandomSource) => readonly number[],
) =>
  defineOptimizer({
    name,
    summary: 'For this test.',
    source: { id: 'test', item: 'none' },
    claims: [],
    examples: [{}],
    params: z.strictObject({}),
    needs: { convex: true },
    adjacencies: ['replace-one'],
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    stopping: 'public-coins',
    facts: {},
    plan({ problem, random }) {
      const levels = levelsFrom(random);
      const steps = levels.reduce((sum, count) => sum + count, 0);
      return {
        levels,
        utility: null,
        gradients: steps * problem.slots[0],
        event: repeatedEvent(clippedMeanEvent(multiplier, problem.adjacency), steps),
      };
    },
    *steps({ plan, random, start, allRecords }) {
      const levels = from(plan.levels, random);
      driven.push([...levels]);
      for (let left = levels.reduce((sum, count) => sum + count, 0); left > 0; left--) {
        yield* ask.mean({
          at: start,
          batch: allRecords,
          mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
          target: { noiseMultiplier: multiplier },
        });
      }
      return start;
    },
  });

const seeds = { first: 3, count: 6 };
const content = {
  problems: [
    {
      name: 'p',
      title: 'P',
      data: { generate: { rows: 30, columns: 2, features: { law: 'gaussian' } } },
      loss: { name: 'squared' },
      domain: { name: 'l2-ball', params: { radius: 1 } },
    },
  ],
  budgets: [
    { epsilon: 2, delta: 1e-6 },
    { epsilon: 4, delta: 1e-6 },
  ],
  sizes: [20, 30],
  seeds,
};
const cellsOf = async (optimizer: Registry[number]): Promise<readonly Cell[]> =>
  (await runEvaluation({ ...content, optimizers: [{ name: optimizer.name }] }, [...shipped, optimizer]))
    .problems[0].cells;

describe.each<[string, Parameters<typeof levelled>[2]]>([
  ['stores its levels in the plan', (planned) => planned],
  ['draws its levels again', (_planned, random) => levelsFrom(random)],
])('an optimizer that %s', (_name, from) => {
  test('is planned for each seed with the coins that are driven, and costs what it planned', async () => {
    const driven: number[][] = [];
    const cells = await cellsOf(levelled('levelled', driven, from));
    expect(cells).toHaveLength(4);
    for (const { ledgerMatchesPlan, runs } of cells)
      expect([ledgerMatchesPlan, runs.length]).toEqual([true, seeds.count]);
    expect(driven).toHaveLength(cells.length * seeds.count);
    // Of 512 levels that are equally likely, two of 24 runs agree by
    // chance four times in ten, and half of them never.
    expect(new Set(driven.map(String)).size).toBeGreaterThan(12);
  });

  test('shows the plan of the first seed, and the cost of the seed that cost most', async () => {
    const driven: number[][] = [];
    const [cell] = await cellsOf(levelled('levelled', driven, from));
    const first = driven.filter((_, i) => i % content.budgets.length === 0).slice(0, seeds.count);
    const steps = first.map((levels) => levels.reduce((sum, count) => sum + count, 0));
    expect((cell.plan as { readonly levels?: unknown }).levels).toEqual(first[0]);
    const most = Math.max(...steps);
    // Gaussian means compose as one with a multiplier less by the root of their number.
    const { accountants, bestOf } = await import('@lethe/accountants');
    expect(cell.accounted.upper).toBeCloseTo(
      bestOf(accountants).epsilon(repeatedEvent(clippedMeanEvent(multiplier, 'replace-one'), most), {
        adjacency: 'replace-one',
        delta: 1e-6,
      }).upper,
      9,
    );
  });
});
