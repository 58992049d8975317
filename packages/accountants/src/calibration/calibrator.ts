import type { Accountant, EventKind } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { bestAnswers, bestWithWinner, firstOf, isAskedLate } from '../accountant/best-of.js';
import type { TimeOptions } from '../accountant/time-limit.js';
import { decidingShare } from '../pld/asked.js';
import type { Bracket, Rule } from './bracket.js';
import { extend } from './enclose.js';
import type { Calibration, CalibrationOptions } from './options.js';
import type { Asked, Probe } from './probe.js';
import { calibrate, continued, type Refinement, type Search } from './search.js';
import { settle } from './settle.js';

/** Width of answers, and gap to the target, in the first phase, relative to the target. */
const wideShare = 3e-3;

/** Relative gap to the target in the search by δ, before the search by ε. */
const otherShare = 0.03;

/**
 * Log-gap below the target that indicates a jump of the cost, in the coarse search and in the final one: the
 * neighbouring value is above the target.
 */
const jump = { coarse: Math.log(0.9), fine: Math.log1p(-1e-3) };

/** Log-gap below the target from which costs are too steep to be followed by their slopes. */
const steep = Math.log(0.1);

/** Log-gap above the target of a narrow answer that another accountant corrects. */
const beside = 1e-3;

/** The largest step to a value that all accountants show to be private, in units of that gap. */
const mostStep = 16;

/** Options for all calibrations of one calibrator. */
export interface CalibratorOptions {
  /** The time for each question to accountants: answers that it cuts short are wider, and still certified. */
  readonly time?: TimeOptions;
  /**
   * Checked before each probe and inside long ones; an error that it throws ends the calibration. The search
   * is synchronous, so a signal set by a later event of the same thread is never seen. A signal that reads a
   * clock, or memory shared with another thread, works.
   */
  readonly signal?: { throwIfAborted(): void };
}

/**
 * Makes a calibration function for plans. It returns the least private value whose certified upper bound
 * meets the target.
 *
 * The returned value has been checked against the target, also when the cost is not monotone. A value that
 * `make` or the accountants reject counts as not meeting the target; this keeps rates below 1. The first
 * accountant that can answer finds the region. The tightest accountant there continues, first with δ at the
 * target's ε if it bounds that from both sides. All accountants price the returned value, unless its cost is
 * known from both sides. At a jump of the cost, all accountants price the other side, since the jump may
 * belong to one accountant. List fast accountants first.
 *
 * The calibration throws `InvalidParameter` for an invalid request, and `Unsupported` when no tried value
 * meets the target, when the cost does not depend on the value or moves against the given direction, or when
 * no accountant supports the events.
 *
 * @param kinds - Event kinds beyond core's.
 * @param options - A signal that cancels a calibration, and the time for each of its questions.
 */
