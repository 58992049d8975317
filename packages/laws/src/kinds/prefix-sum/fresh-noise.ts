import { holds, judge, takesNothing, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { noiseOf, shapesTaken } from './factors.js';

const steps = 9;

/** A prefix sum that declares fresh noise has it on every running sum. */
export const freshNoise = defineLaw<'prefixSum'>({
  id: 'prefixSum/fresh-noise',
  kind: 'prefixSum',
  tier: 'exact',
  statement:
    'where fresh noise is declared, the running sum after step t carries row t of the noise ' +
    'and no other, and ' +
    'whole rows stay whole: whole noise is accounted for such sums alone',
  power: 'any other row in one of nine running sums',
  check(subject) {
    const { plugin, params } = subject;
    if (plugin.freshNoise !== true) return holds(1);
    const [shape] = shapesTaken(subject, [steps], () => 1);
    if (shape === undefined) return takesNothing(`streams of ${steps} steps are refused`);
    // Powers of two show which rows are in a sum.
    const rows = Array.from({ length: steps }, (_, s) => Float64Array.of(2 ** (3 * s)));
    const run = plugin.begin(params, shape);
    const noise = noiseOf(rows);
    const out = new Float64Array(1);
    let sum = 0;
    const found = rows.reduce<Violation | undefined>((before, [row], t) => {
      run.nextInto(out, noise);
      sum += out[0];
      return (
        before ??
        (sum === row
          ? undefined
          : {
              what: `the running sum after step ${t} carries ${sum}, not its row`,
              measured: sum,
              allowed: row,
            })
      );
    }, undefined);
    return judge(steps, found);
  },
});
