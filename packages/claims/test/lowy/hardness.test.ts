import { environmentOf, type ClaimCheck, type Finding } from '@lethe/laws';
import { describe, expect, it } from 'vitest';
import { hardnessChecks } from '../../src/lowy/hardness-checks.js';
import { hardnessSubject } from '../../src/lowy/hardness-subject.js';
import { hardnessMutants } from './mutants-hardness.js';

const found = async (check: ClaimCheck): Promise<Finding> => check.run(environmentOf({ law: check.id }));
const shipped = hardnessChecks(hardnessSubject);
/** Those that try what is printed must fail. */
const expected = (id: string): Finding['verdict'] => (id.endsWith('-printed') ? 'fails' : 'holds');
const other = { holds: 'fails', fails: 'holds', skipped: 'skipped' } as const;

describe('the checks of rows C60 to C73', () => {
  it('have names of their own, and say what they try and what they would find', () => {
    expect(new Set(shipped.map(({ id }) => id)).size).toBe(shipped.length);
    expect(shipped.filter(({ id, statement, power }) => !id.startsWith('lowy/') || statement === '' || power === undefined)).toEqual([]);
  });

  it.each(shipped.map((check) => [check.id, check] as const))('%s', async (id, check) => {
    const finding = await found(check);
    expect(finding, id).toMatchObject({ verdict: expected(id) });
    expect(finding.samples).toBeGreaterThan(0);
    // A counterexample is two numbers, not an error.
    if (finding.verdict === 'fails') expect(finding.violation).toMatchObject({ measured: expect.any(Number), allowed: expect.any(Number) });
  });
});

describe('mutants of rows C60 to C73', () => {
  it('has one at least for every row and every check', () => {
    expect([...new Set(hardnessMutants.map(({ row }) => row))].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, k) => 60 + k));
    expect(new Set(hardnessMutants.map(({ id }) => id)).size).toBe(hardnessMutants.length);
    expect([...new Set(hardnessMutants.map(({ killedBy }) => killedBy))].toSorted()).toEqual(shipped.map(({ id }) => id).toSorted());
  });

  it.each(hardnessMutants.map((mutant) => [mutant.id, mutant.title, mutant] as const))('%s: %s', async (_id, _title, { subject, killedBy }) => {
    const check = hardnessChecks({ ...hardnessSubject, ...subject }).find(({ id }) => id === killedBy)!;
    const finding = await found(check);
    expect(finding.verdict).toBe(other[expected(killedBy)]);
    if (finding.verdict === 'fails') expect(finding.violation.cause).toBeUndefined();
  });
});
