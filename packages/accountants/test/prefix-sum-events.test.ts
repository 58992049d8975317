import { gaussianEvent, type PrivacyEvent, repeatedEvent, Unsupported } from '@lethe/core';
import { resolveEvent } from '../src/events/index.js';
import { describe, expect, it } from 'vitest';
import { accountants, gdp, rdp } from '../src/index.js';

const adjacency = 'zero-out';
const tree = (sigma: number, steps: number, times = 1): PrivacyEvent =>
  ({
    kind: 'core/prefix-sum',
    v: 1,
    sigma,
    sensitivity: { 'zero-out': 1 },
    factorisation: 'binary-tree',
    steps,
    participation: { times, gap: 1 },
    columnNorm: Math.sqrt(Math.ceil(Math.log2(steps + 1))),
  }) as PrivacyEvent;

describe('a stream of running sums', () => {
  it('has the published cost of trees', () => {
    expect(rdp.epsilon(tree(8.83, 1600), { adjacency, delta: 1e-6 }).upper).toBeLessThan(2.04);
    const divergence = resolveEvent(tree(1.13, 1600), 'rdp', { adjacency })(10);
    expect(divergence / 43.073_067_585_558_78).toBeCloseTo(1, 12);
  });

  it('equals one Gaussian release for every accountant with a Gaussian bound, alone and repeated', () => {
    const event = repeatedEvent(tree(20, 1023), 4);
    const same = gaussianEvent(20, { 'zero-out': Math.sqrt(4 * 10) });
    const truth = gdp.epsilon(same, { adjacency, delta: 1e-6 }).upper;
    let answered = 0;
    for (const accountant of accountants) {
      let answer;
      try {
        answer = accountant.epsilon(event, { adjacency, delta: 1e-6 });
      } catch (error) {
        expect(error).toBeInstanceOf(Unsupported);
        continue;
      }
      answered++;
      expect(answer.upper, accountant.name).toBeGreaterThan(truth * (1 - 1e-9));
      expect(answer.upper, accountant.name).toBeLessThan(truth * 1.2);
      expect(answer.lower, accountant.name).toBeLessThanOrEqual(truth * (1 + 1e-9));
    }
    expect(answered).toBeGreaterThanOrEqual(3);
  });
});
