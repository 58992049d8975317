import { environmentOf } from '@lethe/laws';
import { describe, expect, it } from 'vitest';
import { lowySubject } from '../../src/index.js';
import { oracleChecks } from '../../src/lowy/oracle-checks.js';
import { oracleSubject } from '../../src/lowy/oracle-subject.js';
import { oracleMutants } from './mutants-oracle.js';

const environment = (id: string) => environmentOf({ law: id }, { seed: process.env['FC_SEED'] ?? 'claims' });

describe('what decides rows C1 to C34', () => {
  const checks = oracleChecks(oracleSubject);

  it.each(checks.map((check) => [check.id, check] as const))('%s finds what its row needs', async (id, check) => {
    const finding = await check.run(environment(id));
    expect(finding.verdict, JSON.stringify(finding)).toBe(id.endsWith('-printed') ? 'fails' : 'holds');
    expect(finding.samples).toBeGreaterThan(0);
    // What finds a counterexample has no power to state: it shows one.
    expect(check.power === undefined).toBe(id.endsWith('-printed'));
    if (finding.verdict === 'fails') expect([typeof finding.violation.measured, typeof finding.violation.allowed, finding.violation.cause]).toEqual(['number', 'number', undefined]);
  });

  it('shares with the subjects of other rows what is the same', () => {
    for (const [name, value] of Object.entries(oracleSubject)) expect(lowySubject[name as keyof typeof lowySubject], name).toBe(value);
  });

  it('has ids of its own', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });
});

describe('mutants of rows C1 to C34', () => {
  it.each(oracleMutants.map((mutant) => [mutant.id, mutant] as const))('%s dies', async (_id, { subject, killedBy }) => {
    const check = oracleChecks({ ...oracleSubject, ...subject }).find(({ id }) => id === killedBy);
    const finding = await check!.run(environment(killedBy));
    expect(finding.verdict).toBe('fails');
    // A mutant that crashes is no mutant.
    expect(finding.verdict === 'fails' && finding.violation.what).not.toMatch(/^it throws|search for inputs failed|cannot be listed/u);
  });

  it('are named once, and every row has one', () => {
    expect(new Set(oracleMutants.map(({ id }) => id)).size).toBe(oracleMutants.length);
    expect(new Set(oracleMutants.map(({ id }) => id.slice(0, id.indexOf('/')))).size).toBe(34);
  });
});
