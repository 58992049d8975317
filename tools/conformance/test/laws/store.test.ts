import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type Store } from '@lethe/core';
import { describeLaws } from '@lethe/laws/vitest';
import { fileStore } from '@lethe/node';
import { afterAll } from 'vitest';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('store');

const folder = mkdtempSync(join(tmpdir(), 'lethe-laws-'));
afterAll(() => rmSync(folder, { recursive: true }));
const memory = new Map<string, Store>();

describeLaws(
  runner,
  {
    kind: 'store',
    name: 'memory',
    claims: [],
    open(place) {
      const store = memory.get(place) ?? memoryStore();
      memory.set(place, store);
      return store;
    },
  },
  options,
);
describeLaws(
  runner,
  {
    kind: 'store',
    name: 'file',
    claims: [{ property: 'fenced', statement: 'A lock file names the one writer.' }],
    open: (place) => fileStore(join(folder, place), { durable: false }),
  },
  options,
);
