import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boundaries, subpaths } from './boundaries.mjs';
import { oxlintConfigText } from './oxlint-config.mjs';
import { packageNames, readJson, readManifest, root, siblingsOf } from './repository.js';

describe('the boundary table', () => {
  it('lists every package', () => {
    const folders = readdirSync(`${root}packages`).filter((name) =>
      existsSync(`${root}packages/${name}/package.json`),
    );
    expect(folders.toSorted()).toEqual(packageNames.toSorted());
  });

  it('has no arrow uphill', () => {
    for (const [place, name] of packageNames.entries()) {
      for (const target of boundaries[name].imports)
        expect(packageNames.indexOf(target), `${name} → ${target}`).toBeLessThan(place);
    }
  });

  it('is what .oxlintrc.json says; otherwise run: npm run lint:config', () => {
    expect(readFileSync(`${root}.oxlintrc.json`, 'utf8')).toBe(oxlintConfigText);
  });

  it('names exactly the subpaths that are exported', () => {
    const exported = packageNames.flatMap((name) =>
      Object.keys(readManifest(name).exports)
        .filter((path) => path !== '.' && path !== './package.json')
        .map((path) => `@lethe/${name}${path.slice(1)}`),
    );
    expect(exported).toEqual(subpaths);
  });

  it('has every package among the references of the root build', () => {
    const { references } = readJson<{ references: { path: string }[] }>('tsconfig.json');
    expect(references.map(({ path }) => path).toSorted()).toEqual(
      packageNames.map((name) => `packages/${name}`).toSorted(),
    );
  });
});

describe.each(packageNames)('%s', (name) => {
  it('depends on nothing the table forbids, in package.json and tsconfig.json alike', () => {
    const { references } = readJson<{ references: { path: string }[] }>(`packages/${name}/tsconfig.json`);
    const siblings = siblingsOf(readManifest(name)).toSorted();
    expect(boundaries[name].imports).toEqual(expect.arrayContaining(siblings));
    expect(references.map(({ path }) => path.replace('../', '')).toSorted()).toEqual(siblings);
  });

  it('is described like the others', () => {
    const manifest = readManifest(name);
    expect(manifest.name).toBe(`@lethe/${name}`);
    expect(manifest).toMatchObject({
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public' },
    });
    // What writes files alone needs no schemas.
    expect(manifest.peerDependencies ?? {}).toMatchObject(name === 'create-plugin' ? {} : { zod: '^4.0.0' });
    expect(Object.keys(manifest.scripts).toSorted()).toEqual([
      'attw',
      'build',
      // Its command is bundled from what is built.
      ...(name === 'lab' ? ['prepack'] : []),
      'publint',
      'test',
      'typecheck',
    ]);
    expect(manifest.devDependencies?.['zod'], 'a peer is installed for development').toBeDefined();
  });

  it('asks siblings for the version they have', () => {
    for (const sibling of siblingsOf(readManifest(name))) {
      // What curators take from `@lethe/core/internal` may change in any release.
      const range = name === 'curator' && sibling === 'core' ? '' : '^';
      expect(readManifest(name).dependencies?.[`@lethe/${sibling}`]).toBe(
        `${range}${readManifest(sibling).version}`,
      );
    }
  });
});
