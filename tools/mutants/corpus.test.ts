import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { coreIds, mutants, tightSubjects } from './src/corpus.js';
import { rejections } from './src/kill.js';

describe('the corpus', () => {
  it('has every mutant of the list, each once', () => {
    const ids = mutants.map(({ id }) => id);
    expect(coreIds.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(tightSubjects.map(({ id }) => id)).size).toBe(tightSubjects.length);
  });
});

const registered = [...accountants, ...optimizers, ...losses, ...mechanisms];
const nameOf = (subject: Subject): string =>
  JSON.stringify(
    'plugin' in subject
      ? [subject.kind, subject.plugin.name, 'params' in subject ? subject.params : undefined]
      : [subject.kind],
  );
/**
 * The suites of registered plugins, and of core's curator and ledger, run all laws on these subjects: here
 * they would only be run again. `npm run mutants -- --tight COUNT` runs them too, on many seeds.
 */
const inSuites = new Set([
  ...registered.flatMap((plugin) => subjectsOf(plugin, { registry: registered })).map(nameOf),
  JSON.stringify(['curator']),
  JSON.stringify(['ledger']),
]);
const others = tightSubjects.filter(({ plant }) => !inSuites.has(nameOf(plant())));

describe.each(others)('$kind $id, correct with nothing to spare', (tight) => {
  it('is never rejected', async () => {
    expect(await rejections(tight, 'tight-1', { effort: 0.1 })).toEqual([]);
  });
});
