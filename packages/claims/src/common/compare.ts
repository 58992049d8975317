import { fails, type Finding, holds, type Violation } from '@lethe/laws';

/** Two numbers that should be equal, with a tolerance relative to the larger of them and of `size`. */
export interface Compared {
  readonly what: string;
  readonly got: number;
  readonly want: number;
  readonly tolerance?: number;
  readonly size?: number;
}

/** Violation if `got` differs from `want` by more than the relative tolerance, by default 1e-12. */
export function differs({ what, got, want, tolerance = 1e-12, size = 0 }: Compared): Violation | undefined {
  if (Math.abs(got - want) <= tolerance * Math.max(Math.abs(got), Math.abs(want), size)) return undefined;
  return { what: `${what} is ${got}, not ${want}`, measured: got, allowed: want };
}

/** Violation if `got` exceeds `most` by more than rounding. */
export function exceeds({
  what,
  got,
  most,
  slack = 1e-12,
}: {
  readonly what: string;
  readonly got: number;
  readonly most: number;
  readonly slack?: number;
}): Violation | undefined {
  return got <= most + slack * Math.abs(most)
    ? undefined
    : { what: `${what} is ${got}, more than ${most}`, measured: got, allowed: most };
}

/** The first of several violations. */
export function firstOf(violations: Iterable<Violation | undefined>): Violation | undefined {
  for (const violation of violations) if (violation !== undefined) return violation;
  return undefined;
}

/** Finding over a sequence of cases, up to the first violation. */
export function tried<T>(cases: Iterable<T>, check: (one: T) => Violation | undefined): Finding {
  let samples = 0;
  for (const one of cases) {
    samples++;
    const violation = check(one);
    if (violation !== undefined) return fails(samples, { input: one, ...violation });
  }
  return holds(samples);
}

/** Combines findings, evaluated lazily up to the first failure; adds up their samples. */
export function both(...parts: readonly (Finding | (() => Finding))[]): Finding {
  let samples = 0;
  for (const part of parts) {
    const finding = typeof part === 'function' ? part() : part;
    if (finding.verdict !== 'holds') return finding;
    samples += finding.samples;
  }
  return holds(samples);
}
