import { expect, it } from 'vitest';
import { cappedRuns } from './capped.js';
import { negativeBinomialRuns } from './negative-binomial.js';
import { worstRenyiTail } from './renyi-tail.js';

it('the worst tail is the largest difference of slopes over all tails that a divergence allows', () => {
  for (const runs of [
    cappedRuns({ stopProbability: 0.05, cap: 40 }),
    negativeBinomialRuns({ shape: 0, stopProbability: 0.02 }),
  ])
    for (const [order, divergence] of [
      [2, 0.3],
      [3, 0.1],
      [8, 0.5],
    ] as const) {
      const share = (order - 1) / order;
      let most = 0;
      for (let i = 1; i < 4000; i++) {
        const tail = Math.exp((-12 * i) / 4000);
        const opposite = Math.min(
          Math.exp(share * (divergence + Math.log(tail))),
          1 - Math.exp(Math.log1p(-tail) / share - divergence),
        );
        most = Math.max(most, runs.logSlope(tail) - runs.logSlope(opposite));
      }
      const bound = worstRenyiTail(runs, [{ order, divergence }]);
      expect(bound).toBeGreaterThanOrEqual(most - 1e-9);
      expect(bound).toBeLessThan(most + 1e-3);
      // A second divergence allows no more tails.
      const both = worstRenyiTail(runs, [
        { order, divergence },
        { order: 16, divergence: 4 * divergence },
      ]);
      expect(both).toBeLessThanOrEqual(bound + 2e-4);
    }
});
