import * as z from 'zod';
import { adjacencies } from './adjacency.js';

/** Schema of an adjacency. */
export const adjacencySchema = z.enum(adjacencies);

/** Schema of a sensitivity per adjacency. */
export const sensitivitySchema = z.strictObject({
  'replace-one': z.number().positive().optional(),
  'add-remove': z.number().positive().optional(),
  'zero-out': z.number().positive().optional(),
});
