/**
 * Version of this package, by which runs are bound to the code
 * that began them. A test holds it to package.json.
 */
export const version = '0.1.0';
/**
 * Version of what queries hold. Randomness is a function of a query's
 * bytes, so that a run goes on with the version that it began with.
 */
export const queryVersion = 7;
