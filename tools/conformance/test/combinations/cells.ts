import covertable from 'covertable';

/** Names of the values of each axis. */
export interface Axes {
  readonly [axis: string]: readonly string[];
}
/** One value of each axis. */
export type Row<A extends Axes> = { readonly [K in keyof A]: A[K][number] };

/** Number of combinations that run. */
export interface Coverage {
  /** Number of combinations up to which all are run. @defaultValue 64 */
  readonly maxCells?: number;
  /**
   * Strength of the covering array above `maxCells`; `cartesian`: all combinations, for any number.
   * @defaultValue 2
   */
  readonly strength?: number | 'cartesian';
}

const make = covertable as unknown as (
  axes: Record<string, readonly string[]>,
  options: { readonly length: number },
) => readonly Record<string, string>[];

/** All combinations at night; a covering array on every change. */
export const strengthOfRun = process.env['LETHE_EFFORT'] === 'full' ? 'cartesian' : 2;

/** Combinations of the values of all axes, in a fixed order. */
export function rowsOf<A extends Axes>(
  axes: A,
  { maxCells = 64, strength = 2 }: Coverage = {},
): readonly Row<A>[] {
  const names = Object.keys(axes);
  const all = names.reduce((count, axis) => count * axes[axis].length, 1);
  if (strength === 'cartesian' || all <= maxCells || strength >= names.length) return cartesian(axes);
  const rows = make(axes, { length: strength }).map(
    (row) => Object.fromEntries(names.map((axis) => [axis, row[axis]])) as Row<A>,
  );
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function cartesian<A extends Axes>(axes: A): readonly Row<A>[] {
  const rows = Object.entries(axes).reduce<readonly Record<string, string>[]>(
    (partial, [axis, values]) => partial.flatMap((row) => values.map((value) => ({ ...row, [axis]: value }))),
    [{}],
  );
  return rows as readonly Row<A>[];
}

/** Number of value tuples of `strength` axes without a row: 0 for a covering array. */
export function uncovered<A extends Axes>(axes: A, rows: readonly Row<A>[], strength: number): number {
  const pick = (names: readonly string[], size: number): readonly (readonly string[])[] =>
    size === 0
      ? [[]]
      : names.flatMap((name, i) => pick(names.slice(i + 1), size - 1).map((rest) => [name, ...rest]));
  const key = (row: Record<string, string>, names: readonly string[]): string =>
    JSON.stringify(names.map((name) => row[name]));
  return pick(Object.keys(axes), strength).reduce((missing, names) => {
    const seen = new Set(rows.map((row) => key(row, names)));
    return (
      missing +
      cartesian(Object.fromEntries(names.map((name) => [name, axes[name]]))).filter(
        (row) => !seen.has(key(row, names)),
      ).length
    );
  }, 0);
}
