import type { ShuffleContext } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import type { OracleSubject } from './subject.js';

/** Random bits of all users in one count. */
const noiseBitsOf = (
  { shuffledMedianOfMeans }: OracleSubject,
  {
    dimension,
    groups,
    levels,
  }: { readonly dimension: number; readonly groups: number; readonly levels: number },
  context: ShuffleContext,
): number =>
  (context.users *
    (shuffledMedianOfMeans.messageCount({ bound: 1, groups, levels }, context) - levels * dimension)) /
  (dimension * groups);

/** At the second value, with one entry and the largest ε, the steps of the proof are nearly equalities. */
const deltas = [0.3, 0.0855, 0.01, 1e-3, 1e-6, 1e-12];
const settings = [1, 2, 10, 100, 1000].flatMap((dimension) =>
  deltas.flatMap((delta) =>
    Array.from({ length: 20 }, (_, i) => ({
      dimension,
      delta,
      epsilon: (2 * Math.log((2 * dimension) / delta) * (i + 1 - 1e-9)) / 20,
    })),
  ),
);

/** The ε that the random bits of all users attain in the lemma on counts. */
const reached = (
  subject: OracleSubject,
  shape: {
    readonly dimension: number;
    readonly groups: number;
    readonly levels: number;
    readonly delta: number;
  },
  context: ShuffleContext,
): number =>
  Math.sqrt((180 * shape.levels ** 2 * Math.log(2 / shape.delta)) / noiseBitsOf(subject, shape, context));

/** Row C13. */
export const composition = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/composition',
    tier: 'exact',
    statement:
      'with ε_j = ε/(4√(2d ln(1/δ_j))) and δ_j = δ/(2d) for each entry, (2ε_j, δ_j) for all entries adds ' +
      'up to (ε, δ) for ε up to 2 ln(2d/δ) with ε_j up to 0.628; and the shipped number of random bits ' +
      'suffices by basic or advanced composition, at every ε up to 15',
    power:
      'a slack of 1 % in ε_j; 600 settings with up to 1000 entries, and 200 contexts of the shipped ' +
      'protocol; noise that grows with d instead of d²',
    run: () =>
      both(
        () =>
          tried(settings, (setting) => {
            const { dimension, epsilon, delta } = setting;
            const share = subject.medianShare(setting);
            const all = subject.medianTotal(dimension, share);
            const said = subject.medianShareHolds(setting);
            return firstOf([
              said
                ? exceeds({
                    what: `the ε of all entries, for ${epsilon} with d = ${dimension}, δ = ${delta}`,
                    got: all.epsilon,
                    most: epsilon,
                  })
                : undefined,
              exceeds({ what: 'the δ of all entries', got: all.delta, most: delta }),
              said === share.epsilon <= 0.628
                ? undefined
                : {
                    what:
                      'within ε ≤ 2 ln(2d/δ) the proposition is said to ' +
                      `${said ? 'hold' : 'fail'} at ε_j = ${share.epsilon}`,
                  },
              subject.medianShareHolds({ ...setting, epsilon: 2.01 * Math.log((2 * dimension) / delta) })
                ? {
                    what:
                      'the proposition is said to hold at ε = 2.01 ln(2d/δ), ' +
                      `d = ${dimension}, δ = ${delta}`,
                  }
                : undefined,
            ]);
          }),
        // The tightest case: the second term is exactly half of ε, and the first at most the other half.
        () =>
          tried([{ dimension: 1, epsilon: 2 * Math.log(2 / 0.01), delta: 0.01 }], (setting) =>
            exceeds({
              what: 'half of ε',
              got: setting.epsilon / 2,
              most: subject.medianTotal(1, subject.medianShare(setting)).epsilon,
            }),
          ),
        // Ten times the entries at one δ_j give a hundred times the total noise as printed, and nearly so in
        // the shipped protocol.
        () =>
          tried([10, 100], (dimension) => {
            const shape = { users: 5000, groups: 5, limit: 1, epsilon: 1 };
            const whole = (d: number): number =>
              d *
              noiseBitsOf(
                subject,
                { dimension: d, groups: 5, levels: 8 },
                {
                  dimension: d,
                  users: 1_000_000,
                  honestUsers: 1_000_000,
                  target: { epsilon: 1, delta: 1e-6 * d },
                },
              );
            return firstOf([
              differs({
                what: 'how the noise of all entries grows',
                got:
                  subject.medianNoise({ ...shape, dimension: 10 * dimension, delta: 1e-5 * dimension }) /
                  subject.medianNoise({ ...shape, dimension, delta: 1e-6 * dimension }),
                want: 100,
                tolerance: 1e-9,
              }),
              exceeds({ what: 'fifty', got: 50, most: whole(10 * dimension) / whole(dimension) }),
            ]);
          }),
        () =>
          tried(
            [1, 2, 5, 40].flatMap((dimension) =>
              [0.1, 1, 4, 10, 15].flatMap((epsilon) =>
                [0.1, 1e-3, 1e-6, 1e-9, 1e-12].flatMap((delta) =>
                  [1, 5].map((groups) => ({ dimension, epsilon, delta, groups })),
                ),
              ),
            ),
            ({ dimension, epsilon, delta, groups }) => {
              const users = 5000;
              const levels = 8;
              const context = { dimension, users, honestUsers: users, target: { epsilon, delta } };
              const each = (share: number): number =>
                (1 + 2 / levels) * reached(subject, { dimension, groups, levels, delta: share }, context);
              // Two ways to split δ, for a change of the whole range in every entry.
              const basic = dimension * each(delta / dimension);
              const square = dimension * each(delta / (2 * dimension)) ** 2;
              const advanced = square / 2 + Math.sqrt(2 * Math.log(2 / delta) * square);
              return exceeds({
                what:
                  'the ε that the noise bits of all users reach in ' +
                  `${dimension} entries, for (${epsilon}, ${delta})`,
                got: Math.min(basic, advanced),
                most: epsilon,
              });
            },
          ),
      ),
  });

/** Row C13, as printed. */
export const compositionPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/composition-printed',
    tier: 'exact',
    statement: 'as printed: the same for every ε up to 8 ln(2d/δ)',
    run: () =>
      tried(
        [
          { dimension: 10, delta: 1e-6 },
          { dimension: 1, delta: 0.01 },
        ],
        ({ dimension, delta }) => {
          const epsilon = 8 * Math.log((2 * dimension) / delta);
          return exceeds({
            what: `the ε of all ${dimension} entries at ε = 8 ln(2d/δ) = ${epsilon}`,
            got: subject.medianTotal(dimension, subject.medianShare({ dimension, epsilon, delta })).epsilon,
            most: epsilon,
          });
        },
      ),
  });
