import { z } from 'zod';

/** One number per coordinate. */
export const coordinates = z.array(z.number()).min(1);
/** A ball by radius (positive, in the unit of the coordinates) and centre (the origin unless given). */
export const ballParams = z.strictObject({ radius: z.number().positive(), centre: coordinates.optional() });
