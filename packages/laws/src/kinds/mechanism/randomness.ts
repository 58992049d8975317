import { randomFromKey } from '@lethe/numerics';
import { repeatedCall, repeatedCoordinate } from '../../engines/streams.js';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import {
  isExact,
  type MechanismSubject,
  noised,
  onlyIdealised,
  refusesAll,
  supportedScale,
  wideScales,
} from './call.js';
import { type Call, callsOf, differenceAt } from './calls.js';

/** So many entries that two independent draws of them never agree, integers included. */
const long = 96;

export const freshRandomnessLaw = defineLaw({
  id: 'mechanism/fresh-coins',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'noise is a function of its source alone: equal sources give equal noise, bit for bit, after any ' +
    'other draws; another source, or a later draw from the same one, gives other noise',
  power:
    'a constant seed, a counter, a second source of randomness, or equal or opposite noise in two of ' +
    'four successive calls, at the first of 60 calls',
  check(subject, env) {
    const key = (i: number) => randomFromKey(env.random(`source ${i}`).key(), 'seeded');
    return env.forAll(callsOf(subject), (call) => unlessUnsupported(() => judged(call)), { runs: 60 });

    function judged({ value, scale }: Call): Violation | undefined {
      const first = noised(subject, value, scale, key(0));
      noised(subject, new Float64Array(5), scale, key(1));
      const again = noised(subject, value, scale, key(0));
      const at = differenceAt(first, again, () => 0);
      if (at >= 0)
        return {
          what:
            `entry ${at} is ${first[at]} in one call and ${again[at]} in another, with the same source ` +
            'and value; noise depends on its source alone',
          measured: again[at],
          allowed: first[at],
        };
      const zeros = new Float64Array(long);
      const one = key(0);
      const draws = [
        noised(subject, zeros, scale, one),
        noised(subject, zeros, scale, key(1)),
        noised(subject, zeros, scale, one),
      ] as const;
      for (const [index, said] of [
        [1, 'two sources'],
        [2, 'two successive calls with one source'],
      ] as const) {
        if (differenceAt(draws[0], draws[index], () => 0) < 0)
          return {
            what:
              `${said} give the same noise in all of ${long} entries; ` +
              'the difference of two answers would have no noise',
            witness: `entry 0 is ${draws[0][0]} in both`,
          };
      }
      return inTurn(
        Array.from(
          { length: 4 },
          (() => {
            const source = key(0);
            return () => noised(subject, zeros, scale, source);
          })(),
        ),
      );
    }

    /**
     * Successive calls with one source: no two may have equal
     * or opposite noise, and no real-valued draw may repeat.
     */
    function inTurn(calls: readonly Float64Array[]): Violation | undefined {
      for (let second = 1; second < calls.length; second++)
        for (let first = 0; first < second; first++) {
          const [a, b] = [calls[first], calls[second]];
          const opposite =
            differenceAt(
              a,
              b.map((x) => -x),
              () => 0,
            ) < 0;
          if (!opposite && differenceAt(a, b, () => 0) >= 0) continue;
          return {
            what:
              `calls ${first} and ${second} with one source have the ` +
              `${opposite ? 'opposite' : 'same'} noise in all of ${long} entries; ` +
              `the ${opposite ? 'sum' : 'difference'} of two answers would have no noise`,
            witness: `entry 0 is ${a[0]} and ${b[0]}`,
          };
        }
      if (isExact(subject)) return undefined;
      const sizes = calls.flatMap((noise) => Array.from(noise, Math.abs));
      const repeated = sizes.length - new Set(sizes).size;
      return repeated < 2
        ? undefined
        : {
            what:
              `${repeated} of ${sizes.length} draws in ${calls.length} calls with one source repeat, ` +
              'up to sign; draws from a density do not repeat',
            measured: repeated,
          };
    }
  },
});

export const dataIndependenceLaw = defineLaw({
  id: 'mechanism/data-independence',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'noise does not depend on the value it is added to: with equal randomness it equals the noise on the ' +
    'zero vector, up to rounding of the sum',
  power: 'noise that is omitted, scaled or drawn differently for one entry, at 100 values of every shape',
  check: (subject, env) =>
    env.forAll(
      callsOf(subject),
      ({ value, scale }) =>
        unlessUnsupported((): Violation | undefined => {
          const alone = noised(
            subject,
            value.map(() => 0),
            scale,
            env.random('coins'),
          );
          const sum = noised(subject, value, scale, env.random('coins'));
          const at = differenceAt(
            sum,
            alone.map((noise, i) => noise + value[i]),
            (i) => 4 * 2 ** -53 * (Math.abs(value[i]) + Math.abs(alone[i])),
          );
          return at < 0
            ? undefined
            : {
                what:
                  `with equal randomness, noise in entry ${at} is ${alone[at]} on the zero vector and ` +
                  `${sum[at] - value[at]} on this value`,
                measured: sum[at] - value[at],
                allowed: alone[at],
              };
        }),
      { runs: 100 },
    ),
});

