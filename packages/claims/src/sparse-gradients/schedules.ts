import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { above, differs, first } from '../common/judging.js';
import { range } from './chosen-sets.js';
import type { DebiasedSubject } from './debiased-subject.js';
import { givenInteger } from './levels.js';

/** A setting of the printed schedule. */
interface Setting {
  readonly slots: number;
  readonly epsilon: number;
  readonly delta: number;
}
const at = (slots: number, delta: number, epsilon = 1): Setting => ({ slots, epsilon, delta });
const nameOf = ({ slots, epsilon, delta }: Setting): string => `n = ${slots}, ε = ${epsilon}, δ = ${delta}`;

const settings = [
  at(2, 1e-3),
  at(3, 1e-2, 0.1),
  at(4, 1e-2),
  at(8, 1e-2),
  at(8, 1e-9, 0.3),
  at(16, 1e-3),
  at(32, 5e-4),
  at(64, 1e-4, 0.5),
  at(100, 1e-50),
];
/** Those whose schedules are few enough to list. */
const listedSettings = settings.filter(({ slots }) => slots <= 16);

/** Levels of a run up to the first call that does not fit, and how likely they are. */
export interface Schedule {
  readonly levels: readonly number[];
  readonly probability: number;
}

/**
 * All schedules, drawn by the shipped function from every sequence of whole numbers that stands for levels.
 */
export function allSchedules(subject: DebiasedSubject, setting: Setting): readonly Schedule[] {
  const { most, probability } = subject.levelsFor(setting.slots);
  const found: Schedule[] = [];
  const extend = (prefix: readonly number[]): void => {
    let used = 0;
    const drawn = subject.drawnLevels(
      setting,
      givenInteger(() => 2 ** (most - (prefix[used++] ?? 0)) - 1),
    );
    // The prefix decides the whole run, or it is tried with each level that may follow.
    if (drawn.length <= prefix.length)
      found.push({ levels: drawn, probability: drawn.reduce((p, level) => p * probability(level), 1) });
    else for (const level of range(most + 1)) extend([...prefix, level]);
  };
  extend([]);
  return found;
}

const mean = (law: Float64Array): number => law.reduce((sum, p, t) => sum + t * p, 0);

const goldens = [
  [at(2, 1e-3), [1]],
  [at(4, 1e-2), [1 / 3, 2 / 3]],
  [at(8, 1e-2), [0.14285714, 0.20408163, 0.18658892, 0.35985006, 0.10662224]],
  [at(16, 1e-3), [0.06666667, 0.08, 0.11377778, 0.12768395, 0.1237228, 0.21773415, 0.15074179, 0.08694183]],
] as const;
const expectations = [
  [at(16, 1e-3), 4.0525525191],
  [at(32, 5e-4), 7.5235482355],
  [at(64, 1e-4, 0.5), 13.1785891973],
  [at(64, 1e-50), 4.27993684],
] as const;

