import type * as z from 'zod';

type Given = Readonly<Record<string, unknown>>;

/** For `superRefine`: the number of forms in which one part is given. */
const forms =
  (allowed: string, isAllowed: (count: number) => boolean) =>
  (...names: readonly [string, ...string[]]) =>
  (given: Given, context: z.RefinementCtx): void => {
    const count = names.filter((name) => given[name] !== undefined).length;
    if (!isAllowed(count))
      context.addIssue({
        code: 'custom',
        message: `give ${allowed} one of ${names.join(', ')}`,
        path: [names[0]],
      });
  };
/** For `superRefine`: a part is given in one form. */
export const exactlyOne = forms('exactly', (count) => count === 1);
/** For `superRefine`: a part is given in one form, or left out. */
export const atMostOne = forms('at most', (count) => count <= 1);
