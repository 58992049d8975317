import { InvalidParameter } from '@lethe/core';

/** Declared bound on features: for every record, or a moment of the population. */
export type FeatureDistribution =
  | { readonly featureNorm: number }
  /** `(E‖x‖^(2·order))^(1/(2·order))` for the squared loss, `(E‖x‖^order)^(1/order)` for the logistic one. */
  | { readonly featureMoment: number };

interface Order {
  /** `k ≥ 2`, real. */
  readonly order: number;
}
/** Argument of {@link logisticGradientMoment}. */
export type LogisticMoment = Order & FeatureDistribution;
/** Argument of {@link squaredGradientMoment}. */
export type SquaredMoment = Order &
  FeatureDistribution & {
    /** `‖w − reference‖₂ ≤ distance` on the domain. */
    readonly distance: number;
    /**
     * Moment of the residual `y − ⟨reference, x⟩` at a public reference point (the origin: of the label), as
     * a root: `(E|·|^order)^(1/order)` with `featureNorm`,
     * `(E|·|^(2·order))^(1/(2·order))` with `featureMoment`.
     */
    readonly residualMoment: number;
  };

/**
 * Upper bound on `r̃_k = (E sup_w ‖∇f(w; x, y)‖^k)^(1/k)` for the squared loss over a ball.
 *
 * `‖∇f‖ ≤ (distance·‖x‖ + |residual|)·‖x‖`, then Minkowski, and Cauchy–Schwarz where the features have only
 * moments. The result is a population fact: it may choose step sizes and clip norms, never a sensitivity.
 *
 * @throws {InvalidParameter} for an order below 2 and for moments that are negative or not finite.
 */
export function squaredGradientMoment(law: SquaredMoment): number {
  checkOrder(law.order);
  const feature = check(
    'featureNorm' in law ? 'featureNorm' : 'featureMoment',
    'featureNorm' in law ? law.featureNorm : law.featureMoment,
  );
  return finite(
    feature * (check('distance', law.distance) * feature + check('residualMoment', law.residualMoment)),
  );
}

/**
 * Upper bound on `r̃_k` for the logistic loss, whatever the domain: `‖∇f‖ ≤ ‖x‖`.
 *
 * @throws {InvalidParameter} for an order below 2 and for moments that are negative or not finite.
 */
export function logisticGradientMoment(law: LogisticMoment): number {
  checkOrder(law.order);
  return 'featureNorm' in law
    ? check('featureNorm', law.featureNorm)
    : check('featureMoment', law.featureMoment);
}

/**
 * Name of the public fact that holds `r_k`; plans look it up by order.
 *
 * @throws {InvalidParameter} for an order that is not finite or below 2.
 */
export function gradientMomentFact(order: number): string {
  checkOrder(order);
  return `gradientMoment.${order}`;
}

export function checkOrder(order: number): void {
  if (!(order >= 2 && Number.isFinite(order)))
    throw new InvalidParameter(`order is ${order}; moments have a finite order of at least 2`, { order });
}

function check(name: string, value: number): number {
  if (!(value >= 0 && Number.isFinite(value)))
    throw new InvalidParameter(`${name} is ${value}; it must be finite and at least 0`, { [name]: value });
  return value;
}

function finite(value: number): number {
  if (!Number.isFinite(value))
    throw new InvalidParameter('the moment overflows; use smaller units', { value });
  return value;
}
