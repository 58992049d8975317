import { binomialAtLeast, binomialAtMost } from '../../special/index.js';
import { noteTest } from '../../evidence/judged.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { noised, refusesAll, supportedScale, wideScales } from './call.js';

/** Lengths of vectors, beyond blocks and unrolled loops. */
const lengths = [130, 1030];
/** Calls, in each of which a position gets one draw. */
const calls = 300;
/** Error of the share of all draws that are small. */
const slack = 0.02;

/** Noise is as large at every position. */
export const everyPosition = defineLaw({
  id: 'mechanism/every-position',
  kind: 'mechanism',
  tier: 'statistical',
  statement: 'the noise of long vectors is as often small at every position as it is in all of them together',
  power: 'half of the noise, or twice, at one position of vectors of 130 or 1030 entries',
  check(subject, env) {
    const scale = supportedScale(subject, wideScales(subject), env.random('tried'));
    if (scale === undefined) return skipped(refusesAll);
    for (const length of lengths) {
      const zero = new Float64Array(length);
      const drawn = (call: string): Float64Array =>
        noised(subject, zero, scale, env.random(`${length} ${call}`));
      const sizes = Float64Array.from(
        Array.from({ length: 40 }, (_, call) => Array.from(drawn(`pilot ${call}`), Math.abs)).flat(),
      ).toSorted();
      const usual = sizes[sizes.length >> 1];
      const counts = new Uint32Array(length);
      for (let call = 0; call < calls; call++)
        drawn(`call ${call}`).forEach((x, j) => {
          if (Math.abs(x) <= usual) counts[j]++;
        });
      const share = counts.reduce((sum, count) => sum + count, 0) / (calls * length);
      const alpha = env.alpha / (2 * lengths.length * length);
      // A position whose draws are never small.
      noteTest(alpha, -calls * Math.log1p(-Math.min(0.99, Math.max(0, share - slack))));
      for (const [j, count] of counts.entries()) {
        const [least, most] = [Math.max(0, share - slack), Math.min(1, share + slack)];
        if (binomialAtLeast(count, calls, most) > alpha && binomialAtMost(count, calls, least) > alpha)
          continue;
        return fails(calls, {
          what:
            `entry ${j} of ${length} has noise of at most ${usual} in ${count} of ${calls} calls, ` +
            `and entries altogether in ${share.toFixed(3)} of theirs`,
          measured: count / calls,
          allowed: share,
          input: { entries: length, scale },
        });
      }
    }
    return holds(calls * lengths.length);
  },
});
