import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The command as it is shipped. */
export const bin = at('../../bin/lethe.mjs');

/**
 * Builds what is shipped before the tests of a file; nothing is written when the build is up to date. A whole
 * run has built it before: another build would be newer than the bundled command, which every later start of
 * the command would pass over.
 */
export function buildFirst(): void {
  beforeAll(() => {
    if (process.env['LETHE_DIST'] !== undefined) return;
    const built = spawnSync(
      process.execPath,
      [at('../../../../node_modules/@typescript/native/bin/tsc'), '-b', at('../../tsconfig.json')],
      { encoding: 'utf8' },
    );
    expect(built.stdout + built.stderr).toBe('');
  }, 120_000);
}
