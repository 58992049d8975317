import { defined } from '@lethe/numerics';
import { afterAll, describe, expect, test } from 'vitest';
import type { Axes, Row } from './cells.js';

/** Expected outcome of one combination. */
export interface Cell {
  /**
   * Reason of an expected refusal, equal for all combinations with
   * the same reason; undefined for combinations that must run.
   */
  readonly refusal: string | undefined;
  /** Throws unless the combination runs or is refused as expected. */
  readonly check: () => void;
}

/** All combinations of one file. */
export interface Grid<A extends Axes> {
  readonly axes: A;
  readonly rows: readonly Row<A>[];
  /** Axis whose values have one test each, for the combinations that run. */
  readonly by: keyof A & string;
  /** Expected behaviour in all combinations that run: `answers with noise, …`. */
  readonly statement: string;
  readonly cell: (row: Row<A>) => Cell;
}

interface Named<A extends Axes> extends Cell {
  readonly row: Row<A>;
  readonly name: string;
}

/** One test loops over many combinations, so slow machines need a long timeout. */
const timeout = 600_000;
const mostNamed = 10;

/** Checks all combinations, and names the failing ones. */
export function checkAll(cells: readonly Pick<Named<Axes>, 'name' | 'check'>[]): void {
  const failures = cells.flatMap(({ name, check }) => {
    try {
      check();
      return [];
    } catch (error) {
      return [{ name, error }];
    }
  });
  if (failures.length === 0) return;
  const named = failures
    .slice(0, mostNamed)
    .map(
      ({ name, error }) =>
        `  ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    );
  const more = failures.length > mostNamed ? [`  and ${failures.length - mostNamed} more`] : [];
  throw new Error([`${failures.length} of ${cells.length} combinations fail`, ...named, ...more].join('\n'), {
    cause: failures[0].error,
  });
}

const grouped = <T>(all: readonly T[], key: (one: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
};

/**
 * Declares one test for each part that runs in some combination, and one for each reason why combinations are
 * refused. Prints how many there are of each, and which parts never run, so that a shrinking grid is seen.
 */
export function testGrid<A extends Axes>({ axes, rows, by, statement, cell }: Grid<A>): void {
  const cells = rows.map((row): Named<A> => ({ ...cell(row), row, name: Object.values(row).join(' × ') }));
  const running = cells.filter(({ refusal }) => refusal === undefined);
  const refused = cells.filter(({ refusal }) => refusal !== undefined);
  const title = Object.entries(axes)
    .map(([axis, values]) => `${values.length} of ${axis}`)
    .join(' × ');

  describe(`combinations: ${title}`, () => {
    const declare = (what: string, some: readonly Named<A>[]): void => {
      test(`${what} in ${some.length} combinations`, { timeout }, ({ task }) => {
        task.meta.cells = some.length;
        checkAll(some);
      });
    };
    for (const [part, some] of grouped(running, ({ row }) => row[by])) declare(`${part} ${statement},`, some);
    for (const [reason, some] of grouped(refused, ({ refusal }) => defined(refusal)))
      declare(`${reason}: refused`, some);
    test('some combinations run', () => {
      expect(running).not.toEqual([]);
    });
  });

  afterAll(() => {
    const ran = new Set(
      running.flatMap(({ row }) => Object.entries(row).map(([axis, value]) => `${axis} ${value}`)),
    );
    const never = Object.entries(axes)
      .flatMap(([axis, values]) => values.map((value) => `${axis} ${value}`))
      .filter((part) => !ran.has(part));
    process.stdout.write(
      `combinations, ${title}: ${running.length} ran, ${refused.length} refused as expected; ` +
        `never run: ${never.join(', ') || 'none'}\n`,
    );
  });
}
