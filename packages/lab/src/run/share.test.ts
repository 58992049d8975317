import { expect, test } from 'vitest';
import { takenFrom, type Share } from './share.js';
import type { Task } from './tasks.js';

/** Runs of three settings on the records of each size and seed, as `tasksOf` orders them. */
const tasks = [10, 1000].flatMap((n) =>
  [1, 2, 3, 4].flatMap((seed) =>
    ['a', 'b', 'c'].map((text) => ({ text, seed, records: `${n}/${seed}`, setting: { n } }) as Task),
  ),
);
const shareOf = (threads: number): Share => ({
  taken: new Int32Array(new SharedArrayBuffer(8)),
  threads,
});

test('every run is taken once, those on the same records together, and those on many first', () => {
  const share = shareOf(2);
  const threads = [takenFrom(tasks, 1, share), takenFrom(tasks, 1, share)];
  const taken: Task[][] = [[], []];
  // The second thread is three times as fast.
  for (let k = 0; taken.flat().length < tasks.length; k++) {
    const { value } = threads[k % 4 === 0 ? 0 : 1].next();
    if (value !== undefined) taken[k % 4 === 0 ? 0 : 1].push(value);
  }
  for (const thread of threads) expect(thread.next().done).toBe(true);
  expect(new Set(taken.flat()).size).toBe(tasks.length);
  expect(share.taken[0]).toBe(0);
  expect(taken[1].length).toBeGreaterThan(2 * taken[0].length);
  for (const own of taken) {
    expect(own.map(({ setting }) => setting.n)).toEqual(
      own.map(({ setting }) => setting.n).toSorted((a, b) => b - a),
    );
    expect(new Set(own.map(({ records }) => records)).size * 3).toBe(own.length);
  }
});

test('few runs are taken one by one, so that no thread is idle', () => {
  const share = shareOf(2);
  const [first, second] = [0, 1].map(() => takenFrom(tasks.slice(0, 3), 0, share));
  expect(first.next().value?.text).toBe('a');
  expect(second.next().value?.text).toBe('b');
});
