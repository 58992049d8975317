import { gaussianEvent, memoryStore, openLog, sampledEvent, seededRandom } from '@lethe/core';
import { Corrupt } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { openLedger } from './ledger.js';

const kind = { magic: 'lethe-ledger' };
const whole = sampledEvent({ kind: 'core/poisson', rate: 0.5 }, gaussianEvent(1, { 'zero-out': 1 }));

/** A ledger with one charge, written as if of `event`. */
function charged(event: unknown) {
  const store = memoryStore();
  const ledger = openLedger({ adjacency: 'zero-out', store });
  ledger.openRun('run', seededRandom('run'));
  const on = { space: 'all', from: 0, to: 1 };
  ledger.append({ run: 'run', index: 0, digest: '0'.repeat(32), effect: { charge: { on, event: whole } } });
  const lines = openLog(store, kind).records;
  const other = memoryStore();
  const line = { ...(lines.at(-1) as object), effect: { charge: { on, event } } };
  openLog(other, kind).rewrite([...lines.slice(0, -1), line]);
  return other;
}

test.each([
  { kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 0.5 } },
  { kind: 'core/group', v: 1, event: whole },
  { kind: 'core/group', v: 1, size: 2, event: { kind: 'core/sampled', v: 1 } },
  { kind: 'core/parallel', v: 1 },
  { kind: 'core/parallel', v: 1, parts: [null] },
  { kind: 'core/compose', v: 1, parts: [{ event: whole }] },
  { kind: 'core/compose', v: 1, parts: [{ event: { kind: 'core/sampled', v: 1 }, count: 2 }] },
])('an event with nothing in it is damage of the ledger: %j', (event) => {
  expect(() => openLedger({ adjacency: 'zero-out', store: charged(event) })).toThrow(Corrupt);
});

test('a whole event is read', () => {
  expect(openLedger({ adjacency: 'zero-out', store: charged(whole) }).total()).toBeDefined();
});

test.each(['__proto__', 'constructor', 'toString'])('an event may be of a kind called %s', (name) => {
  const store = charged({ kind: name, v: 1 });
  expect(openLedger({ adjacency: 'zero-out', store }).total()).toMatchObject({ kind: name });
});
