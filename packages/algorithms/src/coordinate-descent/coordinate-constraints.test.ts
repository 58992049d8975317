import { boxDomain, mechanisms, ridge } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { coordinateConstraintsOf } from './coordinate-constraints.js';

describe('what steps along coordinates keep to', () => {
  it('adds the slope of the coordinates of a step, and starts in the domain', () => {
    const land = coordinateConstraintsOf({
      domain: boxDomain.build(boxDomain.params.parse({ lower: -1, upper: 1 }), 3, mechanisms),
      regulariser: ridge.build(ridge.params.parse({ strength: [1, 2, 4] }), 3, mechanisms),
    });
    const slope = new Float64Array(1);
    land.addSlope(slope, Float64Array.of(3, 5, 7), [2]);
    expect([...slope]).toEqual([28]);
    expect([...land.enter(Float64Array.of(3, 0.5, -7))]).toEqual([1, 0.5, -1]);
  });
});
