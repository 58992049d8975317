import { addUp, multiplyUp } from '@lethe/numerics';
import { defineLinearLoss, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { largestOnInterval } from './largest-on-interval.js';
import { factsOfLinearLoss, halfSquareUp, recordBounds } from './record-bounds.js';

const amplitudeParam = z.number().min(0).lt(1);
const period = 2 * Math.PI;

/**
 * Least squares through a wavy link, `½(g(⟨w, x⟩) − y)²` with `g(m) = m + amplitude·sin m`: not convex, but
 * its population risk satisfies the Polyak–Łojasiewicz inequality where the labels are `g(⟨w*, x⟩)` plus
 * noise of mean zero given the record, see {@link sineLinkGrowth}. Least squares at amplitude 0.
 *
 * Facts, only with bounded records, labels and iterates:
 * `lipschitz`, `smoothness`, the same per coordinate, and `range`.
 */
export const sineLink = defineLinearLoss({
  name: 'sine-link',
  summary: 'Half the squared residual of a linear model behind the link m + amplitude · sin m: not convex.',
  source: { id: 'lowy-razaviyayn', item: 'Definition 19' },
  params: z.strictObject({
    amplitude: amplitudeParam
      .default(0.5)
      .describe('a, from 0 to below 1: the link has slopes from 1 − a to 1 + a.'),
  }),
  examples: [{}, { amplitude: 0.2 }],
  capabilities: {
    convex: false,
    smooth: 'bounded',
    coordinateSmooth: 'bounded',
    lipschitz: 'bounded',
    coordinateLipschitz: 'bounded',
    linear: true,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    {
      property: 'lipschitz',
      statement: 'gradients are no longer than the constant of bounded margins and labels',
    },
    {
      property: 'smoothness',
      statement: 'gradients change no faster than the constant of bounded margins and labels',
    },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  linear: {
    value: ({ amplitude }, margin, label) => 0.5 * (margin + amplitude * Math.sin(margin) - label) ** 2,
    slope: ({ amplitude }, margin, label) =>
      (margin + amplitude * Math.sin(margin) - label) * (1 + amplitude * Math.cos(margin)),
  },
  facts({ amplitude }, domain) {
    const bounds = recordBounds(domain);
    const { margin, label } = bounds;
    if (margin === undefined || label === undefined || !(margin + label < 1e100)) return {};
    return factsOfLinearLoss(bounds, {
      ...largestDerivatives(amplitude, margin, label),
      value: halfSquareUp(largestResidual(amplitude, margin, label)),
    });
  },
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});

interface LargestDerivatives {
  readonly slope: number;
  readonly curvature: number;
}

/** The most ranges whose derivatives are kept. */
const mostRanges = 100;
const derivatives = new Map<string, LargestDerivatives>();

/** Searched for once a range: every data set and every plan of one problem asks for the same. */
function largestDerivatives(amplitude: number, margin: number, label: number): LargestDerivatives {
  const key = [amplitude, margin, label].join(' ');
  const found = derivatives.get(key) ?? {
    slope: largestSlope(amplitude, margin, label),
    curvature: largestCurvature(amplitude, margin, label),
  };
  if (derivatives.size >= mostRanges) derivatives.clear();
  derivatives.set(key, found);
  return found;
}

/** The link rises, so it is largest at the largest margin. */
const largestResidual = (amplitude: number, margin: number, label: number): number =>
  multiplyUp(addUp(margin + amplitude * Math.sin(margin), label), 1 + 2 ** -50);

/** Of `(g(m) + label) g′(m)`: a period later it is `2πg′(m)` larger, so it is largest in the last one. */
function largestSlope(amplitude: number, margin: number, label: number): number {
  const slope = (m: number): number => (m + amplitude * Math.sin(m) + label) * (1 + amplitude * Math.cos(m));
  return largestOnInterval(slope, {
    low: Math.max(0, margin - period),
    high: margin,
    bend: amplitude * (3 * (1 + amplitude) + margin + amplitude + label),
  });
}

/**
 * Of `|g′(m)² + (g(m) − y) g″(m)|` at `y = ±label`: a period later it changes by `−2π·amplitude·sin m`, so it
 * is largest in the first period or in the last one.
 */
function largestCurvature(amplitude: number, margin: number, label: number): number {
  const bend = amplitude * (3 * amplitude + 4 * (1 + amplitude) + margin + amplitude + label);
  const periods = [
    { low: 0, high: Math.min(margin, period) },
    { low: Math.max(0, margin - period), high: margin },
  ];
  return Math.max(
    ...periods.flatMap((interval) =>
      [label, -label].flatMap((y) =>
        [1, -1].map((sign) =>
          largestOnInterval(
            (m) =>
              sign *
              ((1 + amplitude * Math.cos(m)) ** 2 -
                (m + amplitude * Math.sin(m) - y) * amplitude * Math.sin(m)),
            { ...interval, bend },
          ),
        ),
      ),
    ),
  );
}

/**
 * The Polyak–Łojasiewicz constant `μ = (1 − a)⁴ λ / (1 + a)²` of the population risk of {@link sineLink}:
 * `μ(F(w) − F*) ≤ ½‖∇F(w)‖²` for every `w`, where `y = g(⟨w*, x⟩) + noise` and the noise has mean zero given
 * `x`.
 *
 * With `u = w − w*` and `Σ = E[x xᵀ]`:
 * `⟨∇F(w), u⟩ = E[(g(⟨w, x⟩) − g(⟨w*, x⟩)) g′(⟨w, x⟩) ⟨u, x⟩] ≥ (1 − a)²‖u‖²_Σ`, so
 * `‖∇F‖ ≥ (1 − a)² √λ ‖u‖_Σ`; and `F(w) − F* ≤ ½(1 + a)²‖u‖²_Σ`. Where `Σ` is singular, moving along its
 * kernel changes nothing, and the least of its positive eigenvalues will do.
 *
 * @param leastEigenvalue - `λ`, the least positive eigenvalue of `E[x xᵀ]`.
 * @throws {InvalidParameter} unless `0 ≤ amplitude < 1` and the eigenvalue is positive and finite.
 * @see Lowy and Razaviyayn, Definition 19.
 */
export function sineLinkGrowth({
  amplitude,
  leastEigenvalue,
}: {
  readonly amplitude: number;
  readonly leastEigenvalue: number;
}): number {
  if (!(amplitude >= 0 && amplitude < 1))
    throw new InvalidParameter(`amplitude is ${amplitude}; it must be from 0 to below 1`, { amplitude });
  if (!(leastEigenvalue > 0 && leastEigenvalue < Infinity))
    throw new InvalidParameter(`leastEigenvalue is ${leastEigenvalue}; it must be positive and finite`, {
      leastEigenvalue,
    });
  return ((1 - amplitude) ** 4 * leastEigenvalue) / (1 + amplitude) ** 2;
}

/**
 * A smoothness constant of the population risk of {@link sineLink} within `distance` of the true weights:
 * `(1 + a)² λ + a(1 + a)·distance·M`. For `∇²F = E[(g′² + (g(⟨w, x⟩) − g(⟨w*, x⟩)) g″) x xᵀ]`, where the
 * noise is gone, and `E|⟨u, x⟩|⟨v, x⟩² ≤ M` for unit vectors by Hölder's inequality.
 *
 * @param question - `largestEigenvalue`: `λ` of `E[x xᵀ]`; `thirdMoment`: `M`, the largest `E|⟨v, x⟩|³` of a
 * unit vector, `2(2/π)^½ λ^(3/2)` for a centred normal law.
 * @throws {InvalidParameter} unless `0 ≤ amplitude < 1` and the others are finite and at least 0.
 */
export function sineLinkSmoothness({
  amplitude,
  ...rest
}: {
  readonly amplitude: number;
  readonly largestEigenvalue: number;
  readonly thirdMoment: number;
  readonly distance: number;
}): number {
  if (!(amplitude >= 0 && amplitude < 1))
    throw new InvalidParameter(`amplitude is ${amplitude}; it must be from 0 to below 1`, { amplitude });
  for (const [name, value] of Object.entries(rest))
    if (!(value >= 0 && value < Infinity))
      throw new InvalidParameter(`${name} is ${value}; it must be finite and at least 0`, { [name]: value });
  return (
    (1 + amplitude) ** 2 * rest.largestEigenvalue +
    amplitude * (1 + amplitude) * rest.distance * rest.thirdMoment
  );
}
