/** `η_t = t + 1`: the weight of the gradient at step `t = 0, 1, …`; 0 before the first. */
export const stepWeight = (t: number): number => t + 1;

/** `η_{0:t} = Σ_{i ≤ t} η_i = (t + 1)(t + 2)/2`; 0 for `t = −1`. */
export const weightSum = (t: number): number => ((t + 1) * (t + 2)) / 2;

/** `τ_t = η_t / η_{0:t} = 2/(t + 2)`: the share of the mirror iterate in the point of step `t`. */
export const coupling = (t: number): number => 2 / (t + 2);
