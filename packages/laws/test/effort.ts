/** Options for the laws' own tests: a tenth of inputs and draws by day, all at night. */
export const smallEffort = { effort: process.env['LETHE_EFFORT'] === 'full' ? 1 : 0.1, repeats: false };
/**
 * Options for these laws alone, at their own efforts, or for all with {@link smallEffort}. That a violation
 * repeats is tested once, in `law.test.ts`.
 */
export const lawsAlone = (
  only?: string | readonly string[],
): { readonly only?: readonly string[]; readonly effort?: number; readonly repeats: boolean } =>
  only === undefined ? smallEffort : { only: [only].flat(), repeats: false };
