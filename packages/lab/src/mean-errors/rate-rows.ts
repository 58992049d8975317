import { rateTables } from '@lethe/lower-bounds';
import type { RateRow } from '../experiment/mean-error-results.js';
import type { RateTablesSpec } from '../experiment/mean-error-schema.js';

/**
 * Rows of the tables over dimensions and numbers of records, with their corners.
 *
 * @throws {InvalidParameter} outside of the conditions of the tables.
 */
export function rateRows({ dimensions, sizes, ...setting }: RateTablesSpec): readonly RateRow[] {
  return dimensions.flatMap((dimension) =>
    rateTables({ ...setting, dimension }).map(
      ({ table, name, title, source, corners, upper, lower }): RateRow => ({
        table,
        name,
        title,
        source,
        dimension,
        points: sizes.map((n) => ({ n, upper: upper(n), lower: lower(n) })),
        corners:
          corners.useful < corners.dense
            ? [corners.useful, corners.dense].map((n) => ({ n, upper: upper(n) }))
            : [],
      }),
    ),
  );
}
