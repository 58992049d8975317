import { environmentOf } from '@lethe/laws';
import { describe, expect, it } from 'vitest';
import { maranjyanChecks, maranjyanSubject } from '../../src/index.js';
import { sketchingChecks } from '../../src/maranjyan/sketching-checks.js';
import { listedDescent } from './listed-descent.js';
import { sketchingMutants } from './mutants-sketching.js';

const environment = (id: string) => environmentOf({ law: id }, { seed: process.env['FC_SEED'] ?? 'claims' });

describe('what decides rows 1 to 31', () => {
  const checks = sketchingChecks(maranjyanSubject);

  it.each(checks.map((check) => [check.id, check] as const))('%s finds what its row needs', async (id, check) => {
    const finding = await check.run(environment(id));
    expect(finding.verdict, JSON.stringify(finding)).toBe(id.endsWith('-printed') ? 'fails' : 'holds');
    expect(finding.samples).toBeGreaterThan(0);
    // What finds a counterexample has no power to state: it shows one.
    expect(check.power === undefined).toBe(id.endsWith('-printed'));
  });

  it('has ids of its own', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });
});

describe('mutants of rows 1 to 31', () => {
  it.each(sketchingMutants.map((mutant) => [mutant.id, mutant] as const))('%s dies', async (_id, { subject, killedBy }) => {
    const check = maranjyanChecks(subject).find(({ id }) => id === killedBy);
    const finding = await check!.run(environment(killedBy));
    expect(finding.verdict).toBe('fails');
    // A mutant that crashes is no mutant.
    expect(finding.verdict === 'fails' && finding.violation.what).not.toMatch(/^it throws|search for inputs failed/u);
  });

  it('are named once', () => {
    expect(new Set(sketchingMutants.map(({ id }) => id)).size).toBe(sketchingMutants.length);
  });

  it('are mutants by their slips alone: the listing without any passes', async () => {
    for (const name of ['maranjyan/averaging', 'maranjyan/restarts', 'maranjyan/noise-where-drawn', 'maranjyan/canonical-step']) {
      const check = maranjyanChecks({ sketchedDescent: listedDescent() }).find(({ id }) => id === name);
      expect((await check!.run(environment(name))).verdict).toBe('holds');
    }
  });
});
