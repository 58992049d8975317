import { defined } from '@lethe/numerics';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, type MechanismSubject, noised, refusesAll } from './call.js';
import { realDraws, recordedDraws } from './lattice.js';

/** Pairs of close scales, from a few grid steps to many, none of them an integer. */
const nearScales: readonly (readonly [number, number])[] = [
  [2.01, 2.05],
  [4.2, 4.7],
  [20.2, 20.26],
  [40.4, 40.45],
  [300.2, 300.4],
  [1500.2, 1500.7],
  [2 ** 21 + 0.25, 2 ** 21 + 1000.5],
  [2 ** 32.1, 2 ** 32.2],
  [2 ** 39.1, 2 ** 39.2],
  [2 ** 44.1, 2 ** 44.3],
];
/** Scale from which even and odd numbers have nearly equal probabilities. */
const fine = 32;
const entries = 4096;
const leastShare = 0.2;
const mostShare = 0.3;

function judged(
  subject: MechanismSubject,
  [low, high]: readonly [number, number],
  env: LawEnv,
): Violation | undefined {
  const zeros = new Float64Array(entries);
  const drawn = new Set<string>();
  const noise = noised(subject, zeros, low, recordedDraws(env.random('coins'), drawn));
  const real = realDraws(drawn);
  if (real.length > 0)
    return {
      what:
        `exact numerics are declared, and at scale ${low} the noise uses ${real.join(', ')}, ` +
        'which round real numbers; use integer draws',
      input: { scale: low },
    };
  const off = noise.findIndex((x) => !Number.isSafeInteger(x));
  if (off >= 0)
    return {
      what: `exact numerics are declared, and noise of scale ${low} is ${noise[off]}`,
      measured: noise[off],
      input: { scale: low },
    };
  const other = unlessUnsupported(() => noised(subject, zeros, high, env.random('coins')));
  if (other !== undefined && noise.every((x, i) => x === other[i]))
    return {
      what:
        `with equal randomness, noise of scales ${low} and ${high} is equal in all of ${entries} ` +
        'entries: the scale is rounded, or bounded',
      input: { scales: [low, high] },
    };
  const cells = [0, 0, 0, 0];
  for (const x of noise) if (x !== 0) cells[(x > 0 ? 2 : 0) + (Math.abs(x) % 2)]++;
  const total = cells.reduce((sum, count) => sum + count, 0);
  const odd = cells.findIndex((count) => !(count >= leastShare * total && count <= mostShare * total));
  if (low >= fine && odd >= 0)
    return {
      what:
        `of ${total} draws of scale ${low} that are not 0, ${cells[odd]} are ` +
        `${odd % 2 === 1 ? 'odd' : 'even'} and ${odd >= 2 ? 'above' : 'below'} 0; expected a quarter`,
      measured: cells[odd],
      allowed: total / 4,
      input: { scale: low },
    };
  return atTheEnds(subject, low, env);
}

/** Beyond 2⁵³ a sum must still be an integer and depend on value and noise alone. */
function atTheEnds(subject: MechanismSubject, scale: number, env: LawEnv): Violation | undefined {
  const most = Number.MAX_SAFE_INTEGER;
  const value = Float64Array.from({ length: 64 }, (_, i) => {
    if (i % 4 === 0) return most - 1;
    return i % 4 === 1 ? 1 - most : 0;
  });
  const alone = noised(subject, new Float64Array(64), scale, env.random('ends'));
  const sum = unlessUnsupported(() => noised(subject, value, scale, env.random('ends')));
  const bad =
    sum?.findIndex(
      (x, i) => !Number.isSafeInteger(x) || (value[i] === 0 ? x !== alone[i] : (x - value[i]) * alone[i] < 0),
    ) ?? -1;
  return bad < 0
    ? undefined
    : {
        what:
          `with equal randomness, noise of scale ${scale} is ${alone[bad]} on 0 and takes ${value[bad]} ` +
          `to ${defined(sum)[bad]}; sums beyond ${most} must be clamped to it`,
        measured: defined(sum)[bad],
        input: { scale },
      };
}

export const wideScalesLaw = defineLaw({
  id: 'mechanism/wide-scales',
  kind: 'mechanism',
  tier: 'exact',
  statement:
    'exact noise is integer-valued, uses integer randomness, ' +
    'is even and odd with equal probability on both sides of 0, and differs between scales, ' +
    'for scales from a few grid steps to the largest supported one',
  power:
    'a scale rounded to an integer or to three digits, a maximum scale, noise that is always even or ' +
    'whose parity determines its sign, or another sampler, at ten scales from 2 to 2^44',
  exempt: (subject) => (isExact(subject) ? undefined : 'it declares idealised numerics'),
  check(subject, env) {
    let tried = 0;
    for (const scales of nearScales) {
      if (unlessUnsupported(() => noised(subject, [0], scales[0], env.random('tried'))) === undefined)
        continue;
      tried += entries;
      const violation = judged(subject, scales, env);
      if (violation !== undefined) return fails(tried, violation);
    }
    return tried === 0 ? skipped(refusesAll) : holds(tried);
  },
});
