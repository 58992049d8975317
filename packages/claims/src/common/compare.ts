import { fails, type Finding, holds, type Violation } from '@lethe/laws';

/** Two numbers that should be one, and how far apart they may be, in units of the larger size of what they were summed from. */
export interface Compared { readonly what: string; readonly got: number; readonly want: number; readonly tolerance?: number; readonly size?: number }

/** What is wrong when `got` is not `want`, within 1e-12 of their size unless told otherwise. */
export function differs({ what, got, want, tolerance = 1e-12, size = 0 }: Compared): Violation | undefined {
  if (Math.abs(got - want) <= tolerance * Math.max(Math.abs(got), Math.abs(want), size)) return undefined;
  return { what: `${what} is ${got}, not ${want}`, measured: got, allowed: want };
}

/** What is wrong when `got` exceeds `most` by more than rounding. */
export function exceeds({ what, got, most, slack = 1e-12 }: { readonly what: string; readonly got: number; readonly most: number; readonly slack?: number }): Violation | undefined {
  return got <= most + slack * Math.abs(most) ? undefined : { what: `${what} is ${got}, more than ${most}`, measured: got, allowed: most };
}

/** The first of several violations. */
export function firstOf(violations: Iterable<Violation | undefined>): Violation | undefined {
  for (const violation of violations) if (violation !== undefined) return violation;
  return undefined;
}

/** A finding from cases tried one after the other, up to the first violation. */
export function tried<T>(cases: Iterable<T>, check: (one: T) => Violation | undefined): Finding {
  let samples = 0;
  for (const one of cases) {
    samples++;
    const violation = check(one);
    if (violation !== undefined) return fails(samples, { input: one, ...violation });
  }
  return holds(samples);
}

/** Findings one after the other, those not made yet up to the first failure; the samples of all of them. */
export function both(...parts: readonly (Finding | (() => Finding))[]): Finding {
  let samples = 0;
  for (const part of parts) {
    const finding = typeof part === 'function' ? part() : part;
    if (finding.verdict !== 'holds') return finding;
    samples += finding.samples;
  }
  return holds(samples);
}
