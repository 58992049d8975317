import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluation, labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const fact = { value: 1, why: 'a test' };
const ran = async (content: object): Promise<readonly string[]> => {
  const { code, error } = await lethe(
    'run',
    folder.write('a.json', content),
    '--out',
    folder.file(`out-${readdirSync(folder.path).length}`),
  );
  expect(code, error).toBe(0);
  return error.split('\n').filter((line) => line.includes('warning'));
};
const small = { ...evaluation, sizes: [40], seeds: { count: 1 } };
const withFacts = (facts: object): object => ({
  ...small,
  problems: [{ ...small.problems[0], facts: { ...small.problems[0].facts, ...facts } }],
});

describe('a declared fact that nothing reads', () => {
  test('is told in one line for the whole experiment', async () => {
    const facts = { ofAPluginOfMine: fact, 'coordinateGradientMoment.4': fact };
    const two = {
      ...small,
      problems: [
        { ...small.problems[0], facts: { ...small.problems[0].facts, ...facts } },
        { ...small.problems[0], name: 'other' },
      ],
      optimizers: [small.optimizers[0], { ...small.optimizers[1], problems: ['line'] }],
    };
    expect(await ran(two)).toEqual([
      expect.stringMatching(
        /^warning: declared, and read by nothing: 'ofAPluginOfMine', 'coordinateGradientMoment\.4' of problem 'line'; 'gradientMoment\.2' of problem 'other'\. /u,
      ),
    ]);
  });

  test('is told by a release, and by a plan', async () => {
    expect(
      await ran({ ...release, problem: { ...release.problem, facts: { 'gradientMoment.2': fact } } }),
    ).toEqual([expect.stringContaining("read by nothing: 'gradientMoment.2' of problem 'line'")]);
    const plan = [
      'plan',
      'noisy-clipped-ac-sa',
      '--n',
      '1000',
      '--d',
      '3',
      '--epsilon',
      '1',
      '--label-bound',
      '1',
      '--fact',
      'gradientMoment.2=9',
    ];
    expect((await lethe(...plan)).error).toBe('');
    expect((await lethe(...plan, '--fact', 'mine=1')).error).toMatch(
      /^lethe plan: warning: declared, and read by nothing: 'mine'\. /u,
    );
  });

  test('is none where an optimizer, a rate or a lower bound reads it, or one entry of it', async () => {
    expect(await ran(small)).toEqual([]);
    expect(await ran(withFacts({ startGap: fact, 'coordinateGradientMoment.2': fact }))).toHaveLength(1);
    expect(
      await ran({
        ...withFacts({ 'coordinateGradientMoment.2': fact }),
        rates: [{ name: 'convex-linear-time' }],
      }),
    ).toEqual([]);
    const sketched = {
      ...small,
      problems: [
        {
          ...small.problems[0],
          record: { featureBounds: 1, labelBound: 1 },
          facts: { startDistance: { value: [1, 1, 1], why: 'a test' } },
        },
      ],
    };
    expect(
      await ran({
        ...sketched,
        optimizers: [{ name: 'dp-skgd', params: { sketch: { name: 'single-coordinate' } } }],
      }),
    ).toEqual([]);
  });
});
