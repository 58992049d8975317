import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { camelCase } from '@lethe/create-plugin';
import type { Plugin } from '@lethe/core';
import { lawsFor, runLaws, subjectsOf, type Law } from '@lethe/laws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homes } from './homes.mjs';
import { scaffold } from './scaffold.mjs';

// Inside the repository, so that the packages are found; the
// templates themselves are judged by their own tests.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = join(root, 'tools/generators/.new');

const isFull = process.env['LETHE_EFFORT'] === 'full';
beforeAll(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, '.changeset'), { recursive: true });
  for (const home of new Set(Object.values(homes).map((one) => one.package))) {
    const isSource = (path: string): boolean => !path.endsWith('.test.ts');
    cpSync(join(root, `packages/${home}/src`), join(place, `packages/${home}/src`), {
      recursive: true,
      filter: isSource,
    });
    cpSync(join(root, `packages/${home}/README.md`), join(place, `packages/${home}/README.md`));
  }
  for (const kind of Object.keys(homes)) scaffold(place, kind, `my-${kind}`);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('what was scaffolded', () => {
  // A whole package is checked for it: at night.
  it.runIf(isFull)('type-checks, one plugin of every kind among its siblings', async () => {
    const compilerOptions = {
      composite: false,
      noEmit: true,
      types: ['node', 'vite/client'],
    };
    const config = { extends: '../../../tsconfig.base.json', compilerOptions, include: ['packages'] };
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
    // One error is planted, so that a compiler that looks at nothing does not pass.
    writeFileSync(join(place, 'packages/wrong.ts'), 'export const wrong: string = 1;\n');
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
    const said = await promisify(execFile)(process.execPath, [compiler, '-p', place, '--pretty', 'false'], {
      cwd: place,
    }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    expect(said.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^packages\/wrong\.ts\(1,14\): error TS2322/u),
    ]);
  });

  it.each(Object.entries(homes))(
    `holds a plugin of kind %s that is exported and registered${isFull ? ', and keeps the laws' : ''}`,
    async (kind, home) => {
      const registry: Plugin[] = [];
      for (const name of ['mechanisms', 'losses']) {
        const exported = Object.values((await import(`@lethe/${name}`)) as object);
        registry.push(
          ...exported.filter((value): value is Plugin => (value as Partial<Plugin>).claims !== undefined),
        );
      }
      const source = join(place, `packages/${home.package}/src`);
      const exported = (await import(/* @vite-ignore */ join(source, 'index.ts'))) as Readonly<
        Record<string, Plugin & readonly Plugin[]>
      >;
      const plugin = exported[camelCase(`my-${kind}`)];
      const listing =
        home.package === 'algorithms'
          ? exported['optimizers']
          : (exported[home.list] ?? exported['mechanisms']);
      expect(listing).toContain(plugin);
      const subjects = subjectsOf(plugin, { registry });
      expect(subjects.length).toBeGreaterThan(0);
      // By day the laws of what is written are those of the templates: `templates.test.ts`.
      for (const subject of isFull ? subjects : []) {
        const reports = await runLaws(lawsFor(subject.kind) as readonly Law[], subject, {
          tiers: ['search'],
          effort: 0.1,
        });
        expect(reports.filter(({ finding }) => finding.verdict === 'fails')).toEqual([]);
      }
    },
  );
});
