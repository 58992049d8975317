import { seededRandom } from '@lethe/core';
import * as z from 'zod';

/** How records are split into those that train and those that are held out. */
export const splitSchema = z.strictObject({
  heldOut: z
    .number()
    .min(0)
    .max(0.9)
    .describe('Share of the records that is not trained on, so that the model can be evaluated on it.'),
  key: z
    .string()
    .describe('Public key of the split. A record is held out or not by its place in the data and this key.'),
});

/** How records are split. */
export type Split = z.output<typeof splitSchema>;

/**
 * 1 for each held-out place. The records themselves play no part, so how many are held out is public, and
 * under replace-one a record that is replaced stays on its side.
 */
export function heldOutPlaces({ heldOut, key }: Split, rows: number): Uint8Array {
  const random = seededRandom(`split/${key}`);
  return Uint8Array.from({ length: rows }, () => (random.bits32() < heldOut * 2 ** 32 ? 1 : 0));
}
