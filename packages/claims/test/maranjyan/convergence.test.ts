import { InvalidParameter } from '@lethe/core';
import { environmentOf, type ClaimCheck, type Finding } from '@lethe/laws';
import { describe, expect, it } from 'vitest';
import { convergenceChecks } from '../../src/maranjyan/convergence-checks.js';
import { convergenceSubject } from '../../src/maranjyan/convergence-subject.js';
import { referenceExperiments } from '../../src/maranjyan/reference-experiments.js';
import { referenceValues } from '../../src/maranjyan/reference-values.js';
import { convergenceMutants } from './mutants-convergence.js';

const found = async (check: ClaimCheck): Promise<Finding> => check.run(environmentOf({ law: check.id }));
const shipped = convergenceChecks(convergenceSubject);
/** Those that try what is printed must fail. */
const expected = (id: string): Finding['verdict'] => (id.endsWith('-printed') ? 'fails' : 'holds');
const other = { holds: 'fails', fails: 'holds', skipped: 'skipped' } as const;

describe('the checks of rows 32 to 55', () => {
  it('have names of their own, and say what they try and what they would find', () => {
    expect(new Set(shipped.map(({ id }) => id)).size).toBe(shipped.length);
    expect(shipped.filter(({ id, statement, power }) => !id.startsWith('maranjyan/') || statement === '' || power === undefined)).toEqual([]);
  });

  it.each(shipped.map((check) => [check.id, check] as const))('%s', async (id, check) => {
    const finding = await found(check);
    expect(finding, id).toMatchObject({ verdict: expected(id) });
    expect(finding.samples).toBeGreaterThan(0);
    // A counterexample is two numbers, not an error.
    if (finding.verdict === 'fails') expect(finding.violation).toMatchObject({ measured: expect.any(Number), allowed: expect.any(Number) });
  });
});

describe('mutants of rows 32 to 55', () => {
  it('has one at least for every row', () => {
    expect([...new Set(convergenceMutants.map(({ row }) => row))].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, k) => 32 + k));
    expect(new Set(convergenceMutants.map(({ id }) => id)).size).toBe(convergenceMutants.length);
  });

  it.each(convergenceMutants.map((mutant) => [mutant.id, mutant.title, mutant] as const))('%s: %s', async (_id, _title, { subject, killedBy }) => {
    const check = convergenceChecks({ ...convergenceSubject, ...subject }).find(({ id }) => id === killedBy)!;
    const finding = await found(check);
    expect(finding.verdict).toBe(other[expected(killedBy)]);
    if (finding.verdict === 'fails') expect(finding.violation.cause).toBeUndefined();
  });
});

describe('the reference experiments', () => {
  it.each(referenceValues.map((known) => [known.id, known.dimension, known.methods] as const))('%s in %i dimensions', (id, dimension, methods) => {
    const { methods: computed } = referenceExperiments(id, dimension);
    expect(computed.map(({ method, innerSteps }) => [method, innerSteps])).toEqual(methods.map(([method, innerSteps]) => [method, innerSteps]));
    computed.forEach(({ bound, worstRisk }, k) => {
      const [, , knownBound, knownRisk] = methods[k];
      expect([bound.toFixed(knownBound.split('.')[1].length), worstRisk.toFixed(knownRisk.split('.')[1].length)]).toEqual([knownBound, knownRisk]);
    });
  });

  it.each([['X-IMP', 1], ['X-FULL', 2.5], ['X-BLOCK', 6], ['X-BLOCK', 0], ['X-IMP-REV', Number.NaN]] as const)('refuses %s in %d dimensions', (id, dimension) => {
    expect(() => referenceExperiments(id, dimension)).toThrow(InvalidParameter);
  });

  it('reproduces √d in the bounds where the claims are made, and the reverse where they are not', () => {
    const ratio = (id: 'X-IMP' | 'X-FULL' | 'X-IMP-REV', dimension: number): number => { const [a, b] = referenceExperiments(id, dimension).methods; return a.bound / b.bound; };
    for (const dimension of [4, 16, 64]) for (const id of ['X-IMP', 'X-FULL'] as const) expect(Math.abs(ratio(id, dimension) / Math.sqrt(dimension) - 1)).toBeLessThan(0.01);
    expect(ratio('X-IMP-REV', 64)).toBeLessThan(0.013);
  });
});
