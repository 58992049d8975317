import type { Sketch } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { differs, firstOf } from '../common/compare.js';
import { constantOf, entries, positives } from './distributions-of-sets.js';
import type { SketchingSubject } from './sketching-subject.js';

const all = (d: number): number[] => Array.from({ length: d }, (_, j) => j);

interface Named {
  readonly what: string;
  readonly sketch: Sketch;
  readonly params: unknown;
}

/** Sets with their probabilities, and marginals. */
function distributionOf({ sketch, params }: Named, d: number): readonly (readonly [string, number])[] {
  const parsed = sketch.params.parse(params);
  const marginals = sketch.marginals(parsed, d);
  const list = defined(sketch.enumerate(parsed, d)).map(
    ({ drawn: { coordinates }, probability }) => [coordinates.join(), probability] as const,
  );
  return [
    ...list.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ...Array.from(marginals, (p, j) => [`marginal ${j}`, p] as const),
  ];
}

function sameLaw(one: Named, other: Named, d: number): Violation | undefined {
  const [left, right] = [distributionOf(one, d), distributionOf(other, d)];
  if (left.length !== right.length)
    return { what: `${one.what} has ${left.length} sets and marginals, ${other.what} ${right.length}` };
  return firstOf(
    left.map(([name, got], k) =>
      name === right[k][0]
        ? differs({ what: `${name} of ${one.what}`, got, want: right[k][1] })
        : { what: `${one.what} draws ${name}, ${other.what} ${right[k][0]}` },
    ),
  );
}

const scenarios = fc.record({
  d: fc.integer({ min: 1, max: 5 }),
  M: positives,
  constants: positives,
  r: entries,
  weights: fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 5, maxLength: 5 }),
  mu: fc.integer({ min: 1, max: 100 }).map((k) => k / 100),
});
type Scenario = Parameters<Parameters<(typeof scenarios)['map']>[0]>[0];

/** Parameters of the rates, with a separate constant for each set. */
const settingOf = ({ d, M, constants, r, mu }: Scenario) => ({
  smoothness: Float64Array.from(M.slice(0, d)),
  lipschitz: constantOf(constants),
  offsets: r.slice(0, d).map(Math.abs),
  strongConvexity: mu,
});

interface Rate {
  readonly convex: number;
  readonly stronglyConvex: number;
}

const sameRate = (what: string, got: Rate, want: Rate, tolerance = 1e-12): Violation | undefined =>
  firstOf([
    differs({ what: `the convex rate of ${what}`, got: got.convex, want: want.convex, tolerance }),
    differs({
      what: `the strongly convex rate of ${what}`,
      got: got.stronglyConvex,
      want: want.stronglyConvex,
      tolerance,
    }),
  ]);

/** Row 28. */
export const specialCases = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/special-cases',
    tier: 'search',
    statement:
      'one block, and tau of all coordinates, are the full sketch; blocks of one coordinate are single ' +
      'coordinates with the same probabilities; tau = 1 is a uniform one: sets, marginals and rates agree',
    power:
      'a relative error above 1e-12 in any probability or rate (1e-7 by importance, ' +
      'where probabilities are rounded), over 200 settings in up to 5 dimensions',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario) => {
          const { d, weights } = scenario;
          const { rates } = subject;
          const total = weights.slice(0, d).reduce((sum, weight) => sum + weight, 0);
          const probabilities = weights.slice(0, d).map((weight) => weight / total);
          const choice = { by: 'probabilities', probabilities } as const;
          const whole = [all(d)];
          const apart = all(d).map((j) => [j]);
          const setting = settingOf(scenario);
          const full: Named = { what: 'the full sketch', sketch: subject.fullSketch, params: {} };
          const uniform: Named = {
            what: 'a uniform coordinate',
            sketch: subject.singleCoordinate,
            params: {},
          };
          const single: Named = {
            what: 'a single coordinate',
            sketch: subject.singleCoordinate,
            params: { choice },
          };
          const sketched = ({ sketch, params }: Named) =>
            rates['dp-skgd']({ ...setting, sketch: { sketch, params } });
          return firstOf([
            sameLaw({ what: 'one block', sketch: subject.blockSketch, params: { blocks: whole } }, full, d),
            sameLaw(
              {
                what: 'blocks of one coordinate',
                sketch: subject.blockSketch,
                params: { blocks: apart, choice },
              },
              single,
              d,
            ),
            sameLaw({ what: 'tau = 1', sketch: subject.tauNice, params: { tau: 1 } }, uniform, d),
            sameLaw({ what: 'tau = d', sketch: subject.tauNice, params: { tau: d } }, full, d),
            sameRate(
              'one block',
              rates['blocks-uniform']({ ...setting, blocks: whole }),
              rates.full(setting),
            ),
            sameRate('any sketch, drawing all coordinates,', sketched(full), rates.full(setting)),
            sameRate(
              'blocks of one coordinate',
              rates.blocks({ ...setting, blocks: apart, probabilities }),
              rates.coordinates({ ...setting, probabilities }),
            ),
            sameRate(
              'any sketch, drawing single coordinates,',
              sketched(single),
              rates.coordinates({ ...setting, probabilities }),
            ),
            sameRate(
              'uniform blocks of one coordinate',
              rates['blocks-uniform']({ ...setting, blocks: apart }),
              rates['coordinates-uniform'](setting),
            ),
            sameRate(
              'tau = 1',
              rates['tau-nice']({ ...setting, tau: 1 }),
              rates['coordinates-uniform'](setting),
            ),
            sameRate(
              'blocks of one coordinate by importance',
              rates['blocks-importance']({ ...setting, blocks: apart }),
              rates['coordinates-importance'](setting),
            ),
            // A sketch stores probabilities to 2⁻⁵⁰ of their sum.
            sameRate(
              'single coordinates by importance',
              sketched({
                ...single,
                params: { choice: { by: 'importance', smoothness: [...setting.smoothness] } },
              }),
              rates['coordinates-importance'](setting),
              1e-7,
            ),
            sameRate('tau = d', rates['tau-nice']({ ...setting, tau: d }), rates.full(setting)),
            differs({
              what: 'the convex rate of DP-CD',
              got: rates['dp-cd'](setting).convex,
              want: rates['coordinates-uniform'](setting).convex,
            }),
          ]);
        },
        { runs: 200 },
      ),
  });

/** Row 29. */
export const equalSmoothness = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/gradient-descent-rate',
    tier: 'search',
    statement:
      'when all smoothness constants are one number, ' +
      'the rates of drawing all coordinates are those of DP-SGD',
    power: 'a relative error above 1e-12 in either rate, over 200 settings',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario) => {
          const { smoothness, ...setting } = settingOf(scenario);
          const equal = { ...setting, smoothness: new Float64Array(scenario.d).fill(smoothness[0]) };
          return sameRate('all coordinates', subject.rates.full(equal), subject.rates['dp-sgd'](equal));
        },
        { runs: 200 },
      ),
  });
