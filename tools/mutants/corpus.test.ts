import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withPatch } from './patches.mjs';
import { mutantsByDay, tightByDay } from './src/by-day.js';
import { coreIds, mutants, tightSubjects } from './src/corpus.js';
import slow from './slow.json' with { type: 'json' };
import { rejections } from './src/kill.js';

/** A bug that `npm run mutants:tested` plants, and the test file that finds it. */
interface TestedBug {
  readonly id: string;
  readonly package: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  readonly killedBy: string;
}

describe('the corpus', () => {
  it('has bugs for named tests that are in the sources, each once', () => {
    const packages = new URL('../../packages/', import.meta.url);
    const lists = new URL('src/tested/', import.meta.url);
    const bugs = readdirSync(lists).flatMap(
      (name) => JSON.parse(readFileSync(new URL(name, lists), 'utf8')) as readonly TestedBug[],
    );
    expect(new Set(bugs.map(({ id }) => id)).size).toBe(bugs.length);
    for (const bug of bugs) {
      const root = new URL(`${bug.package}/`, packages);
      const code = readFileSync(new URL(`src/${bug.file}`, root), 'utf8');
      expect(withPatch(code, bug), bug.id).not.toBe(code);
      expect(existsSync(new URL(bug.killedBy, root)), bug.id).toBe(true);
    }
  });

  it('has every mutant of the list, each once', () => {
    const ids = mutants.map(({ id }) => id);
    expect(coreIds.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(tightSubjects.map(({ id }) => id)).size).toBe(tightSubjects.length);
  });

  it('leaves to the night what is slow and still there, and no law of mutants as a whole', () => {
    const ids = new Set([...mutants, ...tightSubjects].map(({ id }) => id));
    expect(Object.keys(slow).filter((id) => !ids.has(id))).toEqual([]);
    const lawsOf = (list: typeof mutants) => new Set(list.map(({ killedBy }) => killedBy[0]));
    expect(lawsOf(mutantsByDay)).toEqual(lawsOf(mutants));
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
 * The suites of registered plugins, and of the curators and the ledger, run all laws on these subjects: here
 * they would only be run again. `npm run mutants -- --tight COUNT` runs them too, on many seeds, and the laws
 * that sample, whose false alarms show on many seeds only.
 */
const inSuites = new Set([
  ...registered.flatMap((plugin) => subjectsOf(plugin, { registry: registered })).map(nameOf),
  JSON.stringify(['curator']),
  JSON.stringify(['ledger']),
]);
const chosen = process.env['LETHE_EFFORT'] === 'full' ? tightSubjects : tightByDay;
const others = chosen.filter(({ plant }) => !inSuites.has(nameOf(plant())));

for (const tight of others)
  describe(`${tight.kind} ${tight.id}, correct with nothing to spare`, () => {
    it('is never rejected', async () => {
      expect(await rejections(tight, 'tight-1', { tiers: ['exact', 'search'], effort: 0.1 })).toEqual([]);
    });
  });