/** Rows 42 to 55 and 104 to 105 of the claims: prices of calls, and when a run ends. */
export function scheduleChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const { chargeOf, stoppingLimits, lawOfStopping, stoppingBounds, levelsFor } = subject;
  const shareOf = (level: number, slots: number): number => chargeOf(level) / (16 * slots);
  const all = (
    of: readonly Setting[],
    check: (setting: Setting) => Violation | undefined,
  ): ReturnType<typeof judge> => judge(of.length, first(...of.map(check)));
  return [
    defineClaimCheck({
      id: 'ghazi/price-of-call',
      tier: 'exact',
      statement:
        'a call at level N costs ln(1 + q(e^(3ε/32) − 1)) + ln(1 + (e^(ε/32) − 1)/n), at most ε(3·2^(N+1) ' +
        '+ 1)/(16n) and at least half of that for ε ≤ 1; for n = 1024 and N = 3, 0.00156553 and 0.00299072',
      power: 'a price below the cost, and one above twice of it',
      run: () =>
        judge(
          60,
          first(
            differs('the price for n = 1024, N = 3', shareOf(3, 1024), 0.00299072, 1e-5),
            ...[2, 3, 8, 1024, 1e6].flatMap((slots) =>
              [0.01, 0.3, 1].flatMap((epsilon) =>
                [0, 1, 2, 3].map((fraction) => {
                  const level = Math.floor((levelsFor(slots).most * fraction) / 3);
                  const cost =
                    Math.log1p((2 ** (level + 1) / slots) * Math.expm1((3 * epsilon) / 32)) +
                    Math.log1p(Math.expm1(epsilon / 32) / slots);
                  const price = epsilon * shareOf(level, slots);
                  const what = `n = ${slots}, N = ${level}, ε = ${epsilon}`;
                  return first(
                    above(`the cost at ${what}`, cost, price),
                    above(`half of the price at ${what}`, price / 2, cost),
                  );
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/largest-call',
      tier: 'exact',
      statement: 'r(M) < 1/4 for n up to 2000, with 3n + 1 of 4n where n is a power of two',
      power: 'any charge that is larger by 1 at n = 2, and one of 3b at powers of two',
      run: () =>
        judge(
          1999,
          first(
            ...range(1999).map((i) => {
              const slots = i + 2;
              const most = chargeOf(levelsFor(slots).most);
              return Number.isInteger(Math.log2(slots))
                ? differs(`the largest charge for n = ${slots}`, most, 3 * slots + 1)
                : above(`the largest charge for n = ${slots}`, most, 4 * slots - 1);
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/filter',
      tier: 'exact',
      statement:
        'the loop’s test √(2 ln(4/δ) Σr²) + (ε/2)Σr² ≤ 1/2 is Σr² ≤ A: at A both sides are equal, and √A ' +
        'is 0.0899455355 for ε = 1 and δ = 10⁻⁶; Σr ≤ 1/4 is ΣY ≤ 4n',
      power: 'a relative error of 10⁻⁹ of either limit',
      run: () =>
        all([...settings, at(1024, 1e-6)], (setting) => {
          const { slots, epsilon, delta } = setting;
          const limits = stoppingLimits(setting);
          const squares = limits.squares / (256 * slots ** 2);
          return first(
            differs(
              `the test at the limit, ${nameOf(setting)}`,
              Math.sqrt(2 * Math.log(4 / delta) * squares) + (epsilon / 2) * squares,
              1 / 2,
            ),
            differs(`the limit of the sum, ${nameOf(setting)}`, limits.sum / (16 * slots), 1 / 4),
            slots === 1024 ? differs('√A', Math.sqrt(squares), 0.08994553521373573) : undefined,
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/filter-printed',
      tier: 'exact',
      statement:
        'T of Equation 5, whose second sum is (ε/2)Σr, is that of the loop, ' +
        'with (ε/2)Σr²: at the largest charge that the loop admits, for n = 8, ' +
        'ε = 1 and δ = 10⁻², the left side of the equation is at most 1/2',
      run() {
        const setting = at(8, 1e-2);
        const limits = stoppingLimits(setting);
        // The largest charge that fits the loop with squares.
        const charge = Math.sqrt(limits.squares) / (16 * setting.slots);
        const printed = Math.sqrt(2 * Math.log(4 / setting.delta)) * charge + (setting.epsilon / 2) * charge;
        return judge(1, above('the left side of Equation 5 where the loop’s is 1/2', printed, 1 / 2));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/realised-budget',
      tier: 'exact',
      statement:
        'of every schedule calls 0 … T−1 cost at most ε/2 by Theorem A.4 with Σδ ≤ δ/4, with call T at ' +
        'most 3ε/4 in all, and calls 0 … T do not fit, with all schedules listed for n ≤ 16',
      power: 'certain: one call too many or too few',
      run: () =>
        all(listedSettings, (setting) => {
          const { slots, epsilon, delta } = setting;
          const spent = (levels: readonly number[]): readonly [number, number] => {
            const shares = levels.map((level) => shareOf(level, slots));
            const squares = shares.reduce((sum, r) => sum + r ** 2, 0);
            return [
              Math.sqrt(2 * Math.log(4 / delta) * squares) + (epsilon / 2) * squares,
              shares.reduce((sum, r) => sum + r, 0),
            ];
          };
          const what = nameOf(setting);
          return first(
            ...allSchedules(subject, setting).map(({ levels }) => {
              const [advanced, total] = spent(levels.slice(0, -1));
              const [beyond, beyondTotal] = spent(levels);
              return first(
                above(`ε of calls 0 … T−1 in ε, ${what}`, advanced, 1 / 2),
                above(`δ of calls 0 … T−1 in δ, ${what}`, total, 1 / 4),
                above(
                  `ε with call T in ε, ${what}`,
                  advanced + shareOf(levels[levels.length - 1], slots),
                  3 / 4,
                ),
                beyond > 1 / 2 || beyondTotal > 1 / 4
                  ? undefined
                  : { what: `calls 0 … T fit, ${what}`, measured: beyond, allowed: 1 / 2 },
              );
            }),
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/most-calls',
      tier: 'exact',
      statement: 'T is at most min{⌊4n/7⌋, ⌊256n²A/49⌋}, and attains it for n = 2, 3 and 4',
      power: 'any smaller bound at n = 3 and 4',
      run: () =>
        all(settings, (setting) => {
          const longest = lawOfStopping(setting).length - 1;
          const { most } = stoppingBounds(setting);
          return setting.slots <= 4
            ? differs(`the most calls, ${nameOf(setting)}`, most + 1, longest + 1)
            : above(`calls, ${nameOf(setting)}`, longest, most);
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/law-of-calls',
      tier: 'exact',
      statement:
        'the law of T is that of all listed schedules for n ≤ 16, has the recorded entries for four ' +
        'settings and the recorded expectation for four',
      power: 'an error of 10⁻⁸ of any entry',
      run: () =>
        judge(
          15,
          first(
            ...goldens.flatMap(([setting, listed]) => {
              const law = lawOfStopping(setting);
              return listed.map((p, t) =>
                differs(`1 + P[T = ${t}], ${nameOf(setting)}`, 1 + (law[t] ?? 0), 1 + p, 1e-8),
              );
            }),
            ...expectations.map(([setting, value]) =>
              differs(`E T, ${nameOf(setting)}`, mean(lawOfStopping(setting)), value, 1e-8),
            ),
            ...listedSettings.flatMap((setting) => {
              const law = lawOfStopping(setting);
              const counted = new Float64Array(law.length);
              for (const { levels, probability } of allSchedules(subject, setting))
                counted[levels.length - 1] += probability;
              return Array.from(law, (p, t) =>
                differs(`1 + P[T = ${t}], ${nameOf(setting)}`, 1 + p, 1 + counted[t], 1e-12),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/wald',
      tier: 'exact',
      statement: 'E Σ_{t ≤ T} Y_t = E[T + 1]·E Y, and the same for Y², with all schedules listed for n ≤ 16',
      power: 'a relative error of 10⁻⁹ of E T or of a moment',
      run: () =>
        all(listedSettings, (setting) => {
          const { charge } = levelsFor(setting.slots);
          const calls = mean(lawOfStopping(setting)) + 1;
          const sums = allSchedules(subject, setting).reduce(
            ([one, two], { levels, probability }) => [
              one + probability * levels.reduce((sum, level) => sum + chargeOf(level), 0),
              two + probability * levels.reduce((sum, level) => sum + chargeOf(level) ** 2, 0),
            ],
            [0, 0],
          );
          return first(
            differs(`E ΣY, ${nameOf(setting)}`, sums[0], calls * charge.mean),
            differs(`E ΣY², ${nameOf(setting)}`, sums[1], calls * charge.meanSquare),
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/expected-calls-lower',
      tier: 'exact',
      statement: 'E T ≥ n²/((n + 1) ln(4/δ)) − 1 for δ = n⁻², n⁻³ and n⁻⁸ and eight n of at most 100',
      power: 'an expectation below 3/4 of the true one',
      run: () =>
        all(
          [2, 3, 4, 8, 16, 33, 64, 100].flatMap((slots) =>
            [2.001, 3, 8].map((power) => at(slots, slots ** -power)),
          ),
          (setting) =>
            above(
              `the lower bound, ${nameOf(setting)}`,
              setting.slots ** 2 / ((setting.slots + 1) * Math.log(4 / setting.delta)) - 1,
              mean(lawOfStopping(setting)),
            ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/expected-calls',
      tier: 'exact',
      statement:
        '1/ϱ ≤ E[T + 1] ≤ min{(1/4 + r_max)/E r, 2A/E min(r², A)} with ϱ = E r²/A + 4E r, in nine settings',
      power: 'an upper bound of a third, a lower bound of five times what it is',
      run: () =>
        all([...settings, at(64, 1e-50), at(64, 1e-80), at(128, 1e-40)], (setting) => {
          const calls = mean(lawOfStopping(setting)) + 1;
          const { atLeast, atMost } = stoppingBounds(setting).expectedCalls;
          return first(
            above(`the lower bound, ${nameOf(setting)}`, atLeast, calls),
            above(`E[T + 1], ${nameOf(setting)}`, calls, atMost),
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/expected-calls-printed',
      tier: 'exact',
      statement: 'E T ≤ 64n/(9 ln(4/δ)) for n = 64 and δ = 10⁻⁵⁰, where E T is 4.27993684',
      run: () =>
        judge(
          1,
          above('E T', mean(lawOfStopping(at(64, 1e-50))), (64 * 64) / (9 * (Math.log(4) + 50 * Math.LN10))),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/tail-of-calls',
      tier: 'exact',
      statement: 'P[T < t] ≤ tϱ for all t, in nine settings',
      power: 'a rate of half of what it is',
      run: () =>
        all(settings, (setting) => {
          const { rate } = stoppingBounds(setting);
          let below = 0;
          return first(
            ...Array.from(lawOfStopping(setting), (p, t) => {
              const found = above(`P[T < ${t}], ${nameOf(setting)}`, below, t * rate);
              below += p;
              return found;
            }),
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/gradients',
      tier: 'exact',
      statement:
        'calls 0 … T−1 take at most 12n/7 gradients, with all schedules listed for n ≤ 16, and the rule ' +
        'itself allows no more: b + 1 ≤ 3Y/7 for every level',
      power: 'a limit of the sum that is larger by half',
      run: () =>
        all(listedSettings, (setting) => {
          const used = (levels: readonly number[]): number =>
            levels.reduce((sum, level) => sum + 2 ** (level + 1) + 1, 0);
          return first(
            above(
              `the rule’s most gradients, ${nameOf(setting)}`,
              (3 / 7) * stoppingLimits(setting).sum,
              (12 * setting.slots) / 7,
            ),
            ...range(levelsFor(setting.slots).most + 1).map((level) =>
              above(`gradients at level ${level}`, used([level]), (3 / 7) * chargeOf(level)),
            ),
            ...allSchedules(subject, setting).map(({ levels }) =>
              above(`gradients, ${nameOf(setting)}`, used(levels.slice(0, -1)), (12 * setting.slots) / 7),
            ),
          );
        }),
    }),
    defineClaimCheck({
      id: 'ghazi/expected-squares',
      tier: 'exact',
      statement:
        'E Y² = 18·2^(M+1) + 12C_M(M+1) + 1 ≤ 18n + 12C_M(M+1) + 1, so that E Σ_{j ≤ t} ε_j² is at most ' +
        '(t+1)ε² of it over (16n)²; the moment summed over levels, for n up to 10⁶',
      power: 'half of E b², and a relative error of 10⁻⁹',
      run: () =>
        judge(
          7,
          first(
            ...[2, 3, 7, 64, 1000, 65536, 1e6].map((slots) => {
              const levels = levelsFor(slots);
              const { most, probability } = levels;
              const summed = range(most + 1).reduce(
                (sum, level) => sum + probability(level) * chargeOf(level) ** 2,
                0,
              );
              return first(
                differs(`E Y² for n = ${slots}`, levels.charge.meanSquare, summed),
                above(`E Y² for n = ${slots}`, summed, 18 * slots + 12 * probability(0) * (most + 1) + 1),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/early-end',
      tier: 'exact',
      statement:
        'P[T ≤ n/(2 ln(2/δ))] ≤ 1/4 where 256n²A ≥ 169, ' +
        'or 49 for n = 2 and 3, and δ < n⁻², for ten n and four δ',
      power: 'a law that ends a call earlier',
      run: () =>
        all(
          [3, 4, 5, 8, 12, 16, 20, 32, 50, 64].flatMap((slots) =>
            [2.01, 3, 5, 12].map((power) => at(slots, slots ** -power)),
          ),
          (setting) => {
            const { slots, delta } = setting;
            const { squares } = stoppingLimits(setting);
            const law = lawOfStopping(setting);
            const until = Math.floor(slots / (2 * Math.log(2 / delta)));
            const early = law.slice(0, until + 1).reduce((sum, p) => sum + p, 0);
            // Below these limits a run ends at once too often, and no constant helps.
            return squares >= (slots < 4 ? 49 : 169)
              ? above(`P[T ≤ ${until}], ${nameOf(setting)}`, early, 1 / 4)
              : above(`1/4 beside P[T = 0], ${nameOf(setting)}`, 1 / 4, law[0]);
          },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/early-end-printed',
      tier: 'exact',
      statement: 'P[T ≤ t] ≤ 1/4 for some t ≥ 0 and every δ < n⁻²: for n = 4 and δ = 10⁻² it is 1/3 at t = 0',
      run: () => judge(1, above('P[T = 0]', lawOfStopping(at(4, 1e-2))[0], 1 / 4)),
    }),
  ];
}
