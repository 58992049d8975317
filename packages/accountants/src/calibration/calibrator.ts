import type { Accountant, EventKind } from '@lethe/core';
import { bestOf, bestWithWinner, firstOf } from '../accountant/best-of.js';
import { narrow, nextCandidate, type Bracket, type Rule } from './bracket.js';
import { directionOf } from './direction.js';
import { enclose, extend } from './enclose.js';
import { settingsOf, type Calibration, type CalibrationOptions } from './options.js';
import { nothingMeets, nothingToFind } from './refusal.js';
import { proberOf, type Asked, type Probe, type Prober } from './probe.js';

/** How precisely a quick accountant's answer is sought before the tightest one takes over. */
const coarse = 0.25;

/** How wide answers may be at first, and how near to the target these lead, as shares of it. */
const wideShare = 3e-3;

/** How near to its target δ is brought before ε is, as a share of it. */
const otherShare = 0.03;

/** How narrow answers need be in the end, as a share of the target: where they are, more work would tell no more. */
const least = 1e-5;

/** Values whose costs stay this far below the target, with values beside them above it, are beside a jump: while looking about, and in the end. */
const jump = { coarse: Math.log(0.9), fine: Math.log1p(-1e-3) };

/** What holds for all calibrations of one calibrator. */
export interface CalibratorOptions {
  /**
   * Looked at before each probe, and inside those that take long: what it throws ends the calibration. The search is synchronous, so that a
   * signal that is set by a later event of the same thread comes too late; one that looks at a clock, or at memory shared with another
   * thread, does not.
   */
  readonly signal?: { throwIfAborted(): void };
}

/**
 * Makes the calibration that plans are given: the least private value whose certified upper bound meets the target.
 *
 * What it returns has been checked to meet the target, whether or not the cost really is monotone. A value that `make` or
 * the accountants reject counts as one that does not meet it, so that rates stay below 1. The first accountant that can answer
 * finds where to look; the one that is tightest there is asked from then on, about δ at the target's ε first where it knows that from both sides; all of them are asked about the value that is
 * returned, unless its cost is known from both sides. Where the cost jumps, all of them are asked beyond the jump: it may be one accountant's alone. So `accountants` best begin with quick ones.
 *
 * The calibration throws `InvalidParameter` for a bad request, and `Unsupported` when no value that was tried meets the target,
 * when the cost does not depend on the value or runs against the direction that was given, or when no accountant can account for the events.
 *
 * @param kinds - Event kinds beyond core's.
 * @param options - A signal that ends a calibration.
 */
export function calibrator(accountants: readonly Accountant[], kinds: readonly EventKind[] = [], { signal }: CalibratorOptions = {}): (options: CalibrationOptions) => Calibration {
  const best = bestOf(accountants, kinds);
  return (options) => {
    const settings = settingsOf(options);
    const prober = proberOf(settings, signal);
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
      const all = bestWithWinner(accountants, kinds);
      const tight: Tight = { ...asWideAs(all, wideShare * settings.epsilon), winner: all.winner };
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
      return onward(here, winner, slopeOf(rough.met, rough.unmet));
    }

    /** From the other side of a jump on, where somebody meets the target there. */
    function beyond({ met, unmet }: Bracket, tight: Tight, far: number): Bracket | undefined {
      if (unmet?.achieved === undefined || met.excess > Math.min(far, -openness(met)) || accountants.length === 1 || prober.left() <= 0) return undefined;
      const asked = prober.used();
      const across = prober.probe(unmet.value, tight);
      return across.met && prober.used() > asked ? onward(across, bestOf([tight.winner()!], kinds), 1) : undefined;
    }

    /** With wide answers first, which are quick, and as precisely as can be from where these lead. */
    function onward(from: Probe, winner: Asked, slope: number): Bracket {
      const along = (accountant: Asked, start: Probe, steepness: number, rule: Rule): Bracket =>
        continued(prober, accountant, extend((value) => prober.probe(value, accountant), start, steepness, rule, walk), rule)!;
      const quickly = asWideAs(winner, wideShare * settings.epsilon);
      const fine = asWideAs(winner, least * settings.epsilon);
      const wide = byOther(from, quickly) ?? along(quickly, from, slope, { integer, tolerance: integer ? 0 : wideShare, gap: wideShare });
      const here = prober.left() > 0 ? prober.probe(wide.met.value, fine) : from;
      if (!here.met) return along(fine, from, slope, precise);
      const chord = slopeOf(from, here);
      return along(fine, here, chord < 0 === (direction === 'larger-is-private') && Number.isFinite(chord) ? chord : slope, precise);
    }

    /**
     * By δ at the target's ε instead of ε at its δ: beside the target its logarithm is nearly a straight line where ε soon is 0 or infinite,
     * and it is quicker to bound.
     */
    function byOther(from: Probe, winner: Asked): Bracket | undefined {
      const { by, epsilon, delta } = settings;
      if (by !== 'epsilon' || integer || !(epsilon > 0 && delta > 0 && delta < 1 && from.achieved!.upper > 0) || prober.left() <= 0) return undefined;
      const probe = (value: number): Probe => prober.probeOther(value, winner);
      const start = probe(from.value);
      const rule: Rule = { integer, tolerance: wideShare, gap: otherShare };
      // As steep as that of Gaussian noise.
      // An end of δ that is 0 tells that it may be far from what ε says.
      return start.met && start.achieved!.lower > 0 ? continued({ ...prober, probe }, winner, extend(probe, start, 2 * Math.log(delta), rule, walk), rule) : undefined;
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

/** What a two-sided answer leaves open, as a share of it, up to a twentieth: costs that jump by less may be rough, and no more. */
const openness = ({ achieved }: Probe): number => (achieved !== undefined && achieved.lower > 0 ? Math.min(0.05, (achieved.upper - achieved.lower) / achieved.upper) : 0);

/** How the logarithm of the cost grows with that of the value. */
const slopeOf = (met: Probe, unmet: Probe): number => (unmet.excess - met.excess) / Math.log(unmet.value / met.value);

/** An accountant whose answers may be `width` wide in ε. */
function asWideAs(accountant: Asked, width: number): Asked {
  if (!(width > 0 && width < Infinity)) return accountant;
  return { epsilon: (event, query) => accountant.epsilon(event, { ...query, width }), delta: (event, query) => accountant.delta(event, { ...query, width }) };
}

type Tight = ReturnType<typeof bestWithWinner>;

/** Known from both sides to a few percent: others would have little to add. */
const isTight = ({ achieved }: Probe): boolean => achieved !== undefined && achieved.lower > 0 && achieved.upper - achieved.lower <= 0.03 * achieved.upper;

/** Narrows a bracket until it is tight or the probes are used up. */
function continued(prober: Pick<Prober, 'probe' | 'left'>, accountant: Asked, bracket: Bracket | undefined, rule: Rule): Bracket | undefined {
  let now = bracket;
  let tries = 0;
  while (now !== undefined && prober.left() > 0) {
    const candidate = nextCandidate(now, { ...rule, tries });
    if (candidate === undefined) break;
    tries++;
    now = narrow(now, prober.probe(candidate, accountant));
  }
  return now;
}
