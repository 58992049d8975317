import { isPart } from './split-distribution.js';
import { type Plan, type Tilings, tilingsOf } from './plan.js';
import { type ProductProfile, profileOf } from './product-profile.js';
import { type Cost, longest, transformWork } from './spectrum.js';

/** Maximum total number of points; finer requests get a wider answer. */
const mostPoints = 1 << 18;
/** Work below which no coarser grid is tried, for whole distributions and for parts. */
const littleWork = 2e6;
const littleOfPart = 5e5;
/** Work limits for answers with a sufficient width, small and large. */
export const someWork = 2e7;
export const littleWorkForWide = 2e6;

/**
 * A profile for an interval of about `width`, on the cheaper grid; `undefined` if it exceeds the remaining
 * budget.
 */
export function attempt(plan: Plan, width: number, budget: { left: number }): ProductProfile | undefined {
  const fine = tilingsOf(plan, width);
  if (fine === undefined || pointsOf(fine) > mostPoints) return undefined;
  let coarse: Tilings | undefined;
  const found = profileOf(plan, fine, ({ work, period }) => {
    if (work > (plan.factors.some(({ distribution }) => isPart(distribution)) ? littleOfPart : littleWork))
      coarse = coarser(plan, width, fine.step, { work, period });
    return coarse === undefined && affords(budget, work);
  });
  return coarse === undefined || pointsOf(coarse) > mostPoints
    ? found
    : profileOf(plan, coarse, ({ work }) => affords(budget, work));
}

function affords(budget: { left: number }, work: number): boolean {
  if (!(work <= budget.left)) return false;
  budget.left -= work;
  return true;
}

/** Tilings with the widest allowed blocks, if a transform of these is far cheaper than a finer grid. */
function coarser(plan: Plan, width: number, step: number, { work, period }: Cost): Tilings | undefined {
  const range = period * step * 1.02;
  return tilingsOf(plan, width, (widest) => {
    // The length of a transform is a power of two, so the grid may be as fine as that at no cost.
    const points = 2 ** Math.min(Math.log2(longest), Math.ceil(Math.log2(range / widest)));
    return range / points > 1.5 * step && 2 * transformWork(points, plan.factors.length) < work
      ? range / points
      : undefined;
  });
}

const pointsOf = ({ tilings }: Tilings): number => tilings.reduce((sum, { nodes }) => sum + nodes.length, 0);