export function calibrator(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[] = [],
  { signal, time }: CalibratorOptions = {},
): (options: CalibrationOptions) => Calibration {
  const best = bestAnswers(accountants, kinds, time);
  return (options) => {
    const answering = firstOf(accountants, kinds, time);
    const quick = accountants.length === 1 ? best : answering;
    return calibrate(options, signal, { quick, best, refinement });

    /** What accountants together add to the search. */
    function refinement({ prober, settings, direction, precise }: Search): Refinement {
      const { integer, ends } = settings;
      const walk = { ...settings, direction, left: prober.left };
      /** Whether δ is known from both sides where the search by δ begins. */
      let twoSided = true;
      return { refined, checked };

      /**
       * The value priced by all accountants. A narrow answer is priced again only where another accountant is
       * asked before the one that gave it, and may end just above the target: then the value becomes a little
       * more private.
       */
      function checked(met: Probe): Probe {
        if (!isTight(met)) return prober.probe(met.value, best);
        const winner = accountants.find(({ name }) => defined(met.achieved).method.startsWith(name));
        if (integer || winner === undefined || !isAskedLate(accountants, winner)) return met;
        const sign = direction === 'larger-is-private' ? 1 : -1;
        let now = prober.probe(met.value, best);
        for (let step = 2; !now.met && step <= mostStep; step *= 2) {
          const value = now.value * Math.exp(sign * step * now.excess);
          if (!(now.excess < beside && value >= ends[0] && value <= ends[1]) || prober.left() <= 0) break;
          now = prober.probe(value, best);
        }
        return now.met ? now : met;
      }

      function refined(start: Bracket): Bracket {
        if (prober.left() <= 0) return start;
        const all = bestWithWinner(accountants, kinds, time);
        const { epsilon } = settings;
        const tight: Tight = { ...asWideAs(all, wideShare * epsilon, epsilon), winner: all.winner };
        const settled = byBoth(start, tight);
        if (settled !== undefined) return { ...start, met: settled, unmet: undefined };
        let now = beyond(start, tight, jump.coarse) ?? closer(start, tight);
        for (let again = 0; again < 3; again++) {
          const next = beyond(now, tight, jump.fine);
          if (next === undefined) break;
          now = next;
        }
        return now;
      }

      /** Refines from the value that meets the target. */
      function closer(start: Bracket, tight: Tight): Bracket {
        const here = accountants.length === 1 ? start.met : prober.probe(start.met.value, tight);
        // The fast accountant is also the tightest, or the value does not meet the target.
        if (!here.met || defined(here.achieved).upper === defined(start.met.achieved).upper)
          return defined(continued(prober, quick, start, precise));
        const winner = bestAnswers([defined(tight.winner())], kinds, time);
        if (start.unmet === undefined) return defined(continued(prober, winner, start, precise));
        return onward(here, winner, slopeOf(start.met, start.unmet));
      }

      /** Continues on the other side of a jump, if some accountant meets the target there. */
      function beyond({ met, unmet }: Bracket, tight: Tight, far: number): Bracket | undefined {
        if (
          unmet?.achieved === undefined ||
          met.excess > Math.min(far, -openness(met)) ||
          accountants.length === 1 ||
          prober.left() <= 0
        )
          return undefined;
        const usedBefore = prober.used();
        const across = prober.probe(unmet.value, tight);
        return across.met && prober.used() > usedBefore
          ? onward(across, bestAnswers([defined(tight.winner())], kinds, time), 1)
          : undefined;
      }

      /** Searches with wide, fast answers first, and then at full precision from there. */
      function onward(from: Probe, winner: Asked, slope: number): Bracket {
        const along = (accountant: Asked, start: Probe, steepness: number, rule: Rule): Bracket =>
          defined(
            continued(
              prober,
              accountant,
              extend((value) => prober.probe(value, accountant), start, steepness, rule, walk),
              rule,
            ),
          );
        const quickly = asWideAs(winner, wideShare * settings.epsilon);
        const fine = asWideAs(winner, decidingShare * settings.epsilon, settings.epsilon);
        const wide =
          byOther(from, quickly) ??
          along(quickly, from, slope, { integer, tolerance: integer ? 0 : wideShare, gap: wideShare });
        const here = prober.left() > 0 ? prober.probe(wide.met.value, fine) : from;
        if (!here.met) return along(fine, from, slope, precise);
        const chord = slopeOf(from, here);
        return along(
          fine,
          here,
          chord < 0 === (direction === 'larger-is-private') && Number.isFinite(chord) ? chord : slope,
          precise,
        );
      }

      /**
       * Searches by δ at the target's ε instead of ε at the target's δ. Near the target log δ is nearly
       * linear, where ε may be 0 or infinite, and δ is faster to bound.
       */
      function byOther(from: Probe, winner: Asked): Bracket | undefined {
        const { by, epsilon, delta } = settings;
        if (
          by !== 'epsilon' ||
          integer ||
          !twoSided ||
          !(epsilon > 0 && delta > 0 && delta < 1 && defined(from.achieved).upper > 0) ||
          prober.left() <= 0
        )
          return undefined;
        const probe = (value: number): Probe => prober.probeOther(value, winner);
        const start = probe(from.value);
        const rule: Rule = { integer, tolerance: wideShare, gap: otherShare };
        // The initial slope is that of Gaussian noise. A lower end of 0 for δ means that δ may be far from
        // the search by ε.
        return start.met && defined(start.achieved).lower > 0
          ? continued(
              { ...prober, probe },
              winner,
              extend(probe, start, 2 * Math.log(delta), rule, walk),
              rule,
            )
          : undefined;
      }

      /**
       * Searches by δ at the target's ε with wide answers, which are fast, and reads ε from what they
       * compose. So the slope of ε is known before the first narrow answer, and the second is often the last.
       * `undefined` if the target is not met so; other searches are more patient.
       */
      function byBoth(start: Bracket, tight: Tight): Probe | undefined {
        const { by, epsilon, delta } = settings;
        if (by !== 'epsilon' || integer || accountants.length === 1) return undefined;
        if (!(epsilon > 0 && epsilon < Infinity && delta > 0 && delta < 1)) return undefined;
        if (!(start.met.excess > steep)) return undefined;
        const priced = (probe: Probe | undefined): Probe | undefined =>
          probe?.achieved === undefined || prober.left() <= 0
            ? undefined
            : prober.probeOther(probe.value, tight);
        const across = start.met.excess <= jump.coarse ? priced(start.unmet) : undefined;
        const first = across?.met ? across : priced(start.met);
        twoSided = first === undefined || defined(first.achieved).lower > 0;
        const winner = tight.winner();
        if (!first?.met || winner === undefined || winner === answering.winner()) return undefined;
        return settle(
          {
            wide: asWideAs(bestAnswers([winner], kinds, time), wideShare * epsilon, epsilon),
            fine: asWideAs(bestAnswers([winner], kinds, time), decidingShare * epsilon, epsilon),
          },
          { ...first, by: tight },
          prober,
          { ...settings, direction },
        );
      }
    }
  };
}

/**
 * Relative width of a two-sided answer, at most 0.05. A smaller step of the cost may be imprecision, not a
 * jump.
 */
const openness = ({ achieved }: Probe): number =>
  achieved !== undefined && achieved.lower > 0
    ? Math.min(0.05, (achieved.upper - achieved.lower) / achieved.upper)
    : 0;

/** Slope of log cost against log value. */
const slopeOf = (met: Probe, unmet: Probe): number =>
  (unmet.excess - met.excess) / Math.log(unmet.value / met.value);

/** The accountant with the query option `width`, in ε, and with `near`. */
function asWideAs(accountant: Asked, width: number, near?: number): Asked {
  if (!(width > 0 && width < Infinity)) return accountant;
  const expected = near !== undefined && near > 0 && near < Infinity ? { near } : {};
  return {
    epsilon: (event, query) => accountant.epsilon(event, { ...query, width, ...expected }),
    delta: (event, query) => accountant.delta(event, { ...query, width }),
  };
}

type Tight = ReturnType<typeof bestWithWinner>;

/** Whether both sides agree within 3 %, so that other accountants would gain little. */
const isTight = ({ achieved }: Probe): boolean =>
  achieved !== undefined && achieved.lower > 0 && achieved.upper - achieved.lower <= 0.03 * achieved.upper;
