import { rowAt, rowCount, type Rows } from './members.js';

/** Who has taken part in a stream, by slots and not by names of batches. */
export interface Participants {
  /**
   * Whether every slot may take part in step `step`: at most
   * `times` in all, at least `gap` steps after its last.
   */
  admits(rows: Rows, step: number): boolean;
  record(rows: Rows, step: number): void;
}

export const createParticipants = (
  slots: number,
  { times, gap }: { readonly times: number; readonly gap: number },
): Participants => (times === 1 ? once(slots) : often(slots, times, gap));

/** One part each, so that no gap matters: a flag a slot, of which a stretch is read and set at once. */
function once(slots: number): Participants {
  const taken = new Uint8Array(slots);
  return {
    admits: (rows) =>
      rows instanceof Uint32Array
        ? rows.every((slot) => taken[slot] === 0)
        : !taken.subarray(rows.from, rows.to).includes(1),
    record(rows) {
      if (rows instanceof Uint32Array) for (const slot of rows) taken[slot] = 1;
      else taken.fill(1, rows.from, rows.to);
    },
  };
}

function often(slots: number, times: number, gap: number): Participants {
  const count = new Uint32Array(slots);
  const last = new Float64Array(slots).fill(-Infinity);
  return {
    admits(rows, step) {
      for (let i = 0; i < rowCount(rows); i++) {
        const slot = rowAt(rows, i);
        if (count[slot] >= times || step - last[slot] < gap) return false;
      }
      return true;
    },
    record(rows, step) {
      for (let i = 0; i < rowCount(rows); i++) {
        const slot = rowAt(rows, i);
        count[slot] += 1;
        last[slot] = step;
      }
    },
  };
}
