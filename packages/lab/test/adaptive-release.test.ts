import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReleaseResult } from '../src/experiment/results.js';
import { labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const params = {
  steps: 12,
  rate: 0.5,
  clipNorm: 1,
  stepSize: 0.1,
  noiseMultiplier: 30,
  leastMultiplier: 30,
  lookEvery: 4,
  lookMultiplier: 10,
};

test.each<[string, object, RegExp, string, (steps: number) => boolean]>([
  [
    'its steps are taken',
    {},
    /steps +12 of at most 12: all planned steps were taken/u,
    'planned-steps',
    (steps) => steps === 12,
  ],
  [
    'the budget ends',
    { steps: 5000, noiseMultiplier: 6, leastMultiplier: 6 },
    /of at most 5000: the budget had no room/u,
    'budget',
    (steps) => steps > 4 && steps < 5000,
  ],
  [
    'a look meets its rule',
    { tolerance: 1e6 },
    /steps +4 of at most 12: its answers met its rule to stop/u,
    'answers',
    (steps) => steps === 4,
  ],
])(
  'a release that stops by its answers says how it went: %s',
  { timeout: 60_000 },
  async (_why, change, said, stopped, fits) => {
    folder.write('a.json', {
      ...release,
      optimizer: { name: 'adaptive-dp-sgd', params: { ...params, ...change } },
      budget: { epsilon: 2, delta: 1e-5 },
    });
    const { code, out, error } = await lethe('run', folder.file('a.json'), '--out', folder.file('out'));
    expect(code, error).toBe(0);
    expect(out).toMatch(said);
    const [{ adaptive, certificate }] = JSON.parse(folder.read('out/results.json')) as [ReleaseResult];
    expect([defined(adaptive).stopped, fits(defined(adaptive).steps)]).toEqual([stopped, true]);
    expect(defined(adaptive).charged.interval.upper).toBeGreaterThan(0);
    expect(defined(adaptive).charged.interval.lower).toBeLessThanOrEqual(certificate.upper);
    const report = folder.read('out/report.html');
    for (const text of ['How it went', 'stopped because', 'the limit of its filter'])
      expect(report).toContain(text);
  },
);
