import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternsOf, range } from '../../test/factors.js';
import { dyadicReachUp, type CountedNodes } from './dyadic-reach.js';

/** First and last step of each counted node, from the definitions. */
function nodesOf(counted: CountedNodes, steps: number): readonly (readonly [number, number])[] {
  const nodes: (readonly [number, number])[] = [];
  for (let width = 1; width < 2 * steps || width === 1; width *= 2)
    for (let first = 0, index = 0; first < steps; first += width, index++) {
      const isFinished = first + width <= steps;
      if (counted === 'begun' ? width < 2 * steps : isFinished && (counted === 'finished' || index % 2 === 0))
        nodes.push([first, first + width - 1]);
    }
  return nodes;
}

const reachOf = (
  counted: CountedNodes,
  steps: number,
  participation: { readonly times: number; readonly gap: number },
): number => Math.max(...patternsOf(steps, participation).map(countedIn(nodesOf(counted, steps), steps)));

/** The sum of squared counts of a pattern: another participation in a node adds `(n + 1)² − n²`. */
function countedIn(
  nodes: readonly (readonly [number, number])[],
  steps: number,
): (pattern: readonly number[]) => number {
  const holding = range(steps).map((): number[] => []);
  nodes.forEach(([first, last], node) => {
    for (let t = first; t <= Math.min(last, steps - 1); t++) holding[t].push(node);
  });
  const counts = new Float64Array(nodes.length);
  return (pattern) => {
    let sum = 0;
    for (const t of pattern) for (const node of holding[t]) sum += 2 * counts[node]++ + 1;
    for (const t of pattern) for (const node of holding[t]) counts[node] = 0;
    return sum;
  };
}

/** What is found from dense patterns by moving one participation at a time to where it counts most. */
function climb(counted: CountedNodes, steps: number, times: number, gap: number): number {
  const reach = countedIn(nodesOf(counted, steps), steps);
  let most = 0;
  for (const slack of [0, 0.5, 1]) {
    const room = Math.floor((slack * (steps - 1 - (times - 1) * gap)) / Math.max(1, times - 1));
    const pattern = range(times)
      .map((i) => i * (gap + Math.max(0, room)))
      .filter((t) => t < steps);
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < pattern.length; i++) {
        const [from, to] = [
          i === 0 ? 0 : pattern[i - 1] + gap,
          i === pattern.length - 1 ? steps - 1 : pattern[i + 1] - gap,
        ];
        const places = range(to - from + 1).map((t) => reach(pattern.with(i, from + t)));
        pattern[i] = from + places.indexOf(Math.max(...places));
      }
    most = Math.max(most, reach(pattern));
  }
  return most;
}

const shapeOf = (steps: number): { readonly steps: number; readonly dimension: number } => ({
  steps,
  dimension: 1,
});
const kinds = ['left', 'finished', 'begun'] as const;

describe.each(kinds)('dyadicReachUp of nodes that are %s', (counted) => {
  it('is the largest sum of squared counts over all patterns', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 13 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, times, gap) => {
          expect(dyadicReachUp(counted, shapeOf(steps), { times, gap })).toBe(
            reachOf(counted, steps, { times, gap }),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is exact for longer streams with few participations', () => {
    for (const steps of [32, 33, 47, 64])
      for (const [times, gap] of [
        [2, 15],
        [3, 7],
        [2, 33],
        [3, 17],
      ] as const) {
        expect(dyadicReachUp(counted, shapeOf(steps), { times, gap })).toBe(
          reachOf(counted, steps, { times, gap }),
        );
      }
  });

  it('is the depth for one participation', () => {
    const depth = counted === 'begun' ? [1, 2, 3, 3, 4, 4, 4, 4, 5] : [1, 2, 2, 3, 3, 3, 3, 4, 4];
    expect(range(9).map((t) => dyadicReachUp(counted, shapeOf(t + 1), { times: 1, gap: 1 }))).toEqual(depth);
  });

  it('bounds long gaps from above, by little more than patterns that are easily found do', () => {
    for (const [steps, times, gap] of [
      [1000, 5, 200],
      [1024, 3, 341],
      [1000, 8, 100],
      [1024, 10, 65],
      [600, 2, 64],
    ] as const) {
      const found = dyadicReachUp(counted, shapeOf(steps), { times, gap });
      const climbed = climb(counted, steps, times, gap);
      expect(found).toBeGreaterThanOrEqual(climbed);
      expect(found).toBeLessThanOrEqual(1.2 * climbed);
    }
  });

  it('answers for streams and numbers of participations far too large to search', () => {
    const full = dyadicReachUp(counted, shapeOf(2 ** 20), { times: 2 ** 20, gap: 1 });
    // All steps at once: nodes of width w count w each.
    const exact = range(21).reduce(
      (sum, k) => sum + (counted === 'left' ? Math.ceil(2 ** (20 - k) / 2) : 2 ** (20 - k)) * 4 ** k,
      0,
    );
    expect(full).toBe(exact);
    expect(dyadicReachUp(counted, shapeOf(2 ** 40), { times: 5000, gap: 2 ** 20 })).toBeLessThan(
      5000 ** 2 * 41,
    );
  });

  it('grows with participations and with steps, and falls with the gap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 400 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 63 }),
        (steps, times, gap) => {
          const reach = dyadicReachUp(counted, shapeOf(steps), { times, gap });
          expect(dyadicReachUp(counted, shapeOf(steps), { times: times + 1, gap })).toBeGreaterThanOrEqual(
            reach,
          );
          expect(dyadicReachUp(counted, shapeOf(steps + 1), { times, gap })).toBeGreaterThanOrEqual(reach);
          expect(dyadicReachUp(counted, shapeOf(steps), { times, gap: gap + 1 })).toBeLessThanOrEqual(reach);
        },
      ),
      { numRuns: 40 },
    );
  });
});
