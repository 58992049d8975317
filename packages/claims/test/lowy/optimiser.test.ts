import { environmentOf, type ClaimCheck, type Finding } from '@lethe/laws';
import { describe, expect, it } from 'vitest';
import { optimiserChecks } from '../../src/lowy/optimiser-checks.js';
import { optimiserSubject } from '../../src/lowy/optimiser-subject.js';
import { optimiserMutants } from './mutants-optimiser.js';

const found = async (check: ClaimCheck): Promise<Finding> => check.run(environmentOf({ law: check.id }));
const shipped = optimiserChecks(optimiserSubject);
/** Those that try what is printed must fail. */
const expected = (id: string): Finding['verdict'] => (id.endsWith('-printed') ? 'fails' : 'holds');
const other = { holds: 'fails', fails: 'holds', skipped: 'skipped' } as const;

describe('the checks of rows C35 to C59', () => {
  it('have names of their own, and say what they try and what they would find', () => {
    expect(new Set(shipped.map(({ id }) => id)).size).toBe(shipped.length);
    expect(shipped.filter(({ id, statement, power }) => !id.startsWith('lowy/') || statement === '' || power === undefined)).toEqual([]);
  });

  it.each(shipped.map((check) => [check.id, check] as const))('%s', async (id, check) => {
    const finding = await found(check);
    expect(finding.verdict, `${id}: ${finding.verdict === 'fails' ? finding.violation.what : ''}`).toBe(expected(id));
    expect(finding.samples).toBeGreaterThan(0);
    // A counterexample is two numbers, not an error.
    if (finding.verdict === 'fails') expect(finding.violation).toMatchObject({ measured: expect.any(Number), allowed: expect.any(Number) });
  });
});

describe('mutants of rows C35 to C59', () => {
  it('has one at least for every row, and one for every check', () => {
    expect([...new Set(optimiserMutants.map(({ row }) => row))].toSorted()).toEqual(Array.from({ length: 25 }, (_, k) => `C${35 + k}`));
    expect([...new Set(optimiserMutants.map(({ killedBy }) => killedBy))].toSorted()).toEqual(shipped.map(({ id }) => id).toSorted());
    expect(new Set(optimiserMutants.map(({ id }) => id)).size).toBe(optimiserMutants.length);
  });

  it.each(optimiserMutants.map((mutant) => [mutant.id, mutant.title, mutant] as const))('%s: %s', async (_id, _title, { subject, killedBy }) => {
    const check = optimiserChecks({ ...optimiserSubject, ...subject }).find(({ id }) => id === killedBy)!;
    const finding = await found(check);
    expect(finding.verdict).toBe(other[expected(killedBy)]);
    if (finding.verdict === 'fails') expect(finding.violation.cause).toBeUndefined();
  });
});
