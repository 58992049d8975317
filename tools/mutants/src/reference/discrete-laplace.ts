import { defineMechanism, definedSensitivity, divideUp, exponentOf, InvalidParameter, multiplyDown, type RandomSource, sqrtDown, Unsupported } from '@lethe/core';
import { z } from 'zod';

const ratio = Math.exp(-1);

/** Bernoulli(e^(−numerator/denominator)) for a ratio of at most 1, from integers: the parity of a run of ever rarer successes. */
function expMinus(numerator: number, denominator: number, random: RandomSource): boolean {
  for (let k = 1; ; k++) if (random.integer(denominator * k) >= numerator) return k % 2 === 1;
}

/** `scale` as a fraction of whole numbers, of which the proof of the sampler speaks. */
function fraction(scale: number): readonly [number, number] {
  if (!(scale > 0) || !Number.isFinite(scale)) throw new InvalidParameter(`noise of scale ${scale} was asked for; the scale must be positive and finite`, { scale });
  const denominator = 2 ** Math.max(0, 26 - exponentOf(scale)), numerator = scale * denominator;
  const common = lowestBit(numerator), down = Math.min(common, denominator);
  if (!Number.isInteger(numerator) || numerator / down > 2 ** 40 || denominator / down > 2 ** 40) throw new Unsupported(`noise of scale ${scale} is not proved: give a scale with few binary digits`, { scale });
  return [numerator / down, denominator / down];
}

function lowestBit(x: number): number {
  let bit = 1;
  while (bit < 2 ** 52 && x % (2 * bit) === 0) bit *= 2;
  return bit;
}

/** One draw of probability proportional to `e^(−|k| denominator/numerator)`. @see Canonne, Kamath, Steinke 2020, Algorithm 2. */
function draw(numerator: number, denominator: number, random: RandomSource): number {
  for (;;) {
    const low = random.integer(numerator);
    if (!expMinus(low, numerator, random)) continue;
    let high = 0;
    while (expMinus(1, 1, random)) high++;
    const size = Math.floor((low + numerator * high) / denominator), negative = random.integer(2) === 1;
    if (size > 0 || !negative) return negative ? -size : size;
  }
}

/** Laplace noise on the integers, exact: what shipped discrete noise must agree with. */
export const discreteLaplace = defineMechanism({
  name: 'reference-discrete-laplace', summary: 'Laplace noise on the integers.', source: { id: 'canonne-kamath-steinke-2020', item: 'Algorithm 2' },
  params: z.strictObject({}), examples: [{}],
  claims: [
    { property: 'lattice', statement: 'integers stay integers, and coins are integers' },
    { property: 'noise-law', statement: 'at scale 1 the probability of k is proportional to e^(−|k|)' },
    { property: 'event', statement: 'one release is pure with ε = sensitivity / scale' },
    { property: 'pure', statement: 'noise multiplier 1/ε is ε-differentially private, exactly' },
  ],
  norm: 'l1', numerics: 'exact',
  event: (_params, noiseMultiplier, relative) => ({ kind: 'core/discrete-laplace', v: 1, scale: noiseMultiplier, sensitivity: definedSensitivity(relative) }),
  multiplierFor(_params, target) {
    const bad = Object.values(target).some((x) => !(x >= 0) || !Number.isFinite(x));
    const least = 'rho' in target ? sqrtDown(multiplyDown(2, target.rho)) : target.epsilon;
    if (bad || !(least > 0) || ('delta' in target && target.delta >= 1)) throw new InvalidParameter(`${JSON.stringify(target)} is no target; give ε > 0 and δ in [0, 1), or ρ > 0`, { target });
    return divideUp(1, least);
  },
  addNoise(_params, value, scale, random) {
    const [numerator, denominator] = fraction(scale);
    if (!value.every(Number.isSafeInteger)) throw new InvalidParameter('noise on the integers was asked for a value that is no integer; round it first', {});
    for (let j = 0; j < value.length; j++) value[j]! += draw(numerator, denominator, random);
  },
  standardDeviation: () => Math.sqrt(2 * ratio) / (1 - ratio),
  cdf: (_params, x) => {
    const k = Math.floor(x);
    return k < 0 ? Math.exp(k) / (1 + ratio) : 1 - Math.exp(-(k + 1)) / (1 + ratio);
  },
});
