import type { Task } from './tasks.js';

/** How threads share runs: whoever is idle takes some that nobody has taken. */
export interface Share {
  /** How often runs of each problem were taken, in memory that all threads see. */
  readonly taken: Int32Array<SharedArrayBuffer>;
  /** Number of threads. */
  readonly threads: number;
}

/** The runs that one thread takes, one after another. */
export function* takenFrom(
  tasks: readonly Task[],
  problem: number,
  { taken, threads }: Share,
): Generator<Task> {
  const all = unitsOf(tasks, threads);
  for (let k = Atomics.add(taken, problem, 1); k < all.length; k = Atomics.add(taken, problem, 1))
    yield* all[k];
}

/** Units for each thread, so that none waits long for the last one. */
const unitsEach = 4;

/**
 * Runs that one thread makes together: on the same records, which are then made once. Those on many records
 * come first.
 */
function unitsOf(tasks: readonly Task[], threads: number): readonly (readonly Task[])[] {
  const most = Math.ceil(tasks.length / (unitsEach * threads));
  const units: Task[][] = [];
  for (const task of tasks) {
    const last = units.at(-1);
    if (last !== undefined && last.length < most && last[0].records === task.records) last.push(task);
    else units.push([task]);
  }
  return units.toSorted(([a], [b]) => b.setting.n - a.setting.n);
}
