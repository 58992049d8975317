/**
 * How a linear model's loss depends on a margin: its derivative there. `logistic`: labels are −1 and +1, the
 * derivative is `−y / (1 + exp(y m))`. `squared`: the loss is `½ (m − y)²`, the derivative `m − y`.
 */
export type Slope = 'logistic' | 'squared' | ((margin: number, label: number) => number);

/**
 * The factor `c` with `c · x = clip(slope · x)` to ℓ2 radius `radius`, where `‖x‖ = norm`: the slope,
 * shortened to `radius / norm`. Exactly 0 when margin, label, norm or slope is not finite.
 */
export function clippedSlope(
  slope: Slope,
  margin: number,
  label: number,
  norm: number,
  radius: number,
): number {
  if (!(Number.isFinite(margin) && Number.isFinite(label) && Number.isFinite(norm))) return 0;
  let value: number;
  if (slope === 'logistic') value = -label / Math.max(1 + Math.exp(label * margin), norm / radius);
  else {
    const full = slopeAt(slope, margin, label);
    value = full / Math.max(1, Math.abs(full) * (norm / radius));
  }
  return Number.isFinite(value) ? value : 0;
}

/** The derivative itself. */
export function slopeAt(slope: Slope, margin: number, label: number): number {
  if (slope === 'logistic') return -label / (1 + Math.exp(label * margin));
  return slope === 'squared' ? margin - label : slope(margin, label);
}
