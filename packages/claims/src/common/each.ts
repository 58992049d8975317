/** What `of` makes of 0 to `count` − 1. */
export const each = <T>(count: number, of: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => of(i));
