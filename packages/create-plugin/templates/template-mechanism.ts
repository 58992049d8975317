import {
  defineMechanism,
  definedSensitivity,
  InvalidParameter,
  Unsupported,
  type CoreEvent,
} from '@lethe/core';
import { divideUp, multiplyDown, sqrtDown } from '@lethe/numerics';
import * as z from 'zod';

/**
 * Laplace noise of density `e^(−|x|/scale) / (2 scale)`, as an exponential with a fair sign. Say here what
 * the law of yours is, and what it takes for granted of doubles.
 */
export const templateMechanism = defineMechanism({
  name: 'template-mechanism',
  summary: 'Adds exponential noise with a fair sign to every entry.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    {
      property: 'noise-law',
      statement: 'entries have distribution function e^(x/scale)/2 below 0 and 1 − e^(−x/scale)/2 above',
    },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    { property: 'event', statement: 'one release is pure with ε = sensitivity / scale' },
    { property: 'pure', statement: 'noise multiplier 1/ε is ε-differentially private' },
    { property: 'zcdp', statement: 'noise multiplier 1/√(2ρ) is ρ-zCDP' },
    {
      property: 'calibration',
      statement: 'the multiplier for ε is that of pure differential privacy, whatever δ is',
    },
  ],
  norm: 'l1',
  numerics: 'idealised',
  event: (_params, noiseMultiplier, relative): CoreEvent<'core/laplace'> => ({
    kind: 'core/laplace',
    v: 1,
    scale: noiseMultiplier,
    sensitivity: definedSensitivity(relative),
  }),
  multiplierFor(_params, target) {
    const delta = 'delta' in target ? target.delta : 0;
    if (!(delta >= 0 && delta < 1))
      throw new InvalidParameter(`a target of delta = ${delta} was given; delta must be in [0, 1)`, {
        delta,
      });
    const epsilon =
      'rho' in target
        ? sqrtDown(multiplyDown(2, positive('rho', target.rho)))
        : positive('epsilon', target.epsilon);
    const multiplier = divideUp(1, epsilon);
    if (multiplier === Infinity)
      throw new Unsupported(
        'no double is large enough a noise multiplier for this target; ask for less privacy',
        { target },
      );
    return multiplier;
  },
  addNoise(_params, value, scale, random) {
    positive('scale', scale);
    for (let j = 0; j < value.length; j++) {
      const size = scale * random.exponential();
      value[j] += random.integer(2) === 1 ? size : -size;
    }
  },
  standardDeviation: () => Math.SQRT2,
  cdf: (_params, x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
});

function positive(name: string, value: number): number {
  if (value > 0 && value < Infinity) return value;
  throw new InvalidParameter(`${name} is ${value}; it must be positive and finite`, { [name]: value });
}
