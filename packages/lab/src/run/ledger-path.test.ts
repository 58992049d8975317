import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Release } from '../experiment/schema.js';
import { ledgerPath } from './ledger-path.js';

const bytes = new TextEncoder().encode('a,b\n1,2\n');
const release = {} as Release;
afterEach(() => { vi.unstubAllEnvs(); });

test('one ledger per source, whatever the experiment, its folder, order, adjacency or design', () => {
  vi.stubEnv('LETHE_HOME', join('/', 'owner'));
  const path = ledgerPath(release, '/one', bytes);
  expect(path).toMatch(/[/\\]owner[/\\][0-9a-f]{32}\.ledger$/u);
  expect(ledgerPath({ ...release, adjacency: 'zero-out' } as Release, '/two', bytes.slice())).toBe(path);
  expect(ledgerPath(release, '/one', Uint8Array.of(1))).not.toBe(path);
});

test('a path in the experiment starts from the experiment', () => {
  expect(ledgerPath({ ledger: 'deep/x.ledger' } as Release, join('/', 'one'), bytes)).toBe(join('/', 'one', 'deep', 'x.ledger'));
});
