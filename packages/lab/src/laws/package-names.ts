/** Packages whose parts have laws. */
export const packageNames = [
  'curator',
  'mechanisms',
  'losses',
  'accountants',
  'algorithms',
  'lower-bounds',
] as const;
/** One of {@link packageNames}. */
export type PackageName = (typeof packageNames)[number];
