/**
 * The bin of `x` among `(−∞, edges[0]], (edges[0], edges[1]], …, (edges[last], ∞]`, counted from 0.
 *
 * @param edges - Increasing.
 */
export function binOf(edges: ArrayLike<number>, x: number): number {
  let low = 0, high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Edges that cut `values` into up to `count` bins of about equal content; fewer where values repeat. */
export function quantileEdges(values: readonly number[], count: number): readonly number[] {
  const sorted = Float64Array.from(values).toSorted();
  const edges: number[] = [];
  for (let i = 1; i < count; i++) {
    const edge = sorted[Math.floor(i * sorted.length / count)];
    if (edges.length === 0 || edge > edges[edges.length - 1]) edges.push(edge);
  }
  return edges;
}
