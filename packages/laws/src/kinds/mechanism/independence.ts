import { bet, type EProcess, pool } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { cdfOf, isExact, noised, refusesAll, supportedScale } from './call.js';

/** Pairs of draws that must be independent. */
interface Pairing {
  readonly name: string;
  /** The pairs of a call; the second of a pair is newer than the first and in no earlier pair. */
  pairs(now: ArrayLike<number>, before: ArrayLike<number>): Iterable<readonly [number, number]>;
}

const pairings: readonly Pairing[] = [
  {
    name: 'neighbouring entries',
    pairs: (now) => Array.from({ length: now.length - 1 }, (_, i) => [now[i], now[i + 1]] as const),
  },
  {
    name: 'every other entry',
    pairs: (now) =>
      Array.from({ length: Math.max(0, now.length - 2) }, (_, i) => [now[i], now[i + 2]] as const),
  },
  { name: 'the first and the last entry', pairs: (now) => [[now[0], now[now.length - 1]]] },
  {
    name: 'the two halves of a call',
    pairs: (now) =>
      Array.from({ length: now.length >> 1 }, (_, i) => [now[i], now[i + ((now.length + 1) >> 1)]] as const),
  },
  {
    name: 'the same entry of successive calls',
    pairs: (now, before) =>
      Array.from({ length: Math.min(now.length, before.length) }, (_, i) => [before[i], now[i]] as const),
  },
];

interface Lane {
  readonly name: string;
  readonly feature: (u: number) => number;
  readonly side: number;
  readonly process: EProcess;
}

export const independenceLaw = defineLaw({
  id: 'mechanism/independence',
  kind: 'mechanism',
  tier: 'statistical',
  statement:
    'entries of noise are independent: of their neighbours, ' +
    'of other entries, and of other calls, in sign and in size',
  power: 'equal signs or sizes in 100 pairs; a correlation of signs of 0.1 with probability 0.99 in 14 000',
  check(subject, env) {
    if (supportedScale(subject, [1], env.random('tried')) === undefined) return skipped(refusesAll);
    const cdf = cdfOf(subject);
    const whole = isExact(subject);
    const draws = env.samples(20_000);
    // Position in the distribution, from -1 to 1; its mean is 0 for any distribution, also with atoms.
    const place = (z: number): number => cdf(z) + (whole ? cdf(z - 0.5) : cdf(z)) - 1;
    const features: readonly (readonly [string, (u: number) => number])[] = whole
      ? [['place in the law', (u) => u]]
      : [
          ['side of the median', Math.sign],
          ['size', (u) => Math.sign(Math.abs(u) - 0.5)],
        ];
    const lanes = pairings.map((pairing) => ({
      pairing,
      bets: features.flatMap(([name, feature]) =>
        [1, -1].map((side): Lane => ({
          name: `${name}, ${pairing.name}, ${side > 0 ? 'alike' : 'opposite'}`,
          feature,
          side,
          process: bet({ largestLoss: 1 }),
        })),
      ),
    }));
    const bets = lanes.flatMap((lane) => lane.bets);
    const pooled = pool(bets.map(({ process }) => process));
    const lengths = [7, 2, 33, 33];
    let before: ArrayLike<number> = [];
    let count = 0;
    let source = env.random('calls');
    for (let call = 0; count < draws; call++) {
      // Every fourth call uses the source of the call before, with the same length.
      if (call % 4 !== 3) source = env.random('calls').fork(call);
      const now = noised(subject, new Float64Array(lengths[call % lengths.length]), 1, source).map(place);
      for (const { pairing, bets: sides } of lanes)
        for (const [a, b] of pairing.pairs(now, before))
          for (const { feature, side, process } of sides) process.push(side * feature(a) * feature(b));
      count += now.length;
      before = now;
      if (!pooled.rejects(env.alpha)) continue;
      const { name, process } = bets.reduce((best, one) =>
        one.process.logE > best.process.logE ? one : best,
      );
      return fails(count, {
        what: `noise is not independent; evidence: ${name}, in ${process.samples} pairs`,
        witness: name,
        logE: pooled.peak,
      });
    }
    return holds(count);
  },
});
