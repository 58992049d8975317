import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from './version.js';

test('runs are bound to the version of the package', () => {
  expect(version).toBe(
    (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
      .version,
  );
});
