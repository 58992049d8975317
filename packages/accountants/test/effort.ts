/** Number of inputs of a property: all at night, a part of them by day. */
export const inputs = (most: number): number =>
  process.env['LETHE_EFFORT'] === 'full' ? most : Math.ceil(0.4 * most);
