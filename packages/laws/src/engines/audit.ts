import type { RandomSource } from '@lethe/core';
import { auditedPair, knownRatio, type Output, usualWitnesses, type Witness } from '../evidence/index.js';
import { clopperPearson } from '../special/index.js';
import { fails, holds, skipped, type Finding } from '../law/finding.js';
import { wholeOutputWitness } from './whole-output-witness.js';

/** A randomised algorithm on two neighbours, and its claim. */
export interface AuditOptions {
  /** One output on the first or the second neighbour, with independent randomness each time. */
  readonly draw: (neighbour: 0 | 1, randomness: RandomSource, index: number) => ArrayLike<number>;
  /** Claimed `δ(ε)`, for both directions. */
  readonly profile: (epsilon: number) => number;
  /** @defaultValue 0.01, 0.1, 0.25, 0.5, 1, 2, 4 */
  readonly epsilons?: readonly number[];
  /** `log p(y) − log q(y)`, if known. */
  readonly logRatio?: (y: ArrayLike<number>) => number;
  /** Replacements of the usual witnesses. */
  readonly witnesses?: (dimension: number) => readonly Witness[];
  /** The neighbours, for the report. */
  readonly input?: unknown;
  /** Number of pairs, unless it takes more to reject anything. */
  readonly pairs: number;
  /** Maximum number of pairs, if more are needed. @defaultValue `pairs` */
  readonly most?: number;
  readonly alpha: number;
  readonly random: RandomSource;
}

/**
 * Number of outputs drawn after a rejection, to estimate the
 * size of the violation. They do not affect the decision.
 */
const confirmations = 1000;

/** Pairs of which lengths are compared, and errors seen, where no number of pairs can reject. */
const fewestPairs = 8;
/** Whether the pairs that are left can reject is asked once for so many. */
const pairsBetweenLooks = 16;

const usualEpsilons = [0.01, 0.1, 0.25, 0.5, 1, 2, 4];

/**
 * Black-box audit: draws pairs of outputs and bets, in both directions and at several ε, that some event is
 * likelier than the claimed profile allows. Events come from a known density ratio, learned histograms, and
 * exactly repeated values; the wealths are averaged. Stops when the claim is rejected, or when the pairs that
 * are left cannot reject it, whatever they are. A claim that no pairs can reject is skipped, after a few
 * pairs whose lengths are compared.
 */
export function audit({
  draw,
  profile,
  epsilons = usualEpsilons,
  logRatio,
  witnesses,
  input,
  pairs: wanted,
  most = wanted,
  alpha,
  random,
}: AuditOptions): Finding {
  if (epsilons.every((epsilon) => profile(epsilon) >= 1))
    return skipped('the claim says nothing at the tested ε');
  const [onFirst, onSecond] = [random.fork('first'), random.fork('second')];
  const one = (neighbour: 0 | 1, i: number): ArrayLike<number> =>
    draw(neighbour, (neighbour === 0 ? onFirst : onSecond).fork(i), i);
  let p = one(0, 0);
  let q = one(1, 0);
  const dimension = Math.max(1, p.length);
  const chosen = witnesses?.(dimension) ?? [
    ...usualWitnesses(dimension, wanted),
    ...(dimension === 1 ? [] : [wholeOutputWitness()]),
  ];
  const audited = auditedPair({
    profile,
    epsilons,
    witnesses: logRatio === undefined ? chosen : [knownRatio(logRatio), ...chosen],
  });
  const pairs = enough(wanted, most, (count) => audited.canReject(alpha, count));
  for (let i = 0; ;) {
    if (p.length !== q.length)
      return fails(i + 1, {
        what:
          `outputs have ${p.length} numbers on one neighbour and ${q.length} on the other; ` +
          'their lengths tell them apart',
        measured: p.length,
        allowed: q.length,
        input,
      });
    audited.push(p satisfies Output, q);
    if (audited.rejects(alpha)) return rejected(i + 1);
    const mayEnd = ++i % pairsBetweenLooks === fewestPairs;
    if (i >= pairs || (mayEnd && !audited.canReject(alpha, pairs - i)))
      return pairs === 0 ? skipped(`its claim is so weak that ${most} pairs cannot reject it`) : holds(i);
    p = one(0, i);
    q = one(1, i);
  }

  function rejected(samples: number): Finding {
    const { witness, epsilon, direction, event } = audited.strongest;
    const delta = profile(epsilon);
    const [from, to] = direction === 'P over Q' ? ['first', 'second'] : ['second', 'first'];
    const fresh = random.fork('confirm');
    const count = (neighbour: 0 | 1): number =>
      Array.from({ length: confirmations }, (_, i) =>
        event(draw(neighbour, fresh.fork(`${neighbour}:${i}`), samples + i)),
      ).filter(Boolean).length;
    const [onFrom, onTo] = direction === 'P over Q' ? [count(0), count(1)] : [count(1), count(0)];
    const measured =
      clopperPearson(onFrom, confirmations, 0.005).lower -
      Math.exp(epsilon) * clopperPearson(onTo, confirmations, 0.005).upper;
    return fails(samples, {
      what:
        `outputs on two neighbours differ by more than is claimed: an event is likelier on the ${from} ` +
        `than e^${epsilon} times as likely on the ${to}, plus the claimed δ(${epsilon}) = ${delta}`,
      measured,
      allowed: delta,
      input,
      witness:
        `${witness}, ε = ${epsilon}, ${from} over ${to}; of ${confirmations} fresh outputs ${onFrom} on ` +
        `the ${from} and ${onTo} on the ${to} (measured: δ(${epsilon}) is at least this with 99 %)`,
      logE: audited.peak,
    });
  }
}

/** The pairs wanted, or half as many again as the least that can reject; 0 where the most cannot. */
function enough(wanted: number, most: number, canReject: (pairs: number) => boolean): number {
  if (canReject(wanted)) return wanted;
  if (!canReject(most)) return 0;
  let [few, many] = [wanted, most];
  while (many - few > 1) {
    const middle = Math.floor((few + many) / 2);
    if (canReject(middle)) many = middle;
    else few = middle;
  }
  return Math.min(most, Math.ceil(1.5 * many));
}
