import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { noised, refusesAll, supportedScale, wideScales } from './call.js';

const lengths = [2, 3, 5, 8, 17, 33, 64];
/** Calls beyond the necessary number, so that noise with a density fails with negligible probability. */
const spare = 24;
/** Relative length below which noise in a direction counts as zero. */
const none = 1e-9;

/** Subtracts the mean of every column, to detect constant sums as well as zero sums. */
function centred(rows: readonly Float64Array[]): Float64Array[] {
  const mean = new Float64Array(rows[0].length);
  for (const row of rows)
    row.forEach((x, j) => {
      mean[j] = mean[j] + x / rows.length;
    });
  return rows.map((row) => row.map((x, j) => x - mean[j]));
}

/** Smallest pivot of a Gram–Schmidt process with pivoting, relative to the longest column. */
function leastPivot(rows: Float64Array[]): number {
  const width = rows[0].length;
  const columns = Array.from({ length: width }, (_, j) => Float64Array.from(rows, (row) => row[j]));
  const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  const longest = Math.max(...columns.map(norm));
  for (let k = 0; k < width; k++) {
    const sizes = columns.map((column, j) => (j < k ? -1 : norm(column)));
    const top = sizes.indexOf(Math.max(...sizes));
    if (!(sizes[top] > none * longest)) return sizes[top] / longest;
    [columns[k], columns[top]] = [columns[top], columns[k]];
    const pivot = columns[k];
    const square = sizes[top] ** 2;
    for (let j = k + 1; j < width; j++) {
      const column = columns[j];
      const share = pivot.reduce((sum, x, i) => sum + x * column[i], 0) / square;
      for (let i = 0; i < column.length; i++) column[i] = column[i] - share * pivot[i];
    }
  }
  return 1;
}

export const everyDirectionLaw = defineLaw({
  id: 'mechanism/every-direction',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'there is noise in every direction: no weighted sum of the entries of a call is constant over calls',
  power:
    'entries that add up to zero, or an entry that is a linear function of the others, ' +
    'in vectors of 2 to 64 entries',
  check(subject, env) {
    const scale = supportedScale(subject, wideScales(subject), env.random('tried'));
    if (scale === undefined) return skipped(refusesAll);
    let tried = 0;
    for (const length of lengths) {
      const rows = Array.from({ length: 2 * length + spare }, (_, i) =>
        noised(subject, new Float64Array(length), scale, env.random(`${length}`).fork(i)),
      );
      tried += rows.length;
      const least = leastPivot(centred(rows));
      if (least <= none)
        return fails(tried, {
          what:
            `in ${rows.length} calls of ${length} entries some weighted sum of the entries is constant: ` +
            'this direction of the value is released without noise',
          measured: least,
          allowed: none,
          input: { entries: length, scale },
        });
    }
    return holds(tried);
  },
});
