import * as z from 'zod/mini';
import { adjacencies } from './adjacency.js';

/** Schema of an adjacency. */
export const adjacencySchema = z.enum(adjacencies);

/** Schema of a sensitivity per adjacency. */
export const sensitivitySchema = z.strictObject({
  'replace-one': z.optional(z.number().check(z.positive())),
  'add-remove': z.optional(z.number().check(z.positive())),
  'zero-out': z.optional(z.number().check(z.positive())),
});
