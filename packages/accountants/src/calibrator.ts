import { type Accountant, type EventKind, Unsupported } from '@lethe/core';
import { bestOf, bestWithWinner, firstOf } from './best-of.js';
import { narrow, nextCandidate, type Bracket, type Rule } from './calibration/bracket.js';
import { directionOf } from './calibration/direction.js';
import { enclose, extend } from './calibration/enclose.js';
import { settingsOf, type Calibration, type CalibrationOptions } from './calibration/options.js';
import { proberOf, type Asked, type Probe, type Prober } from './calibration/probe.js';

/** How precisely a quick accountant's answer is sought before the tightest one takes over. */
const coarse = 1e-2;

/**
 * Makes the calibration that plans are given: the least private value whose certified upper bound meets the target.
 *
 * What it returns has been checked to meet the target, whether or not the cost really is monotone. A value that `make` or
 * the accountants reject counts as one that does not meet it, so that rates stay below 1. The first accountant that can answer
 * finds where to look; the one that is tightest there is asked from then on; all of them are asked about the value that is
 * returned, unless its cost is known from both sides. So `accountants` best begin with quick ones.
 *
 * The calibration throws `InvalidParameter` for a bad request, and `Unsupported` when no value that was tried meets the target
 * or when no accountant can account for the events.
 *
 * @param kinds - Event kinds beyond core's.
 */
export function calibrator(accountants: readonly Accountant[], kinds: readonly EventKind[] = []): (options: CalibrationOptions) => Calibration {
  const best = bestOf(accountants, kinds);
  return (options) => {
    const settings = settingsOf(options);
    const prober = proberOf(settings);
    const { epsilon, delta, adjacency, integer, gap } = settings;
    const quick = firstOf(accountants, kinds);
    const direction = settings.direction ?? directionOf((value) => prober.probe(value, quick), { ...settings, left: prober.left });
    const walk = { ...settings, direction, left: prober.left };
    const precise: Rule = { integer, tolerance: integer ? 0 : settings.tolerance, gap };

    const near = enclose((value) => prober.probe(value, quick), walk);
    // Where nobody answered at all, all were asked.
    const found = near === undefined
      ? continued(prober, best, prober.refusal() === undefined ? enclose((value) => prober.probe(value, best), walk) : undefined, precise)
      : refined(continued(prober, quick, near, { integer, tolerance: coarse, gap: 0 })!);

    if (found === undefined) {
      throw prober.refusal() ?? new Unsupported(`no value of the free number meets ε = ${epsilon} at δ = ${delta}, of the ${prober.used()} that were tried; raise ε or δ, or change what is fixed or where to search`, { epsilon, delta, adjacency, direction });
    }
    const last = isTight(found.met) ? found.met : prober.probe(found.met.value, best);
    return { value: last.value, achieved: last.met ? last.achieved! : found.met.achieved!, direction, probes: prober.used() };

    function refined(rough: Bracket): Bracket | undefined {
      if (prober.left() <= 0) return rough;
      const tight = bestWithWinner(accountants, kinds);
      const here = prober.probe(rough.met.value, tight);
      if (!here.met) return continued(prober, quick, rough, precise);
      const winner = bestOf([tight.winner()!], kinds);
      // Whoever found the way is the tightest too, or there is no other side.
      if (rough.unmet === undefined || here.achieved!.upper === rough.met.achieved!.upper) return continued(prober, winner, rough, precise);
      const slope = (rough.unmet.excess - rough.met.excess) / Math.log(rough.unmet.value / rough.met.value);
      return continued(prober, winner, extend((value) => prober.probe(value, winner), here, slope, precise, walk), precise);
    }
  };
}

/** Known from both sides to a percent: others would have little to add. */
const isTight = ({ achieved }: Probe): boolean => achieved !== undefined && achieved.lower > 0 && achieved.upper - achieved.lower <= 0.01 * achieved.upper;

/** Narrows a bracket until it is tight or the probes are used up. */
function continued(prober: Prober, accountant: Asked, bracket: Bracket | undefined, rule: Rule): Bracket | undefined {
  let now = bracket;
  while (now !== undefined && prober.left() > 0) {
    const candidate = nextCandidate(now, rule);
    if (candidate === undefined) break;
    now = narrow(now, prober.probe(candidate, accountant));
  }
  return now;
}
