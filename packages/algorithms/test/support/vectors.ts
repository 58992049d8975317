/** Sum of products. */
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, entry, j) => sum + entry * b[j], 0);
export const norm = (a: ArrayLike<number>): number => Math.sqrt(dot(a, a));

/** The nearest point of the centred ball, by the textbook formula. */
export function ontoBall(v: readonly number[], radius: number): number[] {
  const size = norm(v);
  return size <= radius ? [...v] : v.map((entry) => (entry * radius) / size);
}
