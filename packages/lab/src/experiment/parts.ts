import * as z from 'zod';

/** Names of experiments and problems: they name folders and runs. */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/u, 'use lower-case letters, digits and hyphens')
  .max(64, 'use at most 64 characters');
/** A plugin by its name, with parameters. */
export const pluginRef = z.strictObject({
  name: z.string().min(1),
  params: z.record(z.string(), z.json()).default({}),
});
export const count = z.int().positive();
/** Seeds of an evaluation, one after another. */
export const seeds = z.strictObject({ first: z.int().nonnegative().default(1), count: count.max(10_000) });
/** Modules of plugins: paths, and names of packages. */
export const pluginModules = z.array(z.string().min(1));
