import type { AccountingContext } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { narrow, nextCandidate, type Bracket, type Rule } from './bracket.js';
import { directionOf } from './direction.js';
import { enclose } from './enclose.js';
import {
  settingsOf,
  type Calibration,
  type CalibrationOptions,
  type Direction,
  type Settings,
} from './options.js';
import { proberOf, type Asked, type Probe, type Prober } from './probe.js';
import { nothingMeets, nothingToFind } from './refusal.js';

/** Relative tolerance of the search with a fast accountant, before the tightest accountant takes over. */
const coarse = 0.25;

/** What is known of a search once its direction is. */
export interface Search {
  readonly prober: Prober;
  readonly settings: Settings;
  readonly direction: Direction;
  /** How accurate the result is to be. */
  readonly precise: Rule;
}

/** What follows the search by a fast accountant. */
export interface Refinement {
  /** Narrows a coarse bracket to the result. */
  refined(start: Bracket): Bracket;
  /** The value of the result as all accountants price it, or one that is a little more private. */
  checked(met: Probe): Probe;
}

/** Who prices the values of a search. */
export interface Pricing {
  /** Finds the region. */
  readonly quick: Asked;
  /** All accountants. */
  readonly best: Asked;
  refinement(search: Search): Refinement;
}

/** One calibration: the search that all calibrators share. */
export function calibrate(
  options: CalibrationOptions,
  signal: AccountingContext['signal'],
  { quick, best, refinement }: Pricing,
): Calibration {
  const settings = settingsOf(options);
  const prober = proberOf(settings, signal);
  const { integer, gap, ends, bounded } = settings;
  const direction =
    settings.direction ??
    directionOf((value) => prober.probe(value, quick), { ...settings, left: prober.left });
  const walk = { ...settings, direction, left: prober.left };
  const precise: Rule = { integer, tolerance: integer ? 0 : settings.tolerance, gap };
  const { refined, checked } = refinement({ prober, settings, direction, precise });

  const near = enclose((value) => prober.probe(value, quick), walk);
  if (near?.unmet?.achieved === undefined && near !== undefined) {
    const objection = nothingToFind(prober, quick, settings);
    if (objection !== undefined) throw objection;
  }
  // If no accountant answered, all were tried.
  let found: Bracket | undefined;
  if (near === undefined) {
    if (prober.refusal() === undefined) found = continued(prober, best, slowly(), precise);
    else found = undefined;
  } else found = refined(defined(continued(prober, quick, near, { integer, tolerance: coarse, gap: 0 })));

  if (found === undefined)
    throw prober.refusal() ?? nothingMeets(prober, { quick, best }, settings, direction);
  const shorter = rounded(found).met;
  const last = checked(shorter);
  return {
    value: last.value,
    achieved: last.met ? defined(last.achieved) : defined(shorter.achieved),
    direction,
    probes: prober.used(),
  };

  /**
   * Search with all accountants, after a check of the most private end: if it does not meet the target,
   * stop.
   */
  function slowly(): Bracket | undefined {
    if ((bounded || (integer && direction === 'smaller-is-private')) && prober.left() > 0) {
      const end = prober.probe(direction === 'larger-is-private' ? ends[1] : ends[0], best);
      if (!end.met && end.achieved !== undefined && end.achieved.upper < Infinity) return undefined;
    }
    return enclose((value) => prober.probe(value, best), walk);
  }

  /**
   * Near refused values (rates above 1) or infinite costs, the limit is often a short decimal: tries that.
   */
  function rounded(bracket: Bracket): Bracket {
    const { met, unmet } = bracket;
    const short = Number(met.value.toPrecision(8));
    if (
      unmet?.excess !== Infinity ||
      integer ||
      prober.left() <= 0 ||
      (short - met.value) * (unmet.value - short) <= 0
    )
      return bracket;
    const probe = prober.probe(short, best);
    return probe.met ? { ...bracket, met: probe } : bracket;
  }
}

/** Narrows a bracket until it is tight or no probes are left. */
export function continued(
  prober: Pick<Prober, 'probe' | 'left'>,
  accountant: Asked,
  bracket: Bracket | undefined,
  rule: Rule,
): Bracket | undefined {
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
