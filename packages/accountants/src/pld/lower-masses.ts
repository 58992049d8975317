import { timesExp } from './tilted-mass.js';

/**
 * Puts masses on nodes, in groups of outcomes whose likelihood ratio is at least `e^loss` of their node.
 *
 * A cell is half of a block: `p[2i + 1]` is above the node `i`, `p[2i + 2]` below the node `i + 1`. Going
 * upwards, the mass below a node is merged with as much of the mass above it as gives the pair the ratio of
 * the node. If the mass above does not balance it, the remainder moves down to the previous node. Where the
 * density grows, the mass above more than balances it. Any of that left over needs three times as much at the
 * next node, so the amount left over is limited to what makes all nodes equal; otherwise every second node
 * would be empty.
 *
 * @param slack - Relative error of a ratio that is ignored.
 */
export function lowerMasses(
  p: Float64Array,
  q: Float64Array,
  losses: Float64Array,
  slack: number,
): Float64Array {
  const n = losses.length;
  const out = new Float64Array(n);
  let pendingP = 0;
  let pendingQ = 0;
  for (let i = 0; i < n; i += 1) {
    const loss = losses[i];
    const aboveP = p[2 * i + 1];
    const aboveQ = q[2 * i + 1];
    const farP = i + 1 < n ? p[2 * i + 2] : 0;
    const farQ = i + 1 < n ? q[2 * i + 2] : 0;
    // Where Q underflows, the only lower bound on the ratio comes from the cell: the ratio of the node below
    // it.
    const gain = aboveQ === 0 ? 0 : aboveP - timesExp(aboveQ, loss);
    const farGain = farQ === 0 ? 0 : farP - timesExp(farQ, loss);
    const lack = Math.max(0, timesExp(pendingQ, loss) - pendingP - slack * pendingP);
    let takePending = 1;
    let takeAbove = 1;
    let takeFar = farQ === 0 ? 1 : 0;
    if (gain > lack && gain > slack * aboveP) {
      const below = i === 0 ? 0 : timesExp(q[2 * i], loss) - p[2 * i];
      const burden = i + 1 < n ? timesExp(aboveQ, losses[i + 1]) - aboveP : Infinity;
      takeAbove = Math.max(lack / gain, 1 - Math.max(0, gain - below) / (gain + burden));
    } else if (lack > Math.max(0, gain)) {
      const missing = lack - Math.max(0, gain);
      if (farGain >= missing) takeFar = missing / farGain;
      else takePending = Math.max(0, gain) / lack;
    }
    out[i] += takePending * pendingP + takeAbove * aboveP + takeFar * farP;
    if (i > 0) out[i - 1] += (1 - takePending) * pendingP;
    pendingP = (1 - takeAbove) * aboveP + (1 - takeFar) * farP;
    pendingQ = (1 - takeAbove) * aboveQ + (1 - takeFar) * farQ;
  }
  return out;
}
