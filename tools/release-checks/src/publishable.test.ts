import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fields, lacking } from './publishable.mjs';
import { packageNames, readJson, readManifest } from './repository.js';

it('a release without a public address of the sources is refused, field by field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lethe-publishable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, more: object): void => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, ...more }));
  };
  const whole = Object.fromEntries(Object.keys(fields).map((field) => [field, 'there']));
  write('a', whole);
  expect(lacking(folder)).toEqual([]);
  write('b', { ...whole, bugs: undefined });
  expect(lacking(folder)).toEqual([expect.stringMatching(/^bugs is unset in b; write "bugs": /u)]);
  write('a', {});
  expect(lacking(folder).map((line) => line.split(' ')[0])).toEqual(Object.keys(fields));
});

it('a release asks before it publishes, and every package names its authors', () => {
  const { scripts } = readJson<{ readonly scripts: Readonly<Record<string, string>> }>('package.json');
  expect(scripts['release']).toMatch(/publishable\.mjs && .*changeset publish$/u);
  expect(packageNames.filter((name) => readManifest(name).author !== 'The Lethe authors')).toEqual([]);
});
