import { rmSync, statSync } from 'node:fs';
import type { Calibrate } from '@lethe/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReleaseResult } from '../src/experiment/results.js';
import { experimentSchema, type Release } from '../src/experiment/schema.js';
import { release as makeRelease, type ReleaseContext } from '../src/run/release.js';
import { labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';
import { quiet } from './support/run-evaluation.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const steps = 60;
const content = {
  ...release,
  optimizer: { ...release.optimizer, params: { ...release.optimizer.params, steps } },
};
const runFile = 'out/run.json';
const transcript = 'out/transcript.lethe';

const released = (change: object, context: Partial<ReleaseContext>): Promise<ReleaseResult> =>
  makeRelease(experimentSchema.parse({ ...content, ...change }) as Release, {
    ...quiet(),
    folder: folder.path,
    out: folder.file('out'),
    existing: 'refuse',
    ...context,
  });

/** Makes part of a release, until its transcript has some answers. */
async function interrupted(): Promise<void> {
  const stop = new AbortController();
  const isUnderWay = (): boolean => folder.has(transcript) && statSync(folder.file(transcript)).size > 3000;
  const pause = (): undefined => {
    if (isUnderWay()) stop.abort();
  };
  const { progress } = quiet();
  await expect(released({}, { signal: stop.signal, progress: { ...progress, pause } })).rejects.toThrow(
    /aborted/u,
  );
}

const noCalibration: Calibrate = () => {
  throw new Error('a resumed run plans nothing');
};
/** A planner with other noise than the one that a run began with. */
const twiceTheNoise: Calibrate = (options) => {
  const found = quiet().calibrate(options);
  return { ...found, value: 2 * found.value };
};

test('a resumed run has the plan that it began with, whatever would be planned now', async () => {
  const usual = await released({ ledger: 'first.ledger' }, { out: folder.file('whole') });
  const other = await released(
    { ledger: 'other.ledger' },
    { out: folder.file('other'), calibrate: twiceTheNoise },
  );
  expect(other.spent).not.toEqual(usual.spent);
  await interrupted();
  const resumed = await released({}, { existing: 'resume', calibrate: noCalibration });
  expect(resumed.spent).toEqual(usual.spent);
  expect(resumed.plan).toEqual(usual.plan);
  const again = await released({}, { existing: 'resume', calibrate: twiceTheNoise });
  expect([again.spent, again.model, again.run]).toEqual([resumed.spent, resumed.model, resumed.run]);
});

test('without its transcript too, a resumed run has the plan that it began with', async () => {
  const whole = await released({}, {});
  rmSync(folder.file(transcript));
  const resumed = await released({}, { existing: 'resume', calibrate: noCalibration });
  expect(resumed.model).toEqual(whole.model);
});

test.each<[string, object]>([
  ['budget', { budget: { epsilon: 2, delta: 1e-5 } }],
  ['params', { optimizer: { ...content.optimizer, params: { ...content.optimizer.params, stepSize: 1 } } }],
  ['problem', { problem: { ...content.problem, record: { featureNorm: 3 } } }],
  ['optimizer', { optimizer: { name: 'noisy-gradient-descent', params: content.optimizer.params } }],
])('a run is not resumed with another %s', async (part, change) => {
  await interrupted();
  await expect(released(change, { existing: 'resume' })).rejects.toThrow(
    new RegExp(`the run began with another ${part}\\b.*back as it was.*--again`, 'u'),
  );
  await expect(released({ title: 'Another title' }, { existing: 'resume' })).resolves.toBeDefined();
});

test('a plan that was changed is refused, by a message that says how the run goes on', async () => {
  await interrupted();
  const stored = JSON.parse(folder.read(runFile)) as { recorded: { plan: { plan: { gradients: number } } } };
  const { plan } = stored.recorded.plan;
  plan.gradients += 1;
  folder.write(runFile, stored);
  await expect(released({}, { existing: 'resume' })).rejects.toThrow(
    /the plan in .*run\.json is damaged\. Delete its entry 'recorded', then --resume plans again/u,
  );
  folder.write(runFile, { ...stored, recorded: undefined });
  await expect(released({}, { existing: 'resume' })).resolves.toBeDefined();
});

test('--checkpoint-every sets how often a run can be resumed from, and changes nothing else', async () => {
  const sizes: number[] = [];
  for (const every of ['1', 'Infinity']) {
    folder.write('one.json', { ...content, ledger: `${every}.ledger` });
    const out = folder.file(every);
    const { code, error } = await lethe(
      'run',
      folder.file('one.json'),
      '--out',
      out,
      '--checkpoint-every',
      every,
    );
    expect(code, error).toBe(0);
    sizes.push(statSync(folder.file(`${every}/one/transcript.lethe`)).size);
  }
  expect(sizes[0]).toBeGreaterThan(1.2 * sizes[1]);
  const bad = await lethe('run', folder.file('one.json'), '--checkpoint-every', '0');
  expect(bad).toMatchObject({ code: 2, out: '' });
  expect(bad.error).toContain('--checkpoint-every is 0; it must be at least 1');
});
