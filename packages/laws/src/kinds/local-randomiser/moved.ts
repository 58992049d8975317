import { domainIn } from '../../engines/ball-domain.js';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { directionsOf } from '../clip/discrete-distribution.js';

const dimensions = [1, 2, 5];
/** Lengths of records, in units of what the domain reaches. */
const lengths = [1e-3, 0.5, 1, 2, 3, 100];
const orders = [2, 4];

/** What is said of records that are moved into the domain is not below what they do. */
export const movedRecords = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/moved-records',
  kind: 'localRandomiser',
  tier: 'exact',
  statement:
    'where it has a domain, records that are all alike are moved into it by at most biasBound, and records ' +
    'of either sign, so moved, have a variance of at most recordVarianceBound',
  power: 'a bound too small for records of six lengths in each direction, at their moments of order 2 and 4',
  exempt: ({ plugin }) =>
    plugin.domain === undefined || (plugin.biasBound ?? plugin.recordVarianceBound) === undefined
      ? 'it declares no domain, or no bound on what is moved'
      : undefined,
  check({ plugin, params, registry }) {
    let samples = 0;
    for (const dimension of dimensions) {
      const domain = plugin.domain?.(params, dimension);
      if (domain === undefined) continue;
      const set = domainIn(registry, domain, dimension);
      const reach = Math.min(set.diameter, 1e100) / 2;
      for (const direction of directionsOf(dimension))
        for (const length of lengths.map((share) => share * reach)) {
          const record = Float64Array.from(along(direction, length));
          const near = set.projectInto(new Float64Array(dimension), record);
          const moved = normOf(
            'l2',
            near.map((x, j) => x - record[j]),
          );
          for (const order of orders) {
            const moment = { order, value: length ** order };
            samples++;
            const bias = plugin.biasBound?.(params, moment);
            if (bias !== undefined && !(bias >= moved * (1 - 1e-9)))
              return fails(samples, {
                what: `records all of length ${length} are moved by ${moved}; biasBound says ${bias}`,
                measured: moved,
                allowed: bias,
                input: { record, moment },
              });
            const variance = plugin.recordVarianceBound?.(params, moment);
            const least = normOf('l2', near) ** 2;
            if (variance !== undefined && !(variance >= least * (1 - 1e-9)))
              return fails(samples, {
                what:
                  `records of either sign of length ${length} have a variance of ${least} in the domain; ` +
                  `recordVarianceBound says ${variance}`,
                measured: least,
                allowed: variance,
                input: { record, moment },
              });
          }
        }
    }
    return samples === 0 ? skipped('its domain is there in none of 1, 2 and 5 dimensions') : holds(samples);
  },
});