export const scaleEquivarianceLaw = defineLaw({
  id: 'mechanism/scale-equivariance',
  kind: 'mechanism',
  tier: 'search',
  exempt: onlyIdealised,
  statement:
    'with equal randomness, noise of scale c is c times noise of scale 1, so tests at one scale apply to all',
  power: 'a relative error of 1e-15 in one entry, at 100 scales from 2^-12 to 2^12 and some far beyond',
  check: (subject, env) =>
    env.forAll(
      callsOf(subject),
      ({ value, scale }): Violation | undefined => {
        const zeros = new Float64Array(value.length);
        const unit = noised(subject, zeros, 1, env.random('coins'));
        for (const wide of [scale, scale * 2 ** 100, scale * 2 ** -100, scale * 2 ** -600]) {
          const noise = unlessUnsupported(() => noised(subject, zeros, wide, env.random('coins')));
          if (noise === undefined) continue;
          const at = differenceAt(
            noise,
            unit.map((z) => wide * z),
            (i) => 4 * 2 ** -53 * Math.abs(wide * unit[i]),
          );
          if (at >= 0)
            return {
              what:
                `with equal randomness, noise in entry ${at} is ${unit[at]} at ` +
                `scale 1 and ${noise[at]} at scale ${wide}`,
              measured: noise[at],
              allowed: wide * unit[at],
              input: { value, scale: wide },
            };
        }
        return undefined;
      },
      { runs: 100 },
    ),
});

/** The first pair of equal calls or entries. */
function duplicateIn(
  subject: MechanismSubject,
  length: number,
  calls: readonly Float64Array[],
  alpha: number,
): Violation | undefined {
  const spread = { scale: 1, alpha };
  const call = repeatedCall(calls, spread);
  if (call !== undefined)
    return {
      what:
        `calls ${call.first} and ${call.second}, with independent randomness, ` +
        `have the same noise in all of ${length} entries`,
      witness: `entry 0 is ${calls[call.first][0]} in both`,
    };
  const coordinate = length === 1 ? undefined : repeatedCoordinate(calls, spread);
  if (coordinate !== undefined)
    return {
      what:
        `entries ${coordinate.first} and ${coordinate.second} have the ` +
        `same noise in all of ${calls.length} calls`,
      witness: `in call 0 both are ${calls[0][coordinate.first]}`,
    };
  const seen = new Map<number, number>();
  let repeats = 0;
  for (const noise of isExact(subject) ? [] : calls)
    for (const z of noise) {
      const size = Math.abs(z);
      if (seen.has(size) && ++repeats > 1)
        return {
          what:
            `noise of absolute value ${size} repeats in ${calls.length} independent calls of ${length} ` +
            'entries; draws from a density do not repeat',
          measured: size,
        };
      seen.set(size, 1);
    }
  return undefined;
}

export const duplicatesLaw = defineLaw({
  id: 'mechanism/duplicates',
  kind: 'mechanism',
  tier: 'search',
  statement: 'no draw is used twice: for two entries, in two calls, or with the opposite sign',
  power: 'two entries or calls that share one draw',
  check(subject, env) {
    const scale = supportedScale(subject, wideScales(subject), env.random('tried'));
    if (scale === undefined) return skipped(refusesAll);
    let draws = 0;
    for (const length of [1, 2, 7, 33, 1025, 8193]) {
      const lengthOf = () => {
        if (length > 5000) return 2;
        return length > 100 ? 4 : 40;
      };
      const calls = Array.from({ length: lengthOf() }, (_, i) =>
        noised(subject, new Float64Array(length), scale, env.random(`call ${length} ${i}`)),
      );
      draws += length * calls.length;
      const found = isExact(subject)
        ? exactDuplicate(length, calls)
        : duplicateIn(subject, length, calls, env.alpha);
      if (found !== undefined)
        return fails(draws, { input: { entries: length, calls: calls.length }, ...found });
    }
    return holds(draws);
  },
});

/** Single integers repeat; whole vectors of them do not, nor do two entries in all calls. */
function exactDuplicate(length: number, calls: readonly Float64Array[]): Violation | undefined {
  if (length >= 33) {
    const rows = calls.map((noise) => noise.join());
    const second = rows.findIndex((row, i) => rows.indexOf(row) < i);
    if (second >= 0)
      return {
        what:
          `calls ${rows.indexOf(rows[second])} and ${second}, with independent randomness, ` +
          `have the same noise in all of ${length} entries`,
      };
  }
  if (calls.length < 40 || length === 1) return undefined;
  const columns = Array.from({ length }, (_, j) => calls.map((noise) => noise[j]).join());
  const second = columns.findIndex((column, j) => columns.indexOf(column) < j);
  return second < 0
    ? undefined
    : {
        what:
          `entries ${columns.indexOf(columns[second])} and ${second} have ` +
          `the same noise in all of ${calls.length} calls`,
      };
}
