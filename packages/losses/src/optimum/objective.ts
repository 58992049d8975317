/** An objective: the average risk plus a public function. Its gradient is that of the smooth part. */
export interface Objective {
  valueAndGradientInto(gradient: Float64Array, w: Float64Array): number;
  /**
   * Of the smooth part, over every `stride`-th row; `floor`, from 0 to 1,
   * is the least curvature of a record, relative to the largest there is. `null` of sparse rows, which are
   * of too many dimensions.
   */
  readonly hessian:
    | ((w: Float64Array, options: { readonly stride: number; readonly floor: number }) => Float64Array)
    | null;
  /** One Hessian is that of every point. */
  readonly isQuadratic: boolean;
  /** Nearly minimises the quadratic model of the smooth part, plus the rest, over the domain. */
  step(w: Float64Array, gradient: Float64Array, matrix: Float64Array): Float64Array;
  /** Change of the linear model from `w` to `target`: negative for a descent. */
  slopeTo(w: Float64Array, gradient: Float64Array, target: Float64Array): number;
  /** Bound on how far `w`, of this value, is above the least; `Infinity` where none is known. */
  gap(w: Float64Array, gradient: Float64Array, value: number): number;
  /** Norm of the least (sub)gradient, the domain aside. */
  residual(w: Float64Array, gradient: Float64Array): number;
}
