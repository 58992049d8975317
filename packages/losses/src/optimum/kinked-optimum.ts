import type { LabelledRows, NonPrivateOptimum, OptimumOptions } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import { denseRows, eachBlock } from '../labelled-rows.js';
import { descentOptions, foundBy, toleranceFor, type Descent } from './descent.js';
import { minimise } from './minimise.js';
import { objectiveFor, type SmoothPart } from './objective-of.js';

/**
 * A loss `max σ·(m − y)` over slopes `σ` in an interval that
 * depends on the label: two lines that meet at `m = y`.
 */
type Slopes = (label: number) => readonly [low: number, high: number];

/** Half a hyperbola about the kink: its slopes lie inside the interval, and every derivative exists. */
interface Smoothing {
  readonly slopeAt: (residual: number, label: number) => number;
  readonly part: SmoothPart;
}

function smoothing(slopes: Slopes, width: number): Smoothing {
  const of = (label: number): { readonly middle: number; readonly half: number } => {
    const [low, high] = slopes(label);
    return { middle: (low + high) / 2, half: (high - low) / 2 };
  };
  const slopeAt = (residual: number, label: number): number => {
    const { middle, half } = of(label);
    return middle + half * (residual / Math.hypot(residual, width));
  };
  return {
    slopeAt,
    part: {
      form: {
        value(margin, label) {
          const { middle, half } = of(label);
          const residual = margin - label;
          return middle * residual + half * Math.hypot(residual, width);
        },
        slope: (margin, label) => slopeAt(margin - label, label),
        curvature(margin, label) {
          const size = Math.hypot(margin - label, width) / width;
          return of(label).half / (width * size ** 3);
        },
      },
      curvature: 1 / width,
      isQuadratic: false,
      isNonNegative: true,
    },
  };
}

/**
 * Minimises the average of a loss of two lines by rounding its kink off, less and less. The certificate is of
 * the loss itself: slopes `σᵢ` of the rounded loss make the affine `T(v) = (1/n) Σ σᵢ(⟨v, xᵢ⟩ − yᵢ)`, which
 * is below the risk everywhere; it is above `T(w)` less the objective's gap, so the excess is at most that
 * and `F(w) − T(w)`, to which only records near the kink contribute.
 */
export function kinkedOptimum(
  slopes: Slopes,
  data: LabelledRows,
  domain: Domain,
  { regulariser, ...given }: OptimumOptions,
): NonPrivateOptimum {
  denseRows(data, 'the reference solver of a loss with a kink');
  const options = descentOptions(data.rows, domain, given);
  let best: Descent | null = null;
  let passes = 0;
  let lower = -Infinity;
  let before: Float64Array | null = null;
  let { start } = options;
  let width = largestResidual(data, start) || 1;
  for (const narrowest = 1e-12 * width; width > narrowest; width /= shrink) {
    const { part, slopeAt } = smoothing(slopes, width);
    const objective = objectiveFor(part, data, domain, regulariser);
    const inner = minimise(objective, domain, {
      ...options,
      start,
      tolerance: Math.max(toleranceFor(best?.risk ?? 0, options.tolerance) / 4, 1e-4 * width),
    });
    const { above, affine } = heights({ slopes, slopeAt, part }, data, inner.point);
    const risk = inner.risk - above;
    lower = Math.max(lower, risk - affine - objective.gap(inner.point, inner.gradient, risk));
    passes += inner.passes + 1;
    if (best === null || risk < best.risk) best = { ...inner, risk };
    best = { ...best, gap: Math.max(0, best.risk - lower), passes };
    if (
      best.gap <= toleranceFor(best.risk, options.tolerance) ||
      (inner.gap === Infinity && affine <= toleranceFor(risk, options.tolerance))
    )
      break;
    // Minimisers move along nearly a line as the width shrinks: the next one is looked for further along it.
    const from: Float64Array = before ?? inner.point;
    start = domain.projectInto(
      new Float64Array(inner.point.length),
      inner.point.map((entry, j) => entry + (entry - from[j]) / shrink),
    );
    before = inner.point;
  }
  return foundBy(defined(best), true);
}

const shrink = 4;

/**
 * Gaps at `w`: from the risk to its rounded value, and from the affine function of its slopes to the risk.
 */
function heights(
  { slopes, slopeAt, part: { form } }: Smoothing & { readonly slopes: Slopes },
  data: LabelledRows,
  w: Float64Array,
): { readonly above: number; readonly affine: number } {
  let above = 0;
  let affine = 0;
  eachBlock(data, w, (margins, from) =>
    margins.forEach((margin, i) => {
      const label = data.labels[from + i];
      const residual = margin - label;
      const [low, high] = slopes(label);
      const value = Math.max(low * residual, high * residual);
      affine += (value - slopeAt(residual, label) * residual) / data.rows;
      above += (form.value(margin, label) - value) / data.rows;
    }),
  );
  return { above, affine };
}

/** The largest `|m − y|`: rounded off by that much, the loss has hardly a kink left. */
function largestResidual(data: LabelledRows, w: Float64Array): number {
  let largest = 0;
  eachBlock(data, w, (margins, from) =>
    margins.forEach((margin, i) => {
      largest = Math.max(largest, Math.abs(margin - data.labels[from + i]));
    }),
  );
  return Math.min(largest, 1e100);
}
