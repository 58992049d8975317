import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Plugin } from '@lethe/core';
import { lawsFor, runLaws, subjectsOf, type Law } from '@lethe/laws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homes, scaffold } from './scaffold.mjs';

// Inside the repository, so that the packages are found; the templates themselves are judged at full effort, by their own tests.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = join(root, 'tools/generators/.new');

beforeAll(() => {
  rmSync(place, { recursive: true, force: true });
  for (const home of new Set(Object.values(homes))) {
    mkdirSync(join(place, `packages/${home}/src`), { recursive: true });
    writeFileSync(join(place, `packages/${home}/src/index.ts`), `export * from '@lethe/${home}';\n`);
  }
  for (const kind of Object.keys(homes)) scaffold(place, kind, `my-${kind}`);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('what was scaffolded', () => {
  it('type-checks, one plugin of every kind beside the others', async () => {
    const compilerOptions = { composite: false, noEmit: true, customConditions: ['@lethe/source'] };
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, include: ['packages'] }));
    // One error is planted, so that a compiler that looks at nothing does not pass.
    writeFileSync(join(place, 'packages/wrong.ts'), 'export const wrong: string = 1;\n');
    const said = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', place, '--pretty', 'false'], { cwd: place }).then(({ stdout }) => stdout, (error: { stdout: string }) => error.stdout);
    expect(said.split('\n').filter((line) => line.startsWith('packages/'))).toEqual([expect.stringMatching(/^packages\/wrong\.ts\(1,14\): error TS2322/u)]);
  });

  it.each(Object.entries(homes))('holds a plugin of kind %s that keeps the laws of its kind', async (kind, home) => {
    const registry: Plugin[] = [];
    for (const name of ['mechanisms', 'losses']) registry.push(...Object.values(await import(`@lethe/${name}`) as object).filter((value): value is Plugin => (value as Partial<Plugin>).claims !== undefined));
    const [plugin] = Object.values(await import(/* @vite-ignore */ join(place, `packages/${home}/src/my-${kind}.ts`)) as object) as Plugin[];
    const subjects = subjectsOf(plugin!, { registry });
    expect(subjects.length).toBeGreaterThan(0);
    for (const subject of subjects) {
      const reports = await runLaws(lawsFor(subject.kind) as readonly Law[], subject, { tiers: ['search'], effort: 0.1 });
      expect(reports.filter(({ finding }) => finding.verdict === 'fails')).toEqual([]);
    }
  });
});
