import * as z from 'zod';
import { experimentSchema } from './schema.js';

/** The JSON Schema of experiment files, as they are written: defaults may be left out. */
export const jsonSchema = (): Readonly<Record<string, unknown>> => ({
  title: 'Lethe experiment',
  ...z.toJSONSchema(experimentSchema, { io: 'input', unrepresentable: 'any', reused: 'ref' }),
});
