/** `⌊n/2^i⌋` for `i = 1, 2, …`, down to 1: records of phases; all records where there is one. */
export const halves = (slots: number): readonly number[] =>
  slots < 2
    ? [1]
    : Array.from({ length: Math.floor(Math.log2(slots)) }, (_, i) => Math.floor(slots / 2 ** (i + 1)));
