import { noteTest } from '../../evidence/judged.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, noised, refusesAll, type MechanismSubject } from './call.js';
import { cdfAtScale } from './cdf-at-scale.js';

type Cdf = (x: number) => number;

/** Octaves of scales: from 2^k to twice that. */
const octaves = Array.from({ length: 40 }, (_, k) => k);
/** Bounds of the cells that draws are sorted into by their size, in units of the scale. */
const bounds = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4];
/** Other scales that are bet on, over the declared one. */
const factors = [0.92, 1.08];
/** Draws of one octave at most, and in one call. */
const most = 20_000;
const stride = 250;
/** Log-wealth below which a bet is given up: of bets that would win, one in 400 gets there. */
const givenUp = -6;
/** From this scale on the noise of a slightly other scale is a multiple, but for a thousandth. */
const nearlySmooth = 64;

/** Probabilities of the cells between sizes. */
function cellsOf(cdf: Cdf, sizes: readonly number[]): readonly number[] {
  const within = sizes.map((size) => cdf(size) - cdf(-Math.floor(size) - 1));
  return [...within, 1].map((p, k) => p - (within[k - 1] ?? 0));
}

/** Gains of the bets on other scales by the cell of a draw; 0 for cells that are too rare to bet on. */
function gainsOf(
  subject: MechanismSubject,
  scale: number,
  sizes: readonly number[],
): readonly Float64Array[] {
  const cdf = cdfAtScale(subject, scale);
  const declared = cellsOf(cdf, sizes);
  return factors.flatMap((factor) => {
    const other =
      scale < nearlySmooth
        ? unlessUnsupported(() => cellsOf(cdfAtScale(subject, factor * scale), sizes))
        : cellsOf((x) => cdf(x / factor), sizes);
    if (other === undefined) return [];
    const isBetOn = declared.map((p, k) => p > 1e-4 && other[k] > 1e-4);
    // Elsewhere the bet is that of the hypothesis, so that all probabilities add up.
    const part = (of: readonly number[]): number => of.reduce((sum, p, k) => sum + (isBetOn[k] ? p : 0), 0);
    const scaled = part(declared) / part(other);
    return [Float64Array.from(declared, (p, k) => (isBetOn[k] ? Math.log((scaled * other[k]) / p) : 0))];
  });
}

const cellOf = (size: number, sizes: readonly number[]): number => {
  let cell = 0;
  while (cell < sizes.length && size > sizes[cell]) cell++;
  return cell;
};

/** Whole noise at one scale of every octave, by bets on scales that are 8 % apart. */
export const everyOctave = defineLaw({
  id: 'mechanism/every-octave',
  kind: 'mechanism',
  tier: 'statistical',
  property: 'noise-law',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  statement: 'integer noise has the declared spread at a scale of every octave from 1 to 2^40',
  power: 'an error of 7 % in the scale in an octave, in 20 000 draws; fewer where bets are given up early',
  exempt: (subject) =>
    isExact(subject) ? undefined : 'noise of any scale is a multiple of that of scale 1; see every-scale',
  check(subject, env) {
    const random = env.random('coins');
    const alpha = env.alpha / octaves.length;
    const enough = Math.log(1 / alpha);
    const planned = env.samples(most);
    let drawn = 0;
    let tried = 0;
    for (const octave of octaves) {
      const scale = 2 ** (octave + random.uniform());
      if (unlessUnsupported(() => noised(subject, [0], scale, env.random('tried'))) === undefined) continue;
      tried++;
      const sizes = [...new Set(bounds.map((bound) => Math.floor(bound * scale)))];
      const bets = gainsOf(subject, scale, sizes).map((gains) => ({ gains, wealth: 0 }));
      noteTest(alpha, planned * Math.max(...bets.flatMap(({ gains }) => [...gains])));
      for (let count = 0; count < planned && bets.some(({ wealth }) => wealth > givenUp);) {
        const noise = noised(subject, new Float64Array(stride), scale, random);
        count += stride;
        drawn += stride;
        for (const x of noise) {
          const cell = cellOf(Math.abs(x), sizes);
          for (const bet of bets) bet.wealth += bet.gains[cell];
        }
        const wealth = Math.max(...bets.map((bet) => bet.wealth)) - Math.log(bets.length);
        if (wealth >= enough) return fails(drawn, wrong(noise, scale, wealth));
      }
    }
    return tried === 0 ? skipped(refusesAll) : holds(drawn);
  },
});

function wrong(noise: Float64Array, scale: number, logE: number): Violation {
  const size = noise.reduce((sum, x) => sum + Math.abs(x), 0) / noise.length / scale;
  return {
    what:
      `noise of scale ${scale} does not have its declared spread; ` +
      `the last ${noise.length} draws are ${size.toPrecision(3)} scales long on average`,
    logE,
    input: { scale },
  };
}
