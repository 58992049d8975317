import { describe, expect, it } from 'vitest';
import { clippedMeanEvent } from './clipped-mean.js';

describe('clippedMeanEvent', () => {
  it('has exact ratios between adjacencies, relative to the run’s adjacency', () => {
    expect(clippedMeanEvent(3, 'replace-one')).toEqual({
      kind: 'core/gaussian',
      v: 1,
      sigma: 3,
      sensitivity: { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
    });
    expect(clippedMeanEvent(3, 'zero-out').sensitivity).toEqual({
      'replace-one': 2,
      'add-remove': 1,
      'zero-out': 1,
    });
    expect(clippedMeanEvent(3, 'add-remove').sensitivity).toEqual({
      'replace-one': 2,
      'add-remove': 1,
      'zero-out': 1,
    });
  });
});
