import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyClosure } from './closure.js';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-closure-'));
const [installed, alone] = [join(folder, 'installed'), join(folder, 'alone')];

/** Installs a module that imports all that are named. */
function plant(path: string, imports: readonly string[], declared: object): void {
  const place = join(installed, path);
  mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ type: 'module', exports: './index.js', ...declared }),
  );
  writeFileSync(join(place, 'index.js'), imports.map((name) => `import '${name}';\n`).join(''));
}

beforeAll(() => {
  plant('node_modules/honest', ['near', 'peer'], {
    dependencies: { near: '1' },
    peerDependencies: { peer: '1' },
  });
  plant('node_modules/honest/node_modules/near', ['deep'], { dependencies: { deep: '1', optional: '1' } });
  plant('node_modules/near', ['missing'], {});
  plant('node_modules/deep', [], {});
  plant('node_modules/peer', [], {});
  plant('node_modules/careless', ['deep'], {});
  for (const name of ['honest', 'careless']) {
    copyClosure(name, installed, join(alone, name));
    writeFileSync(join(alone, name, 'index.mjs'), `import '${name}';\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('has what is declared, each where it was installed, and nothing else', async () => {
  expect((await run(process.execPath, ['index.mjs'], join(alone, 'honest'))).stderr).toBe('');
  expect(existsSync(join(alone, 'honest/node_modules/honest/node_modules/near'))).toBe(true);
  expect(existsSync(join(alone, 'honest/node_modules/near'))).toBe(false);
  expect(existsSync(join(alone, 'honest/node_modules/careless'))).toBe(false);
});

it('lacks what is imported and not declared', async () => {
  const { code, stderr } = await run(process.execPath, ['index.mjs'], join(alone, 'careless'));
  expect([code, stderr]).toEqual([1, expect.stringContaining("Cannot find package 'deep'")]);
});
