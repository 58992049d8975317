/** The functions of which the claims speak. */
export interface RecursiveGradientsSubject {}
/** Shipped optimizers. */
export const recursiveGradientsSubject: RecursiveGradientsSubject = Object.freeze({});
