import { describe, expect, it } from 'vitest';
import { coreIds, mutants, tightSubjects } from './src/corpus.ts';
import { rejections } from './src/kill.ts';

describe('the corpus', () => {
  it('has every mutant of the list, each once', () => {
    const ids = mutants.map(({ id }) => id);
    expect(coreIds.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(tightSubjects.map(({ id }) => id)).size).toBe(tightSubjects.length);
  });
});

describe.each(tightSubjects)('$kind $id, correct with nothing to spare', (tight) => {
  it('is never rejected', async () => {
    // At full effort, on many seeds: npm run mutants -- --tight COUNT.
    expect(await rejections(tight, 'tight-1', { effort: 0.25 })).toEqual([]);
  });
});
