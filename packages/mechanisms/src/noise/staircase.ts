import {
  defineEvent,
  defineMechanism,
  definedSensitivity,
  sensitivitySchema,
  sensitivityUnder,
  Unsupported,
  type PrivacyEvent,
} from '@lethe/core';
import { divideUp, multiplyDown, multiplyUp, sqrtDown } from '@lethe/numerics';
import * as z from 'zod';
import { assertEpsilonDelta, assertRho, assertScale } from './noise-target.js';
import { orderedNumber } from './ordered-number.js';

const eventSchema = z.strictObject({
  kind: z.literal('lethe/staircase'),
  v: z.literal(1),
  epsilon: z.number().positive(),
  scale: z.number().positive(),
  sensitivity: sensitivitySchema,
});

/**
 * One number with staircase noise: ε for every step that the sensitivity reaches across,
 * `ε ⌈sensitivity / scale⌉`, and no less. Steps are one scale apart on either side, so that a shift by `s`
 * scales passes `⌈s⌉` of them where it passes most.
 */
export const staircaseEvent = defineEvent({
  name: 'lethe/staircase',
  version: 1,
  summary: 'Noise whose density falls in steps.',
  source: { id: 'geng-viswanath-2014', item: 'staircase-shaped distributions' },
  schema: eventSchema,
  examples: [
    {
      kind: 'lethe/staircase',
      v: 1,
      epsilon: 1,
      scale: 1,
      sensitivity: { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
    },
    { kind: 'lethe/staircase', v: 1, epsilon: 0.3, scale: 1 / 3, sensitivity: { 'replace-one': 1 } },
  ],
  claims: [
    {
      property: 'characterised',
      statement:
        'pure with ε times the sensitivity in scales, rounded up to a whole number; ' +
        'Unsupported under an adjacency without one',
    },
    { property: 'assumptions', statement: 'noise is real-valued: certificates assume real arithmetic' },
  ],
  assumptions: ['real-arithmetic'],
  characterise: {
    pure: ({ epsilon, scale, sensitivity }, adjacency) =>
      multiplyUp(
        epsilon,
        Math.ceil(divideUp(sensitivityUnder(sensitivity, adjacency, "the event 'lethe/staircase'"), scale)),
      ),
  },
  // One number that moves by the sensitivity.
  realise: [
    {
      draw({ epsilon, scale, sensitivity }, adjacency, side, random) {
        const moved = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/staircase'");
        const output = Float64Array.of(side === 0 ? moved : 0);
        staircase.addNoise({ epsilon }, output, scale, random);
        return output;
      },
      density({ epsilon, scale, sensitivity }, adjacency, side, output) {
        const moved = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/staircase'");
        return densityOf({ epsilon }, (output[0] - (side === 0 ? moved : 0)) / scale) / scale;
      },
    },
  ],
});

/** The γ with the least mean absolute noise. */
const bestShare = (epsilon: number): number => 1 / (1 + Math.exp(epsilon / 2));

interface Params {
  readonly epsilon: number;
  readonly gamma?: number | undefined;
}
/** γ, the fall `b = e^(−ε)` at a step, and the probability of the upper part of a tread. */
function shapeOf({ epsilon, gamma = bestShare(epsilon) }: Params): {
  readonly gamma: number;
  readonly fall: number;
  readonly upper: number;
} {
  const fall = Math.exp(-epsilon);
  return { gamma, fall, upper: gamma / (gamma + (1 - gamma) * fall) };
}

/**
 * Staircase noise on one number: the density is level up to γ scales from 0 and falls by a factor `e^(−ε)`
 * there and every scale further on. At noise multiplier 1 no ε-private noise is smaller on average, in
 * absolute value with the γ that is taken when none is given; Laplace noise is nearly as small for small ε
 * and exponentially larger for large. The distribution depends on ε, so ε is a parameter, and multipliers
 * other than 1, 1/2, 1/3, … waste privacy: at multiplier `m` one release is `ε ⌈1/m⌉`-private. Only for
 * single numbers: on vectors every entry could pass a step. Noise in doubles is `idealised`.
 *
 * @param params - `epsilon`: between 1e-9 and 100. `gamma`: in (0, 1]; left out: `1/(1 + e^(ε/2))`.
 */
export const staircase = defineMechanism({
  name: 'staircase',
  summary: 'Adds noise whose density falls in steps, the smallest that is ε-private on a single number.',
  source: { id: 'geng-viswanath-2014', item: 'optimality for the ℓ1 cost' },
  params: z.strictObject({
    epsilon: z.number().min(1e-9).max(100),
    gamma: z.number().positive().max(1).optional(),
  }),
  examples: [{ epsilon: 1 }, { epsilon: 3, gamma: 0.5 }, { epsilon: 0.1, gamma: 1 }],
  claims: [
    { property: 'noise-law', statement: 'density e^(−kε) up to γ + k scales from 0, times a constant' },
    { property: 'independence', statement: 'entries and calls are independent' },
    { property: 'symmetric', statement: 'noise and its negative have the same distribution' },
    { property: 'event', statement: 'one release of a single number is pure with ε ⌈sensitivity / scale⌉' },
    {
      property: 'calibration',
      statement: 'the multiplier for a target is one over a whole number of steps whose ε it covers',
    },
  ],
  norm: 'l1',
  numerics: 'idealised',
  scalar: true,
  event: ({ epsilon }, noiseMultiplier, relative) =>
    ({
      kind: 'lethe/staircase',
      v: 1,
      epsilon,
      scale: noiseMultiplier,
      sensitivity: definedSensitivity(relative),
    }) as PrivacyEvent,
  multiplierFor({ epsilon }, target) {
    if ('rho' in target) assertRho(target.rho);
    else assertEpsilonDelta(target.epsilon, target.delta);
    const allowed = 'rho' in target ? sqrtDown(multiplyDown(2, target.rho)) : target.epsilon;
    let steps = Math.min(Math.floor(allowed / epsilon), Number.MAX_SAFE_INTEGER);
    while (steps > 0 && multiplyUp(steps, epsilon) > allowed) steps--;
    if (steps === 0)
      throw new Unsupported(
        `staircase noise for epsilon = ${epsilon} is never more private than that, at any scale; ` +
          `for this target use staircase({ epsilon: ${allowed} })`,
        { epsilon, allowed },
      );
    return divideUp(1, steps);
  },
  addNoise(params, value, scale, random) {
    assertScale(scale);
    const { gamma, upper } = shapeOf(params);
    for (let j = 0; j < value.length; j++) {
      const tread = Math.floor(random.exponential() / params.epsilon);
      const within =
        random.uniform() < upper ? gamma * random.uniform() : gamma + (1 - gamma) * random.uniform();
      const size = scale * (tread + within);
      value[j] += random.integer(2) === 0 ? size : -size;
    }
  },
  standardDeviation(params) {
    const { gamma, upper } = shapeOf(params);
    const tread = 1 / Math.expm1(params.epsilon);
    const mean = upper * (gamma / 2) + (1 - upper) * ((1 + gamma) / 2);
    const square = upper * ((gamma * gamma) / 3) + (1 - upper) * ((1 + gamma + gamma * gamma) / 3);
    return Math.sqrt(tread * (1 + 2 * tread) + 2 * tread * mean + square);
  },
  cdf(params, x) {
    const beyond = tailOf(params, Math.abs(orderedNumber(x)));
    return x < 0 ? beyond : 1 - beyond;
  },
});

/** Height of the innermost tread, for noise of scale 1. */
function heightOf(params: Params): number {
  const { gamma, fall } = shapeOf(params);
  return -Math.expm1(-params.epsilon) / (2 * (gamma + fall * (1 - gamma)));
}

/** Density of noise of scale 1. */
function densityOf(params: Params, x: number): number {
  const { gamma, fall } = shapeOf(params);
  const tread = Math.floor(Math.abs(x));
  const within = Math.abs(x) - tread;
  return heightOf(params) * Math.exp(-params.epsilon * tread) * (within < gamma ? 1 : fall);
}

/** Probability of noise above `x ≥ 0`. */
function tailOf(params: Params, x: number): number {
  if (x === Infinity) return 0;
  const { gamma, fall } = shapeOf(params);
  const tread = Math.floor(x);
  const within = x - tread;
  const height = heightOf(params);
  return (
    Math.exp(-params.epsilon * tread) *
    (height * (Math.max(0, gamma - within) + fall * (1 - Math.max(gamma, within))) + fall / 2)
  );
}
