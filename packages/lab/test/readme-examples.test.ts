import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkExperiment } from './support/check-experiment.js';
import { experimentSchema } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { labFolder, lethe } from './support/lab-folder.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```yaml\n([^]*?)```/gu)].map(
  ([, text]) => [(parse(text) as { readonly name: string }).name, text] as const,
);
const folder = labFolder();
afterAll(() => {
  folder.remove();
});

describe.each(examples)('the example %s of the README', (name, text) => {
  test('is an experiment, and runs', async () => {
    checkExperiment(experimentSchema.parse(parse(text)), name, registry);
    const { code, out, error } = await lethe(
      'run',
      folder.write(`${name}.yaml`, text),
      '--out',
      folder.file(name),
    );
    expect(code, error).toBe(0);
    expect(out).not.toMatch(/NaN|undefined|OUTSIDE|ABOVE|BELOW/u);
  });
});

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(0);
});
