/** Functions that rows C35 to C59: the optimisers speak of. */
export interface OptimiserSubject {}

/** What ships. */
export const optimiserSubject: OptimiserSubject = Object.freeze({});
