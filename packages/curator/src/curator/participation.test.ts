import { seededRandom } from '@lethe/numerics';
import { expect, it } from 'vitest';
import type { Rows } from './members.js';
import { createParticipants } from './participation.js';

const slots = 12;

/** Steps of every slot, as a list. */
function byLists(times: number, gap: number) {
  const steps = Array.from({ length: slots }, () => [] as number[]);
  const slotsOf = (rows: Rows): readonly number[] =>
    rows instanceof Uint32Array
      ? [...rows]
      : Array.from({ length: rows.to - rows.from }, (_, i) => rows.from + i);
  return {
    admits: (rows: Rows, step: number): boolean =>
      slotsOf(rows).every(
        (slot) => steps[slot].length < times && steps[slot].every((before) => step - before >= gap),
      ),
    record: (rows: Rows, step: number): void => slotsOf(rows).forEach((slot) => steps[slot].push(step)),
  };
}

it.each([
  [1, 1],
  [1, 5],
  [2, 3],
  [4, 1],
])('admits what lists of steps admit, for %d times %d steps apart', (times, gap) => {
  const random = seededRandom(`participation/${times}/${gap}`);
  let [admitted, refused] = [0, 0];
  for (let round = 0; round < 50; round++) {
    const [ours, lists] = [createParticipants(slots, { times, gap }), byLists(times, gap)];
    for (let step = 0; step < 20; step++) {
      const [a, b] = [random.integer(slots + 1), random.integer(slots + 1)];
      const stretch = { from: Math.min(a, b), to: Math.max(a, b) };
      const rows = random.uniform() < 0.5 ? stretch : Uint32Array.of(random.integer(slots));
      const wanted = lists.admits(rows, step);
      expect(ours.admits(rows, step)).toBe(wanted);
      if (wanted) {
        ours.record(rows, step);
        lists.record(rows, step);
        admitted++;
      } else refused++;
    }
  }
  expect(Math.min(admitted, refused)).toBeGreaterThan(50);
});
