import { createArena, type Arena, type MatrixView } from '@lethe/numerics';

/** Doubles of an arena that small matrices share, and the largest share of one of them. */
const room = 65_536;
const largest = 1024;
let shared: Arena | undefined;

/**
 * A zero-filled matrix by rows. Small ones lie in memory of the kernels that many share, which `attachData`
 * takes over: laws attach records many thousand times, and memory of their own would cost more than the runs.
 */
export function featuresOf(rows: number, columns: number): MatrixView {
  const length = rows * columns;
  if (length <= largest && (shared === undefined || shared.free < 16 * largest))
    shared = createArena({ doubles: room, shared: false });
  const data = length <= largest && shared !== undefined ? shared.allocate(length) : new Float64Array(length);
  return { data, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
}
