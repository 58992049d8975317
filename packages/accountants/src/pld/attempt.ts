import { isPart } from './split-distribution.js';
import { type Plan, type Tilings, tilingsOf } from './plan.js';
import { type ProductProfile, profileOf } from './product-profile.js';
import { type Cost, longest, transformWork } from './spectrum.js';

/** Points of all laws together, at most: what is as fine as that is answered wider than was asked. */
const mostPoints = 1 << 18;
/** Work that is done without looking for less, of laws and of parts of laws. */
const littleWork = 2e6;
const littleOfPart = 5e5;
/** Work for an answer that need not be narrow, and for one that may be wide. */
export const someWork = 2e7;
export const hardlyAny = 2e6;

/** A profile that makes the interval about `width` wide, on whichever grid takes less; `undefined` if that is more than is left. */
export function attempt(plan: Plan, width: number, budget: { left: number }): ProductProfile | undefined {
  const fine = tilingsOf(plan, width);
  if (fine === undefined || pointsOf(fine) > mostPoints) return undefined;
  let coarse: Tilings | undefined;
  const found = profileOf(plan, fine, ({ work, period }) => {
    if (work > (plan.factors.some(({ distribution }) => isPart(distribution)) ? littleOfPart : littleWork)) coarse = coarser(plan, width, fine.step, { work, period });
    return coarse === undefined && affords(budget, work);
  });
  return coarse === undefined || pointsOf(coarse) > mostPoints ? found : profileOf(plan, coarse, ({ work }) => affords(budget, work));
}

function affords(budget: { left: number }, work: number): boolean {
  if (!(work <= budget.left)) return false;
  budget.left -= work;
  return true;
}

/** Blocks as wide as may be, where a transform of these takes far less than a finer grid does. */
function coarser(plan: Plan, width: number, step: number, { work, period }: Cost): Tilings | undefined {
  const range = period * step * 1.02;
  return tilingsOf(plan, width, (widest) => {
    // A transform has room for a power of two, and a grid as fine as that costs no more.
    const points = 2 ** Math.min(Math.log2(longest), Math.ceil(Math.log2(range / widest)));
    return range / points > 1.5 * step && 2 * transformWork(points, plan.factors.length) < work ? range / points : undefined;
  });
}

const pointsOf = ({ tilings }: Tilings): number => tilings.reduce((sum, { nodes }) => sum + nodes.length, 0);
