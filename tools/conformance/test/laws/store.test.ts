import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type Store } from '@lethe/core';
import { describeLaws } from '@lethe/laws/vitest';
import { fileStore } from '@lethe/node';
import { afterAll, describe, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'lethe-laws-'));
afterAll(() => rmSync(folder, { recursive: true }));
const memory = new Map<string, Store>();

describeLaws({ describe, it }, {
  kind: 'store', name: 'memory', claims: [],
  open(place) {
    const store = memory.get(place) ?? memoryStore();
    memory.set(place, store);
    return store;
  },
});
describeLaws({ describe, it }, {
  kind: 'store', name: 'file', claims: [{ property: 'fenced', statement: 'A lock file names the one writer.' }],
  open: (place) => fileStore(join(folder, place), { durable: false }),
});
