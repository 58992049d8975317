import type { Accountant, EventKind } from '@lethe/core';
import { bestOf, bestWithWinner, firstOf } from './best-of.js';
import { narrow, nextCandidate, type Bracket, type Rule } from './calibration/bracket.js';
import { directionOf } from './calibration/direction.js';
import { enclose, extend } from './calibration/enclose.js';
import { settingsOf, type Calibration, type CalibrationOptions } from './calibration/options.js';
import { nothingMeets, nothingToFind } from './calibration/refusal.js';
import { proberOf, type Asked, type Probe, type Prober } from './calibration/probe.js';

/** How precisely a quick accountant's answer is sought before the tightest one takes over. */
const coarse = 1e-2;

/** Values whose costs stay this far below the target, with values beside them above it, are beside a jump: while looking about, and in the end. */
const jump = { coarse: Math.log(0.9), fine: Math.log1p(-1e-3) };

/**
 * Makes the calibration that plans are given: the least private value whose certified upper bound meets the target.
 *
 * What it returns has been checked to meet the target, whether or not the cost really is monotone. A value that `make` or
 * the accountants reject counts as one that does not meet it, so that rates stay below 1. The first accountant that can answer
 * finds where to look; the one that is tightest there is asked from then on; all of them are asked about the value that is
 * returned, unless its cost is known from both sides. Where the cost jumps, all of them are asked beyond the jump: it may be one accountant's alone. So `accountants` best begin with quick ones.
 *
 * The calibration throws `InvalidParameter` for a bad request, and `Unsupported` when no value that was tried meets the target,
 * when the cost does not depend on the value or runs against the direction that was given, or when no accountant can account for the events.
 *
 * @param kinds - Event kinds beyond core's.
 */
export function calibrator(accountants: readonly Accountant[], kinds: readonly EventKind[] = []): (options: CalibrationOptions) => Calibration {
  const best = bestOf(accountants, kinds);
  return (options) => {
    const settings = settingsOf(options);
    const prober = proberOf(settings);
    const { integer, gap, ends, bounded } = settings;
    const quick = accountants.length === 1 ? best : firstOf(accountants, kinds);
    const direction = settings.direction ?? directionOf((value) => prober.probe(value, quick), { ...settings, left: prober.left });
    const walk = { ...settings, direction, left: prober.left };
    const precise: Rule = { integer, tolerance: integer ? 0 : settings.tolerance, gap };

    const near = enclose((value) => prober.probe(value, quick), walk);
    if (near?.unmet?.achieved === undefined && near !== undefined) {
      const objection = nothingToFind(prober, quick, settings);
      if (objection !== undefined) throw objection;
    }
    // Where nobody answered at all, all were asked.
    const found = near === undefined ? (prober.refusal() === undefined ? continued(prober, best, slowly(), precise) : undefined)
      : refined(continued(prober, quick, near, { integer, tolerance: coarse, gap: 0 })!);

    if (found === undefined) throw prober.refusal() ?? nothingMeets(prober, { quick, best }, settings, direction);
    const shorter = rounded(found).met;
    const last = isTight(shorter) ? shorter : prober.probe(shorter.value, best);
    return { value: last.value, achieved: last.met ? last.achieved! : shorter.achieved!, direction, probes: prober.used() };

    /** All accountants together, after a look at the private end: where that costs too much, so does everything. */
    function slowly(): Bracket | undefined {
      if ((bounded || (integer && direction === 'smaller-is-private')) && prober.left() > 0) {
        const end = prober.probe(direction === 'larger-is-private' ? ends[1] : ends[0], best);
        if (!end.met && end.achieved !== undefined && end.achieved.upper < Infinity) return undefined;
      }
      return enclose((value) => prober.probe(value, best), walk);
    }

    function refined(rough: Bracket): Bracket {
      if (prober.left() <= 0) return rough;
      const tight = bestWithWinner(accountants, kinds);
      let now = beyond(rough, tight, jump.coarse) ?? closer(rough, tight);
      for (let again = 0; again < 3; again++) {
        const next = beyond(now, tight, jump.fine);
        if (next === undefined) break;
        now = next;
      }
      return now;
    }

    /** From the value that meets the target on. */
    function closer(rough: Bracket, tight: Tight): Bracket {
      const here = accountants.length === 1 ? rough.met : prober.probe(rough.met.value, tight);
      // Whoever found the way is the tightest too, or there is no other side.
      if (!here.met || here.achieved!.upper === rough.met.achieved!.upper) return continued(prober, quick, rough, precise)!;
      const winner = bestOf([tight.winner()!], kinds);
      if (rough.unmet === undefined) return continued(prober, winner, rough, precise)!;
      const slope = (rough.unmet.excess - rough.met.excess) / Math.log(rough.unmet.value / rough.met.value);
      return onward(here, winner, slope);
    }

    /** From the other side of a jump on, where somebody meets the target there. */
    function beyond({ met, unmet }: Bracket, tight: Tight, far: number): Bracket | undefined {
      if (unmet?.achieved === undefined || met.excess > far || accountants.length === 1 || prober.left() <= 0) return undefined;
      const asked = prober.used();
      const across = prober.probe(unmet.value, tight);
      return across.met && prober.used() > asked ? onward(across, bestOf([tight.winner()!], kinds), 1) : undefined;
    }

    function onward(from: Probe, winner: Asked, slope: number): Bracket {
      return continued(prober, winner, extend((value) => prober.probe(value, winner), from, slope, precise, walk), precise)!;
    }

    /** Beside values that are refused, such as rates above 1, or that cost infinitely much, the last other one is often a short number. */
    function rounded(bracket: Bracket): Bracket {
      const { met, unmet } = bracket;
      const short = Number(met.value.toPrecision(8));
      if (unmet?.excess !== Infinity || integer || prober.left() <= 0 || (short - met.value) * (unmet.value - short) <= 0) return bracket;
      const probe = prober.probe(short, best);
      return probe.met ? { ...bracket, met: probe } : bracket;
    }
  };
}

type Tight = ReturnType<typeof bestWithWinner>;

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
