/**
 * Number of steps summed in node `row` (0-based) of a binary tree: its last `lowest` steps, a power of two.
 */
export const widthOf = (row: number): number => (row + 1) & -(row + 1);

/** Nodes whose sum is that of steps 0 to `step`. */
export const nodesOf = (step: number): readonly number[] => {
  const nodes: number[] = [];
  for (let end = step + 1; end > 0; end -= widthOf(end - 1)) nodes.push(end - 1);
  return nodes;
};
