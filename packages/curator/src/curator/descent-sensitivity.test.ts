import { expect, it } from 'vitest';
import { descentSensitivity, type ReleasedDescent } from './descent-sensitivity.js';

it('of steps that are alike is that of the same steps one by one, with the errors of each', () => {
  const step = { count: 1, stepSize: 0.25, batchSize: 4 };
  const alike = [
    { ...step, count: 6 },
    { count: 3, stepSize: 0.5, batchSize: 2 },
  ];
  const apart = alike.flatMap((steps) => Array.from({ length: steps.count }, () => ({ ...steps, count: 1 })));
  const least = (
    steps: ReleasedDescent['steps'],
    given: Pick<ReleasedDescent, 'release' | 'noiseOn'>,
    reach = 1,
  ) =>
    descentSensitivity({ steps, lipschitz: 3, smoothness: 1, dimension: 9, reach, ...given })['zero-out'] ??
    0;
  for (const [given, moved] of [
    [{ release: 'last', noiseOn: 'answer' }, 3 / 4],
    // Two steps of the nine are left after the first of those that move most.
    [{ release: 'average', noiseOn: 'answer' }, (3 / 4) * (2 / 9)],
    [{ release: 'last', noiseOn: 'steps' }, 3 / 2],
  ] as const) {
    expect(least(alike, given)).toBeCloseTo(moved, 9);
    // Where errors are most of it.
    const far = least(alike, given, 1e15);
    expect(far).toBeGreaterThan(100 * moved);
    expect(least(apart, given, 1e15) / far).toBeCloseTo(1, 9);
  }
});
