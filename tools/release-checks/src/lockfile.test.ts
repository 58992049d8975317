import { describe, expect, it } from 'vitest';
import { lockfileFindings } from './lockfile.mjs';
import { readJson } from './repository.js';

type Packages = Record<
  string,
  { resolved?: string; integrity?: string; optionalDependencies?: Record<string, string> }
>;
const real = (): { lockfileVersion: number; packages: Packages } => readJson('package-lock.json');

describe('the lockfile', () => {
  it('serves every platform and names no registry', () => {
    expect(lockfileFindings(real())).toEqual([]);
  });

  it('has native binaries for Linux, macOS and Windows', () => {
    const paths = Object.keys(real().packages);
    for (const platform of ['linux-x64', 'darwin-arm64', 'win32-x64']) {
      for (const tool of ['@nx/nx', '@oxlint', '@rolldown', '@typescript/typescript']) {
        expect(
          paths.filter((path) => path.includes(tool) && path.includes(platform)),
          `${tool} ${platform}`,
        ).not.toHaveLength(0);
      }
    }
  });
});

describe('a doctored lockfile', () => {
  it('is caught when any one optional package is missing', () => {
    const { packages } = real();
    const optional = new Set(
      Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})),
    );
    expect(optional.size).toBeGreaterThan(20);
    for (const name of optional) {
      const doctored = real();
      for (const path of Object.keys(packages))
        if (path.endsWith(`node_modules/${name}`)) delete doctored.packages[path];
      expect(lockfileFindings(doctored).join('\n'), name).toContain(name);
    }
  });

  it('is caught when it names a host', () => {
    const doctored = real();
    doctored.packages['node_modules/nx'].resolved = 'https://registry.example.invalid/nx/-/nx-1.0.0.tgz';
    expect(lockfileFindings(doctored)).toEqual([expect.stringContaining('names a host')]);
  });

  it('is caught when a package has no integrity', () => {
    const doctored = real();
    delete doctored.packages['node_modules/nx'].integrity;
    expect(lockfileFindings(doctored)).toEqual(['node_modules/nx: no integrity']);
  });

  it('is caught when there is nothing in it', () => {
    expect(lockfileFindings({})).toHaveLength(1);
    expect(lockfileFindings({ lockfileVersion: 3, packages: {} })).toHaveLength(1);
  });
});

describe('an optional package', () => {
  const entry = (name: string): Packages[string] => ({
    integrity: 'sha512-x',
    optionalDependencies: { [name]: '1.0.0' },
  });
  const lock = (packages: Packages) => ({ lockfileVersion: 3, packages: { '': {}, ...packages } });

  it('may stand beside or above the package that names it, not elsewhere', () => {
    const owner = 'node_modules/a/node_modules/@b/c';
    for (const place of [`${owner}/node_modules/d`, 'node_modules/a/node_modules/d', 'node_modules/d']) {
      expect(
        lockfileFindings(lock({ [owner]: entry('d'), [place]: { integrity: 'sha512-x' } })),
        place,
      ).toEqual([]);
    }
    expect(
      lockfileFindings(
        lock({ [owner]: entry('d'), 'node_modules/e/node_modules/d': { integrity: 'sha512-x' } }),
      ),
    ).toHaveLength(1);
  });
});
