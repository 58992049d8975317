import ledger from '@lethe/algorithms/coordinate-descent/claims.json' with { type: 'json' };
import { InvalidParameter } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { convergenceChecks } from '../../src/coordinate-descent/convergence-checks.js';
import { convergenceSubject } from '../../src/coordinate-descent/convergence-subject.js';
import { referenceExperiments } from '../../src/coordinate-descent/reference-experiments.js';
import { referenceValues } from '../../src/coordinate-descent/reference-values.js';
import { testRows } from '../rows.js';
import { convergenceMutants } from './mutants-convergence.js';

testRows({
  paper: 'maranjyan',
  rows: [32, 55],
  checksOf: (replaced) => convergenceChecks({ ...convergenceSubject, ...replaced }),
  repeated: [50],
  shippedBy: { subject: convergenceSubject, ledger },
  mutants: convergenceMutants,
  spared: (id) => id.endsWith('-printed'),
});

describe('the reference experiments', () => {
  it.each(referenceValues.map((known) => [known.id, known.dimension, known.methods] as const))(
    '%s in %i dimensions',
    (id, dimension, methods) => {
      const { methods: computed } = referenceExperiments(id, dimension);
      expect(computed.map(({ method, innerSteps }) => [method, innerSteps])).toEqual(
        methods.map(([method, innerSteps]) => [method, innerSteps]),
      );
      computed.forEach(({ bound, worstRisk }, k) => {
        const [, , knownBound, knownRisk] = methods[k];
        expect([
          bound.toFixed(knownBound.split('.')[1].length),
          worstRisk.toFixed(knownRisk.split('.')[1].length),
        ]).toEqual([knownBound, knownRisk]);
      });
    },
  );

  it.each([
    ['X-IMP', 1],
    ['X-FULL', 2.5],
    ['X-BLOCK', 6],
    ['X-BLOCK', 0],
    ['X-IMP-REV', Number.NaN],
  ] as const)('refuses %s in %d dimensions', (id, dimension) => {
    expect(() => referenceExperiments(id, dimension)).toThrow(InvalidParameter);
  });

  it('reproduces √d in the bounds where the claims are made, and the reverse where they are not', () => {
    const ratio = (id: 'X-IMP' | 'X-FULL' | 'X-IMP-REV', dimension: number): number => {
      const [a, b] = referenceExperiments(id, dimension).methods;
      return a.bound / b.bound;
    };
    for (const dimension of [4, 16, 64])
      for (const id of ['X-IMP', 'X-FULL'] as const)
        expect(Math.abs(ratio(id, dimension) / Math.sqrt(dimension) - 1)).toBeLessThan(0.01);
    expect(ratio('X-IMP-REV', 64)).toBeLessThan(0.013);
  });
});
