/**
 * The bin of `x` among `(−∞, edges[0]], (edges[0], edges[1]], …, (edges[last], ∞]`, counted from 0.
 *
 * @param edges - Increasing.
 */
export function binOf(edges: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Edges of up to `count` bins of `values` with about equal content; a repeated value on an edge gets its own
 * bin, which may double the number of edges.
 */
export function quantileEdges(values: readonly number[], count: number): readonly number[] {
  const sorted = Float64Array.from(values).toSorted();
  const edges: number[] = [];
  const add = (edge: number): void => {
    if (edges.length === 0 || edge > edges[edges.length - 1]) edges.push(edge);
  };
  for (let i = 1; i < count; i++) {
    const at = Math.floor((i * sorted.length) / count);
    const value = sorted[at];
    if (value === edges[edges.length - 1] || value === undefined) continue;
    const first = binOf(sorted, value);
    if (first > 0 && (first < at || sorted[at + 1] === value)) add(sorted[first - 1]);
    add(value);
  }
  return edges;
}
