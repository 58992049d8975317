import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { decoderOf, entryRounding, lengths, shapesTaken } from './factors.js';

/** The declared variance equals that of the output noise. */
export const variance = defineLaw<'prefixSum'>({
  id: 'prefixSum/variance',
  kind: 'prefixSum',
  tier: 'exact',
  statement:
    'variance and variancesInto equal the variance of the running sum after step t, ' +
    'the squared norm of row t of B',
  power: 'a relative error above 1e-12 per step, for every step of streams of up to 128',
  check(subject) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const shape of shapesTaken(subject, lengths, (steps) => steps)) {
      const together = new Float64Array(shape.steps).fill(NaN);
      plugin.variancesInto?.(together, params, shape);
      const { increments, sums, violation } = decoderOf(subject, shape);
      if (violation !== undefined) return fails(samples + 1, violation);
      const sizes = new Float64Array(shape.steps);
      for (const [step, row] of sums.entries()) {
        samples++;
        let expected = 0;
        let terms = 0;
        for (const [s, entry] of row.entries()) {
          sizes[s] = sizes[s] + Math.abs(increments[step][s]);
          expected += entry * entry;
          terms += sizes[s] ** 2;
        }
        const declared = plugin.variance(params, shape, step);
        const rounding = 2 * shape.steps * entryRounding * terms;
        if (plugin.variancesInto !== undefined && !(Math.abs(together[step] - expected) <= rounding)) {
          return fails(samples, {
            what:
              `after step ${step} of ${shape.steps} the noise of the running sum has variance ` +
              `${expected}; variancesInto says ${together[step]}`,
            measured: together[step],
            allowed: expected,
            input: { ...shape, step },
          });
        }
        if (Math.abs(declared - expected) <= rounding) continue;
        return fails(samples, {
          what:
            `after step ${step} of ${shape.steps} the noise of the running sum ` +
            `has variance ${expected}; it declares ${declared}`,
          measured: declared,
          allowed: expected,
          input: { ...shape, step },
        });
      }
    }
    return holds(samples);
  },
});
