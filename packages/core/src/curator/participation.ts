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

export function createParticipants(
  slots: number,
  { times, gap }: { readonly times: number; readonly gap: number },
): Participants {
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
