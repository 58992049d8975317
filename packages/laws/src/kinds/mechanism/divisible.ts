import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { isExact, supportedScale } from './call.js';
import { cdfAtScale } from './cdf-at-scale.js';

const scales = [1.5, 3];
const shares = [2, 3];
/** Largest difference of two probabilities of one number; sums of shares are folded in doubles. */
const tolerance = 1e-10;
/** Standard deviations beyond which nothing is compared. */
const reach = 12;

export const divisibleLaw = defineLaw({
  id: 'mechanism/divisible',
  kind: 'mechanism',
  tier: 'exact',
  property: 'divisible',
  statement:
    'noise that is declared divisible is whole, and H independent shares of scale s/√H add up to noise of ' +
    'scale s',
  power: 'a probability that differs by 1e-10, for two and three shares at two scales',
  exempt: ({ plugin }) => (plugin.divisible === true ? undefined : 'it does not declare divisible'),
  check(subject, env) {
    if (!isExact(subject))
      return fails(1, { what: 'noise in doubles is declared divisible, and silos add whole noise alone' });
    let checks = 0;
    for (const scale of scales)
      for (const count of shares) {
        const share = scale / Math.sqrt(count);
        if (supportedScale(subject, [share], env.random('tried')) === undefined) continue;
        const whole = probabilities(cdfAtScale(subject, scale), scale);
        const one = probabilities(cdfAtScale(subject, share), scale);
        let sum = one;
        for (let k = 1; k < count; k++) sum = folded(sum, one);
        const middle = (sum.length - 1) / 2 - (whole.length - 1) / 2;
        for (const [k, wanted] of whole.entries()) {
          checks++;
          const measured = sum[middle + k];
          if (Math.abs(measured - wanted) <= tolerance) continue;
          return fails(checks, {
            what: `${count} shares of scale ${share} do not add up to noise of scale ${scale}`,
            measured,
            allowed: wanted,
            input: { scale, count, number: k - (whole.length - 1) / 2 },
          });
        }
      }
    return holds(Math.max(1, checks), checks === 0 ? 'no scale that is compared is drawn' : undefined);
  },
});

/** Probabilities of the whole numbers within {@link reach} deviations. */
function probabilities(cdf: (x: number) => number, scale: number): readonly number[] {
  const end = Math.ceil(reach * scale);
  return Array.from({ length: 2 * end + 1 }, (_, k) => cdf(k - end) - cdf(k - end - 1));
}

const folded = (a: readonly number[], b: readonly number[]): readonly number[] => {
  const out = Array.from({ length: a.length + b.length - 1 }, () => 0);
  a.forEach((p, i) => b.forEach((q, j) => (out[i + j] += p * q)));
  return out;
};
