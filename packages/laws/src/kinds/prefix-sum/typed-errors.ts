import { judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { notRefused, type Refusal } from '../sampler/declined.js';

const notCounts = [0, -1, 0.5, 1.5, NaN, Infinity];

/** Invalid arguments are refused; for plugins that claim to check them, since the curator checks first. */
export const typedErrors = defineLaw<'prefixSum'>({
  id: 'prefixSum/typed-errors',
  kind: 'prefixSum',
  tier: 'exact',
  onClaim: true,
  statement:
    'shapes, steps and participations that are not positive integers, ' +
    'and steps beyond the last, throw a typed error',
  power: 'any of 52 invalid calls that returns a value or throws another error',
  check({ plugin, params }) {
    const given = params;
    const good = { steps: 3, dimension: 2 };
    const shapes = notCounts.flatMap((bad) => [
      { ...good, steps: bad },
      { ...good, dimension: bad },
    ]);
    const past = (): void => {
      const run = plugin.begin(given, good);
      for (let t = 0; t <= good.steps; t++)
        run.nextInto(new Float64Array(2), (_row, out) => {
          out.fill(0);
        });
    };
    const calls: readonly Refusal[] = [
      ...shapes.flatMap((shape): Refusal[] => [
        {
          call: `begin for ${shape.steps} steps in dimension ${shape.dimension}`,
          run: () => plugin.begin(given, shape),
        },
        {
          call: `columnNorm for ${shape.steps} steps in dimension ${shape.dimension}`,
          run: () => plugin.columnNorm(given, shape, { times: 1, gap: 1 }),
        },
      ]),
      ...notCounts.flatMap((bad): Refusal[] => [
        {
          call: `columnNorm for participation ${bad} times`,
          run: () => plugin.columnNorm(given, good, { times: bad, gap: 1 }),
        },
        {
          call: `columnNorm for a gap of ${bad}`,
          run: () => plugin.columnNorm(given, good, { times: 1, gap: bad }),
        },
      ]),
      ...[-1, 3, 0.5, 1.5, NaN].flatMap((bad): Refusal[] => [
        { call: `variance after step ${bad} of 3`, run: () => plugin.variance(given, good, bad) },
        { call: `encoder(${bad}, 0) of 3 steps`, run: () => plugin.encoder(given, good, bad, 0) },
        { call: `encoder(0, ${bad}) of 3 steps`, run: () => plugin.encoder(given, good, 0, bad) },
      ]),
      { call: 'a fourth step of a stream of 3', run: past },
    ];
    return judge(calls.length, notRefused(calls));
  },
});
