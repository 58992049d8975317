import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { silentProgress } from '../run/progress.js';
import { written, type Queue } from './queue.js';
import { work } from './work.js';

// A run that computes step by step, several times longer than the patience of its job.
test('the queue hears of a run while it computes, more often than its patience', async () => {
  const signal = new AbortController();
  const beats: number[] = [];
  const message = {
    data: written({ key: 'k' }),
    info: { redelivered: false },
    working: () => beats.push(performance.now()),
    ack: () => signal.abort(),
  };
  const queue = {
    manager: {
      streams: {
        info: async () => ({ state: { subjects: { 'lethe.job.j': 1 } } }),
        getMessage: async () => ({ data: written({ path: 'a.yaml', text: '', set: [] }) }),
      },
    },
    stream: {
      publish: async () => undefined,
      consumers: {
        get: async () => ({ info: async () => ({ config: { ack_wait: 100e6 } }), next: async () => message }),
      },
    },
  } as unknown as Queue;
  const { pause } = silentProgress();
  const compute = async () => {
    const end = performance.now() + 3000;
    while (beats.length < 4 && performance.now() < end) await pause();
    return '{}';
  };
  await work(queue, {
    tasksOf: async () => new Map([['k', { text: 'a run', compute }]]),
    signal: signal.signal,
    say: () => undefined,
  });
  expect(beats.length).toBeGreaterThanOrEqual(4);
  const count = beats.length;
  await wait(60);
  expect(beats.length).toBe(count);
});
